// The board in Chromium, inside a small host of MCP Apps, on a real `standoff serve`.
// node board.mjs STANDOFF NPM_FOLDER CHROMIUM OUT_FOLDER
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { launch, runner, serve } from '../browser.mjs';

const [standoff, npm, chromium, out] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const PATIENCE = 120_000;
mkdirSync(out, { recursive: true });

const source = (path) => readFileSync(join(root, path), 'utf8');
const page_text = ['board.css', 'board.js'].reduce((text, file) => {
  const mark = `/*${file.toUpperCase().replace('.', '_')}*/`;
  assert(text.includes(mark), `the page has no ${mark}`);
  return text.split(mark).join(source(`src/http/page/${file}`));
}, source('src/mcp/app/board.html'));

// A client of the older era, in a few lines: sessions let the board leave the seat key out, as most hosts will.
class Client {
  constructor(url) { this.url = url; this.id = 0; }
  async post(message) {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    if (this.session) Object.assign(headers, { 'mcp-session-id': this.session, 'mcp-protocol-version': '2025-11-25' });
    const response = await fetch(this.url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
    this.session ||= response.headers.get('mcp-session-id');
    const text = await response.text();
    const answers = text.startsWith('{') ? [text] : text.split('\n').filter((line) => line.startsWith('data: {')).map((line) => line.slice(6));
    return answers.map((answer) => JSON.parse(answer)).find((answer) => answer.id === message.id && message.id !== undefined);
  }
  async request(method, params) {
    const answer = await this.post({ id: ++this.id, method, params });
    if (answer.error) throw new Error(answer.error.message);
    return answer.result;
  }
  async begin() {
    await this.request('initialize', { protocolVersion: '2025-11-25', capabilities: { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }, clientInfo: { name: 'small-host', version: '1' } });
    await this.post({ method: 'notifications/initialized' });
    return this;
  }
  call(name, args) { return this.request('tools/call', { name, arguments: args }); }
}

const serving = await serve(standoff);
const url = `${serving.address}/mcp`;
const browser = await launch(npm, chromium);
const { test, finish } = runner();

/** A host page with the board in it, that fails if anything is wrong on its console or asks the network. */
async function host(client, options = {}) {
  const context = await browser.newContext({ viewport: options.viewport || { width: 900, height: 640 }, reducedMotion: options.motion || 'reduce', colorScheme: 'light' });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const wrong = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) wrong.push(message.text()); });
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('request', (request) => { if (!/^(file|about|data):/.test(request.url())) wrong.push(`asked for ${request.url()}`); });
  await page.exposeFunction('mcpCall', (params) => client.call(params.name, params.arguments));
  await page.goto(pathToFileURL(join(here, 'host.html')).href);
  await page.evaluate(([html, about, can]) => host.open(html, about, can), [page_text, { theme: options.theme || 'light', locale: options.locale || 'en-GB' }, options.capabilities]);
  await page.waitForFunction(() => host.initialized);
  const frame = page.frames().find((one) => one !== page.mainFrame());
  const show = async (input, result) => { await page.evaluate(([i, r]) => host.show(i, r), [input, result]); await frame.waitForSelector('#board .piece, #error:not(:empty)', { state: 'attached' }); };
  const done = async () => { assert.deepEqual(wrong, []); await context.close(); };
  return { page, frame, show, done, wrong };
}

const count = (frame, selector) => frame.locator(selector).count();
const recorded = (name) => JSON.parse(source(`tests/mcp/recorded/${name}.json`));

const GAMES = {
  cowboy: { opponents: ['greedy'], ways: ['shoot', 'move', 'shield'] },
  'cowboy-classic': { opponents: ['greedy'], ways: ['shoot', 'move'] },
  paint: { opponents: ['greedy', 'greedy', 'greedy'], ways: ['shoot', 'move'] },
  'grid-royale': { opponents: ['greedy', 'greedy', 'greedy'], ways: [] },
};

