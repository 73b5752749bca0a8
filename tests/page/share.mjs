// Matches given to others: pictures beside each other by their pixels, a frame on another page, a file without a server.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** How far two pictures are apart when the browser draws both: the mean of all channels, and the share of other pixels. */
const apart = (page, one, other) => page.evaluate(async (addresses) => {
  const pixels = async (address) => {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = new OffscreenCanvas(1200, 630);
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0, 1200, 630);
    return context.getImageData(0, 0, 1200, 630).data;
  };
  const [a, b] = await Promise.all(addresses.map(pixels));
  let [sum, far] = [0, 0];
  for (let at = 0; at < a.length; at += 4) {
    const off = Math.max(...[0, 1, 2].map((part) => Math.abs(a[at + part] - b[at + part])));
    sum += off;
    if (off > 60) far++;
  }
  return { mean: sum / (a.length / 4), far: far / (a.length / 4) };
}, [one, other]);

export default async function share(kit) {
  const { test } = kit;

  await test('the picture of a match is its drawing, pixel by pixel as near as fonts allow', async () => {
    const { id } = await kit.played({ ruleset: { base: 'cowboy', max_rounds: 8 }, seats: ['greedy', 'random'], seed: 5 });
    const { page, done } = await kit.open('');
    for (const turn of [0, 5, 9]) {
      const same = await apart(page, `/m/${id}.png?turn=${turn}`, `/m/${id}.svg?card=true&turn=${turn}`);
      assert(same.mean < 3 && same.far < 0.02, `turn ${turn}: ${JSON.stringify(same)}`);
    }
    const other = await apart(page, `/m/${id}.png?turn=0`, `/m/${id}.svg?card=true&turn=9`);
    assert(other.far > 0.002, `another turn is another picture: ${JSON.stringify(other)}`);
    await done();
  });

  await test('a match is shared from its screen: picture, animation, drawing, code to embed', async () => {
    const { id } = await kit.played({ ruleset: { base: 'paint', turns: 8 }, seats: ['greedy', 'random'] });
    const { page, context, done } = await kit.open(`m/${id}`);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.waitForSelector('#verified.good');
    await page.locator('#share summary').click();
    for (const [name, kind] of [['png', 'image/png'], ['gif', 'image/gif'], ['svg', 'image/svg+xml']]) {
      const address = await page.locator(`#share-${name}`).getAttribute('href');
      const answer = await fetch(`${kit.address}${address}`);
      assert.equal(answer.headers.get('content-type'), kind);
    }
    await page.locator('#share-embed').click();
    const code = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(code, new RegExp(`^<iframe src="${kit.address}/m/${id}/embed\\?lang=en"`));
    await done();
  });

  await test('a frame on another page replays a match', async () => {
    const { id } = await kit.played({ ruleset: { base: 'paint', turns: 6 }, seats: ['greedy', 'random'] });
    const other = createServer((request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<iframe src="${kit.address}/m/${id}/embed" width="760" height="520"></iframe>`);
    });
    await new Promise((done) => { other.listen(0, '127.0.0.1', done); });
    const page = await kit.browser.newPage();
    await page.goto(`http://127.0.0.1:${other.address().port}/`);
    const frame = page.frameLocator('iframe');
    await frame.locator('.piece, .disc').first().waitFor();
    await frame.locator('output', { hasText: 'turn 6 / 6' }).waitFor();
    await page.close();
    other.close();
  });

  await test('eight at a table fit a frame, with the controls', async () => {
    const { id } = await kit.played({ ruleset: { base: 'grid-royale', max_ticks: 8 }, seats: Array.from({ length: 8 }, (_, at) => (at % 2 ? 'random' : 'greedy')) });
    for (const [width, height] of [[760, 520], [640, 480]]) {
      // By itself the frame has no icon, for which browsers ask.
      const { page, done } = await kit.open(`m/${id}/embed`, { viewport: { width, height }, allow: [404] });
      await page.locator('.player').nth(7).waitFor();
      assert(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight), `${width} × ${height}: nothing lies below`);
      const bottom = await page.locator('.controls').evaluate((controls) => controls.getBoundingClientRect().bottom);
      assert(bottom <= height, `${width} × ${height}: ${bottom}`);
      await done();
    }
  });

  await test('one file replays a match with no server', async () => {
    const { id } = await kit.played({ ruleset: { base: 'cowboy', max_rounds: 3 }, seats: ['greedy', 'random'] });
    const folder = mkdtempSync(join(tmpdir(), 'standoff-'));
    const record = await fetch(`${kit.address}/api/v1/matches/${id}/record`).then((answer) => answer.text());
    writeFileSync(join(folder, 'match.jsonl'), record);
    execFileSync(kit.standoff, ['replay', join(folder, 'match.jsonl'), '--html', join(folder, 'match.html'), '--lang', 'zh']);
    const context = await kit.browser.newContext({ offline: true });
    const page = await context.newPage();
    const asked = [];
    page.on('request', (request) => { if (!/^(file|data):/.test(request.url())) asked.push(request.url()); });
    await page.goto(pathToFileURL(join(folder, 'match.html')).href);
    await page.locator('.disc').first().waitFor();
    await page.waitForFunction(() => /^([1-9]\d*) \/ \1 回合$/.test(document.querySelector('output').textContent));
    assert.deepEqual(asked, []);
    await context.close();
  });

  await test('addresses that once stood behind a # still lead to their screens', async () => {
    const { id } = await kit.played({ ruleset: { base: 'paint', turns: 3 }, seats: ['greedy', 'random'] });
    const { page, done } = await kit.open(`#/m/${id}/turn/2`);
    await page.waitForFunction((wanted) => location.pathname === `/m/${wanted}/turn/2` && document.querySelector('#scrub')?.value === '2', id);
    await page.locator('.mark').click();
    await page.waitForSelector('#play-now');
    assert.equal(new URL(page.url()).pathname, '/');
    await page.goBack();
    await page.waitForSelector('#verified.good');
    await done();
  });
}
