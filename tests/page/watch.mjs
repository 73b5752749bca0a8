// Watching: another client's match as it is played, many at once, through a break of the connection.
import assert from 'node:assert/strict';
import net from 'node:net';

/** Stands between the browser and the server, and can be cut. */
async function relay(port) {
  const open = new Set();
  let isCut = false;
  const server = net.createServer((near) => {
    if (isCut) { near.destroy(); return; }
    const far = net.connect(Number(port), '127.0.0.1');
    for (const [one, other] of [[near, far], [far, near]]) {
      open.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => { open.delete(one); other.destroy(); });
    }
  });
  await new Promise((ready) => { server.listen(0, '127.0.0.1', ready); });
  const cut = (wanted) => {
    isCut = wanted;
    if (wanted) for (const one of open) one.destroy();
  };
  const close = () => { cut(true); server.close(); };
  return { address: `http://127.0.0.1:${server.address().port}`, cut, close };
}

export default async function watch(kit) {
  const { test } = kit;

  await test('another client’s match is seen as it is played, and told', async () => {
    const { match_id: id, mine: [own] } = await kit.match({ ruleset: 'cowboy', seats: ['me', 'random'], name: 'robot' });
    const { page, done } = await kit.open(`m/${id}`);
    await page.waitForSelector('#board .piece');
    assert.match(await page.locator('#status').textContent(), /You are watching/);
    assert.equal(await page.locator('#play').isVisible(), false);
    assert.equal(await page.locator('#resign').isVisible(), false);
    for (const [at, action] of ['move down', 'shoot left', 'shield down'].entries()) {
      await kit.call(`matches/${id}/action`, { key: own.seat_key, body: { action, turn: 2 * at, reasoning: `because of ${at}` } });
      await page.waitForFunction((turn) => Number(document.querySelector('#scrub').value) === turn, 2 * at + 2);
      assert.match(await page.locator('.log').textContent(), new RegExp(`because of ${at}`));
    }
    await page.waitForFunction(() => document.querySelector('#announcer').textContent.length > 0);
    assert.match(await page.locator('.log').textContent(), /A moves from \(1, 5\) to \(2, 5\)/);
    await page.locator('[data-filter="thoughts"]').click();
    assert.equal(await page.locator('.log li').count(), 3);
    await page.locator('#step-back').click();
    await page.waitForSelector('#to-live:not([hidden])');
    await kit.call(`matches/${id}/action`, { key: own.seat_key, body: { action: 'shield left' } });
    await page.waitForFunction(() => Number(document.querySelector('#scrub').max) >= 7);
    assert.equal(await page.locator('#scrub').inputValue(), '5');
    await page.locator('#to-live').click();
    await page.waitForFunction(() => Number(document.querySelector('#scrub').value) >= 7);
    await done();
  });

  await test('nobody sees what is sealed', async () => {
    const { match_id: id, mine } = await kit.match({ ruleset: 'paint', seats: ['me', 'me'] });
    const { page, done } = await kit.open(`m/${id}`);
    await page.waitForSelector('#board .piece');
    await kit.call(`matches/${id}/action`, { key: mine[0].seat_key, body: { action: 'shoot south' } });
    await page.waitForFunction(() => /has acted/.test(document.querySelector('.people').textContent));
    assert(!(await page.content()).includes('shoot south'));
    await page.waitForFunction(() => /Waiting for .+\.$/.test(document.querySelector('#status').textContent));
    await done();
  });

  await test('many matches are followed at once', async () => {
    const opened = [];
    for (let at = 0; at < 6; at++) opened.push(await kit.match({ ruleset: at % 2 ? 'paint' : 'cowboy', seats: ['me', 'greedy'] }));
    const { page, done } = await kit.open('boards');
    const card = (id) => page.locator(`[data-match="${id}"]`);
    await page.waitForFunction((n) => document.querySelectorAll('.board-card .standoff-board').length >= n, opened.length);
    const [{ match_id: id, mine: [own] }] = opened;
    assert.match(await card(id).textContent(), /Turn 0/);
    await kit.call(`matches/${id}/action`, { key: own.seat_key, body: { action: 'move down' } });
    await page.waitForFunction((wanted) => /Turn 2/.test(document.querySelector(`[data-match="${wanted}"]`).textContent), id);
    // Where all places are taken, a new match gets that of one that is over.
    const over = opened.pop();
    await kit.call(`matches/${over.match_id}/resign`, { key: over.mine[0].seat_key, method: 'POST' });
    while ((await kit.call(`matches/${over.match_id}?wait=5`)).status !== 'over');
    const late = await kit.match({ ruleset: 'cowboy-duel', seats: ['me', 'greedy'] });
    await card(late.match_id).waitFor();
    await card(id).click();
    await page.waitForSelector('#board .piece');
    assert(page.url().endsWith(id));
    await done();
    for (const { match_id, mine: [mine] } of [...opened, late]) await kit.call(`matches/${match_id}/resign`, { key: mine.seat_key, method: 'POST' });
  });

  await test('a connection that breaks is taken up again where it was', async () => {
    const { match_id: id, mine: [own] } = await kit.match({ ruleset: 'cowboy', seats: ['me', 'random'] });
    const between = await relay(new URL(kit.address).port);
    const { page, context, wrong } = await kit.open(`m/${id}`, { at: between.address });
    await page.waitForSelector('#board .piece');
    await kit.call(`matches/${id}/action`, { key: own.seat_key, body: { action: 'move down' } });
    await page.waitForFunction(() => Number(document.querySelector('#scrub').value) === 2);
    between.cut(true);
    await page.waitForSelector('#away:not([hidden])');
    await kit.call(`matches/${id}/action`, { key: own.seat_key, body: { action: 'shield down' } });
    between.cut(false);
    await page.waitForFunction(() => Number(document.querySelector('#scrub').value) === 4);
    await page.waitForSelector('#away', { state: 'hidden' });
    assert.match(await page.locator('.log').textContent(), /A turns the shield down/);
    assert.deepEqual(wrong.filter((text) => !/net::ERR/.test(text)), []);
    await context.close();
    between.close();
  });

  await test('motion is played where it is wanted and left out where it is not', async () => {
    for (const [reducedMotion, some] of [['no-preference', true], ['reduce', false]]) {
      const { match_id: id, mine: [own] } = await kit.match({ ruleset: 'cowboy', seats: ['me', 'random'] });
      const { page, done } = await kit.open(`m/${id}`, { reducedMotion });
      await page.waitForSelector('#board .piece');
      await page.evaluate(() => {
        window.seen = 0;
        new MutationObserver(() => { window.seen = Math.max(window.seen, document.querySelector('#board').getAnimations({ subtree: true }).length); }).observe(document.querySelector('#board'), { childList: true, subtree: true, attributes: true });
      });
      await kit.call(`matches/${id}/action`, { key: own.seat_key, body: { action: 'shoot down' } });
      await page.waitForFunction(() => Number(document.querySelector('#scrub').value) === 2);
      assert.equal((await page.evaluate(() => window.seen)) > 0, some, reducedMotion);
      await done();
    }
  });
}