for (const [ruleset, game] of Object.entries(GAMES)) {
  const theme = ruleset === 'paint' ? 'dark' : 'light';
  await test(`${ruleset} is drawn and played by clicks`, async () => {
    const client = await new Client(url).begin();
    const view = await host(client, { theme });
    const input = { ruleset, opponents: game.opponents, seed: 7 };
    const result = await client.call('new_match', input);
    await view.show(input, result);
    const state = result.structuredContent.state;
    assert.equal(await count(view.frame, '#board .piece'), (state.players || state.bots).length);
    const walls = state.walls ? state.walls.length : state.grid.flat().filter((cell) => cell === -1 || cell === '#').length;
    assert.equal(await count(view.frame, '#board .wall'), walls);
    assert.equal(await count(view.frame, '#board .ground-layer .crate'), state.walls ? 0 : state.grid.flat().filter((cell) => cell > 0).length);
    assert.equal(await count(view.frame, '#players .player'), game.opponents.length + 1);
    for (let turn = 0; turn < 4; turn++) {
      const before = await view.page.evaluate(() => host.calls.length);
      if (ruleset === 'grid-royale') {
        await view.frame.locator(`[data-key="move:move ${turn % 2 ? 'east' : 'north'}"]`).click();
        await view.frame.locator('[data-key="shot:shoot east"]').click();
        await view.frame.locator('[data-key="go"]').click();
      } else {
        const verb = game.ways[turn % game.ways.length];
        await view.frame.locator(`[data-key="verb:${verb}"]`).click();
        await view.frame.locator(`#pads [data-action^="${verb} "]:not(:disabled)`).first().click();
      }
      await view.page.waitForFunction((n) => host.calls.length > n && host.modelContext.length > 0, before);
      await view.frame.waitForSelector('#board.moving', { state: 'attached' });
      await view.frame.waitForFunction(() => document.querySelector('#status.yours, #status.won') && !document.querySelector('#pads button:disabled:is([data-key="go"])'));
    }
    const calls = await view.page.evaluate(() => host.calls.filter((call) => call.name === 'act'));
    assert.equal(calls.length, 4);
    calls.forEach((call) => assert.equal(typeof call.arguments.turn, 'number'));
    assert.equal(await view.frame.locator('#error').textContent(), '');
    assert((await count(view.frame, '#log li')) >= 4);
    await view.page.locator('iframe').screenshot({ path: join(out, `${ruleset}-${theme}.png`) });
    await view.page.evaluate((other) => { document.documentElement.classList.toggle('dark', other === 'dark'); host.notify('ui/notifications/host-context-changed', { theme: other }); }, theme === 'dark' ? 'light' : 'dark');
    await view.frame.waitForFunction((other) => document.documentElement.dataset.theme === other, theme === 'dark' ? 'light' : 'dark');
    await view.page.locator('iframe').screenshot({ path: join(out, `${ruleset}-${theme === 'dark' ? 'light' : 'dark'}.png`) });
    await view.done();
  });
}

await test('a T is drawn as a T, and its wounds and broken blocks are seen', async () => {
  const view = await host(null);
  await view.show({}, recorded('tee'));
  const beams = await view.frame.locator('#board .beam').evaluateAll((all) => all.map((one) => one.getAttribute('d')));
  // The stem from the shooter on (3, 4) down into (4, 4), then both sweeps from there.
  assert.deepEqual(beams.map((d) => d.split('L')[0]), ['M198 154', 'M198 198', 'M198 198']);
  assert.equal(beams[0], 'M198 154L198 198');
  assert(beams[1].endsWith(' 198') && beams[2].endsWith(' 198'));
  assert.equal(await count(view.frame, '#board .burst'), 1);
  assert.match(await view.frame.locator('#log').textContent(), /A shoots down; the beam enters \(4, 4\)\. The sweep left hits B on \(4, 3\): 2 HP left\./);
  await view.page.locator('iframe').screenshot({ path: join(out, 'tee-light.png') });
  await view.done();
});

await test('motion is played where it is wanted and left out where it is not', async () => {
  for (const [motion, some] of [['no-preference', true], ['reduce', false]]) {
    const view = await host(null, { motion });
    await view.show({}, recorded('tee'));
    const animations = await view.frame.evaluate(() => document.getElementById('board').getAnimations({ subtree: true }).length);
    assert.equal(animations > 0, some, `${motion}: ${animations} animations`);
    await view.done();
  }
});

await test('what players write is text, whatever it looks like', async () => {
  const view = await host(null);
  const result = recorded('tee');
  const evil = '<img src=x onerror="parent.postMessage(1,\'*\')"><script>alert(1)</script>&amp;';
  const shown = result._meta['standoff/board'];
  shown.told.push({ text: evil, speech: true });
  shown.scene.ruleset = evil;
  shown.scene.outcome = null;
  const label = { term: '', text: evil };
  shown.controls = { separator: ' ', groups: [{ id: 'action', label, choices: [{ id: 'x', label, notation: `x${evil}` }] }] };
  result.structuredContent.legal_actions = ['move up', `x${evil}`];
  result.structuredContent.your_turn = true;
  await view.show({}, result);
  assert.equal(await count(view.frame, 'img'), 0);
  assert.equal(await count(view.frame, 'script'), 2);
  assert.equal(await view.frame.locator('#pads button').textContent(), evil);
  assert.equal(await view.frame.locator('#name').textContent(), evil);
  assert((await view.frame.locator('#log').textContent()).includes(evil));
  await view.done();
});

