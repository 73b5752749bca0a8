// What the tests of the page share: pages that fail when anything goes wrong on them, and a client of the API.
import assert from 'node:assert/strict';

const PATIENCE = 60_000;

export class Kit {
  constructor(parts) { Object.assign(this, parts); }

  /**
   * A page in a browser of its own. `done` fails if anything was wrong on its console, a script broke, the policy was
   * broken, or anything outside was asked for. `allow`: statuses that the server may refuse with.
   */
  async open(address = '', { allow = [], at, ...options } = {}) {
    const base = at || this.address;
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-GB', colorScheme: 'light', reducedMotion: 'reduce', ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    const wrong = [];
    page.on('console', (message) => {
      const refused = message.text().match(/^Failed to load resource: the server responded with a status of (\d+)/);
      if (refused && allow.includes(Number(refused[1]))) return;
      if (['error', 'warning'].includes(message.type())) wrong.push(message.text());
    });
    page.on('pageerror', (error) => wrong.push(String(error.stack || error)));
    page.on('request', (request) => { if (!request.url().startsWith(base) && !/^(data|blob):/.test(request.url())) wrong.push(`asked for ${request.url()}`); });
    await page.addInitScript(() => {
      window.broken = [];
      document.addEventListener('securitypolicyviolation', (event) => window.broken.push(`${event.violatedDirective} ${event.blockedURI}`));
    });
    await page.goto(`${base}/${address}`);
    const done = async () => {
      assert.deepEqual(await page.evaluate(() => window.broken), []);
      assert.deepEqual(wrong, []);
      await context.close();
    };
    return { page, context, done, wrong };
  }

  /** A call to the API, as another client makes it. */
  async call(path, { key, body, method } = {}) {
    const headers = { 'content-type': 'application/json' };
    if (key) headers.authorization = `Bearer ${key}`;
    const response = await fetch(`${this.address}/api/v1/${path}`, { method: method || (body ? 'POST' : 'GET'), headers, body: body && JSON.stringify(body) });
    const answer = await response.json();
    if (!response.ok) throw Object.assign(new Error(`${path}: ${answer.detail}`), { status: response.status, answer });
    return answer;
  }

  /** Opens a match over the API. */
  match(wanted) {
    return this.call('matches', { body: wanted });
  }

  /** A match of bots, played to its end. */
  async played(wanted) {
    const { match_id: id } = await this.match(wanted);
    for (;;) {
      const view = await this.call(`matches/${id}?since=100000&wait=20`);
      if (view.status === 'over') return { id, turns: view.turn };
    }
  }
}

/** Waits until the page says that one may act, or the match is over. */
export async function myTurn(page) {
  await page.waitForSelector('#status.yours, #result', { state: 'attached' });
  if (await page.locator('#result').count()) return false;
  await page.waitForFunction(() => document.querySelector('#result') || document.querySelector('#status.yours'));
  return (await page.locator('#result').count()) === 0;
}

/** The turn that the page shows. */
export const shownTurn = (page) => page.evaluate(() => Number(document.querySelector('#scrub')?.value ?? 0));