await test('a Chinese host gets Chinese', async () => {
  const view = await host(null, { locale: 'zh-CN', theme: 'dark' });
  await view.show({}, recorded('tee'));
  assert.equal(await view.frame.locator('html').getAttribute('lang'), 'zh');
  assert.match(await view.frame.locator('#status').textContent(), /A 获胜 · 轮数打满/);
  await view.page.locator('iframe').screenshot({ path: join(out, 'tee-zh-dark.png') });
  await view.done();
});

await test('the keyboard is enough', async () => {
  const client = await new Client(url).begin();
  const view = await host(client);
  const input = { ruleset: 'cowboy', opponents: ['random'], seed: 3 };
  await view.show(input, await client.call('new_match', input));
  await view.frame.locator('[data-key="verb:shield"]').click();
  await view.frame.locator('[data-action="shield up"]').focus();
  await view.page.keyboard.press('ArrowDown');
  assert.equal(await view.frame.evaluate(() => document.activeElement.dataset.action), 'shield down');
  assert.equal(await count(view.frame, '#board .hint'), 1);
  await view.page.keyboard.press('Enter');
  await view.page.waitForFunction(() => host.modelContext.length === 1);
  const call = await view.page.evaluate(() => host.calls[0]);
  assert.equal(call.arguments.action, 'shield down');
  assert.equal(call.arguments.turn, 0);
  await view.done();
});

await test('an action for a turn that is past is told, and the board catches up', async () => {
  const client = await new Client(url).begin();
  const view = await host(client);
  const input = { ruleset: 'cowboy', opponents: ['random'], seed: 3 };
  const result = await client.call('new_match', input);
  await view.show(input, result);
  await client.call('act', { match_id: result.structuredContent.match_id, action: 'shield down' });
  await view.frame.locator('[data-key="verb:shield"]').click();
  await view.frame.locator('[data-action="shield left"]').click();
  await view.frame.waitForSelector('#error:not(:empty)');
  assert.match(await view.frame.locator('#error').textContent(), /turn 0 is past/i);
  await view.frame.waitForFunction(() => /turn 2/.test(document.getElementById('when').textContent));
  await view.done();
});

await test('a host that only shows gets a board without buttons', async () => {
  const view = await host(null, { capabilities: {} });
  const result = recorded('tee');
  Object.assign(result.structuredContent, { your_turn: true, legal_actions: ['move up'] });
  Object.assign(result._meta['standoff/board'].scene, { outcome: null });
  const label = { term: 'action.move', text: 'move' };
  result._meta['standoff/board'].controls = { separator: ' ', groups: [{ id: 'action', label, choices: [{ id: 'move up', label, notation: 'move up' }] }] };
  await view.show({}, result);
  assert.equal(await view.frame.locator('#actions').isVisible(), false);
  await view.done();
});

await test('the host is answered as the protocol says', async () => {
  const view = await host(null);
  const app = await view.page.evaluate(() => host.app);
  assert.equal(app.protocolVersion, '2026-01-26');
  assert.equal(app.appInfo.name, 'standoff-board');
  assert.deepEqual((await view.page.evaluate(() => host.request('ping', {}))).result, {});
  assert.equal((await view.page.evaluate(() => host.request('no/such', {}))).error.code, -32601);
  assert.deepEqual((await view.page.evaluate(() => host.request('ui/resource-teardown', { reason: 'done' }))).result, {});
  assert((await view.page.evaluate(() => host.sizes.length)) > 0);
  await view.done();
});

await test('a small phone shows it without scrolling sideways', async () => {
  const view = await host(null, { viewport: { width: 340, height: 700 } });
  await view.show({}, recorded('tee'));
  assert.equal(await view.frame.evaluate(() => document.documentElement.scrollWidth), 340);
  await view.page.locator('iframe').screenshot({ path: join(out, 'tee-phone.png') });
  await view.done();
});

await test('the server gives exactly this page, in one piece', async () => {
  const client = await new Client(url).begin();
  const { contents: [page] } = await client.request('resources/read', { uri: 'ui://standoff/board' });
  assert.equal(page.mimeType, 'text/html;profile=mcp-app');
  assert(page.text === page_text, 'the page is another');
  assert(!/(?:src|href)=|\bimport\s|url\(|fetch\(/.test(page.text.replace(/<img src=x/g, '')), 'it would ask the network');
});

await browser.close();
await serving.stop();
finish();
