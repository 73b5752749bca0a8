// The match screen for play: everything on one screen, taps that act, what is felt, who is who; and a first screen that runs.
import assert from 'node:assert/strict';
import { myTurn, shownTurn } from './kit.mjs';

const bots = (count) => Array.from({ length: count }, (_, at) => (at % 3 ? 'greedy' : 'random'));
const TABLES = [['cowboy', ['me', 'greedy']], ['cowboy', ['me', ...bots(3)]], ['grid-royale', ['me', ...bots(3)]], ['grid-royale', ['me', ...bots(7)]], ['trails', ['me', ...bots(3)]]];
const SIZES = { phone: [390, 844], laptop: [1366, 768], 'a laptop at 200 %': [683, 384] };

/** Opens a match with seats of one's own. */
async function sit(kit, wanted, options = {}) {
  const opened = await kit.match(wanted);
  const { page, done } = await kit.open('', options);
  await page.evaluate(([id, mine]) => localStorage.setItem('standoff:seats', JSON.stringify({ [id]: mine })), [opened.match_id, opened.mine]);
  await page.goto(`${kit.address}/m/${opened.match_id}`);
  await myTurn(page);
  return { page, done, id: opened.match_id, mine: opened.mine };
}

/** Clicks the middle of a square. */
async function tap(page, row, col) {
  const at = await page.evaluate(([y, x]) => {
    const board = document.getElementById('board');
    const point = new DOMPoint(x * 44 + 22, y * 44 + 22).matrixTransform(board.getScreenCTM());
    return [point.x, point.y];
  }, [row, col]);
  await page.mouse.click(...at);
}

export default async function feel(kit) {
  const { test } = kit;

  for (const [name, [width, height]] of Object.entries(SIZES)) {
    await test(`board, action, explanation and last events are on one screen: ${name}`, async () => {
      for (const [ruleset, seats] of TABLES) {
        for (const locale of ['en-GB', 'zh-CN']) {
          const { page, done } = await sit(kit, { ruleset, seats, seed: 4 }, { viewport: { width, height }, locale });
          await page.locator('[data-row="3"][data-col="2"]').first().click();
          await page.locator('#execute').click();
          await page.waitForFunction(() => Number(document.querySelector('#scrub').value) > 0);
          await myTurn(page);
          await page.locator('[data-row="1"][data-col="2"]').first().click();
          await page.waitForFunction(() => document.querySelector('#would').textContent.length > 10 && document.querySelectorAll('.latest li').length);
          for (const part of ['#board', '#status', '#play .controls', '#execute', '#would', '.latest']) {
            const box = await page.locator(part).boundingBox();
            assert(box.y >= 0 && box.y + box.height <= height + 1 && box.x >= 0 && box.x + box.width <= width + 1, `${ruleset} ${locale} ${part}: ${JSON.stringify(box)}`);
          }
          assert(await page.evaluate(() => document.documentElement.scrollWidth) <= width);
          await done();
        }
      }
    });
  }

  await test('a tap on a square acts, unless one wants to be sure', async () => {
    const { page, done } = await sit(kit, { ruleset: 'cowboy', seats: ['me', 'greedy'], seed: 4 });
    await page.waitForFunction(() => document.querySelector('#would'));
    await page.locator('[data-row="3"][data-col="2"]').first().hover();
    await page.waitForFunction(() => document.querySelector('[data-row="3"][data-col="2"]').title.length > 6);
    await tap(page, 2, 5);
    await page.waitForFunction(() => Number(document.querySelector('#scrub').value) >= 2);
    assert.equal(await myTurn(page), true);
    await page.locator('#wants-confirm').check();
    const before = await shownTurn(page);
    await page.waitForFunction(() => document.querySelector('[data-row="2"][data-col="1"]').title.length > 6);
    await tap(page, 2, 4);
    await page.waitForFunction(() => document.querySelector('#execute').dataset.action === 'move left');
    assert.equal(await shownTurn(page), before);
    await tap(page, 2, 4);
    await page.waitForFunction((turn) => Number(document.querySelector('#scrub').value) >= turn + 2, before);
    await done();
  });

  await test('it is never said to be one’s turn while the board is a turn behind', async () => {
    const { page, done } = await sit(kit, { ruleset: 'cowboy', seats: ['me', 'greedy'], seed: 4 }, { reducedMotion: 'no-preference' });
    await page.evaluate(() => {
      window.early = [];
      let seen = -1;
      const look = () => {
        const shown = Number(document.querySelector('#scrub').value);
        // With two at the table it is A's turn after an even number of turns.
        if (document.querySelector('#status').classList.contains('yours') && shown % 2) window.early.push(shown);
        if (shown !== seen) seen = shown;
      };
      new MutationObserver(look).observe(document.querySelector('main'), { subtree: true, childList: true, attributes: true, characterData: true });
    });
    for (let turn = 0; turn < 5; turn++) {
      await page.locator('[data-choice="shield"]').click();
      await page.locator(turn % 2 ? '[data-choice="left"]' : '[data-choice="down"]').click();
      await page.locator('#execute').click();
      await page.waitForFunction((wanted) => Number(document.querySelector('#scrub').value) >= wanted, 2 * turn + 2);
      assert.equal(await myTurn(page), true);
    }
    assert.deepEqual(await page.evaluate(() => window.early), []);
    await done();
  });

  await test('the tab tells whose turn it is, Esc leaves the talk, and whoever gives up has lost', async () => {
    const { page, done } = await sit(kit, { ruleset: 'paint', seats: ['me', 'greedy'] });
    assert.match(await page.title(), /Your turn/);
    await page.keyboard.press('t');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'say');
    await page.keyboard.press('Escape');
    assert.notEqual(await page.evaluate(() => document.activeElement.id), 'say');
    await page.locator('#resign').click();
    await page.locator('dialog .danger').click();
    await page.waitForSelector('#result');
    assert.match(await page.locator('#result').textContent(), /You lost.*B greedy wins/);
    assert.match(await page.title(), /You lost/);
    await done();
  });

  await test('what a hit costs is written where it happened', async () => {
    const { match_id: id } = await kit.match({ ruleset: { base: 'cowboy', hp: 3, max_rounds: 40 }, seats: ['greedy', 'greedy'], seed: 2 });
    const view = await kit.call(`matches/${id}?since=100000&wait=20`);
    const { turns } = await kit.call(`matches/${id}/turns`);
    const hit = turns.find((turn) => turn.scene.board.traces.marks && turn.scene.board.traces.marks.some((mark) => mark.effect === 'hit'));
    assert(hit, `nobody was hit in ${view.turn} turns`);
    const { page, done } = await kit.open(`m/${id}/turn/${hit.turn - 1}`);
    await page.waitForSelector('#board .piece');
    await page.locator('#step-next').click();
    await page.waitForSelector('#board .loss');
    assert.equal(await page.locator('#board .loss').first().textContent(), '−1');
    await done();
  });

  await test('the rules open beside the match, with pictures, and the match goes on', async () => {
    const { page, done, id } = await sit(kit, { ruleset: 'cowboy', seats: ['me', 'greedy'], seed: 4 });
    await page.locator('#rules').click();
    await page.waitForFunction(() => document.querySelectorAll('dialog.side .illustration svg').length >= 3);
    assert.match(await page.locator('dialog.side').textContent(), /Goal/);
    assert(page.url().endsWith(id));
    await page.locator('#board').waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('dialog.side').count(), 0);
    assert.equal(await page.evaluate(() => document.activeElement.id), 'rules');
    await done();
  });

  await test('the zone of the next ticks is drawn in advance, and fog as fog', async () => {
    const { page, done } = await sit(kit, { ruleset: 'grid-royale-fog', seats: ['me', 'greedy'], seed: 4 });
    assert(await page.locator('#board .forecast').count() > 20);
    assert(await page.locator('#board .wisp').count() > 20);
    await done();
  });

  await test('the first screen runs a match, follows what begins and ends, and can be paused', async () => {
    await kit.played({ ruleset: { base: 'cowboy', max_rounds: 20 }, seats: ['greedy', 'random'], seed: 9 });
    const { page, done } = await kit.open('', { reducedMotion: 'no-preference' });
    await page.waitForSelector('.featured .disc');
    const said = () => page.locator('.featured figcaption').textContent();
    const first = await said();
    await page.waitForFunction((before) => document.querySelector('.featured figcaption').textContent !== before, first);
    await page.locator('#pause-featured').click();
    const opened = await kit.match({ ruleset: 'paint', seats: ['me', 'greedy'] });
    await page.waitForSelector(`[data-match="${opened.match_id}"]`);
    await kit.call(`matches/${opened.match_id}/resign`, { key: opened.mine[0].seat_key, method: 'POST' });
    await page.waitForFunction((id) => [...document.querySelectorAll('.matches a')].some((link) => link.href.endsWith(id)), opened.match_id);
    await done();
  });

  await test('two bots are watched from the beginning, at a pace that can be followed', async () => {
    const { page, done } = await kit.open('', { reducedMotion: 'no-preference' });
    await page.locator('#watch-bots').click();
    await page.waitForFunction(() => document.querySelector('#scrub')?.value === '1');
    await page.waitForFunction(() => document.querySelector('#scrub')?.value === '3');
    assert(Number(await page.locator('#scrub').getAttribute('max')) >= 3);
    // It is not told how it ends before one is there.
    await page.waitForFunction(() => document.querySelector('.match-head .badge').hidden);
    assert.equal(await page.locator('#result').count(), 0);
    assert.doesNotMatch(await page.title(), /wins|draw/i);
    await page.locator('#step-last').click();
    await page.waitForSelector('#result');
    assert.match(await page.title(), /wins|draw/i);
    await done();
  });

  await test('newer matches take the places of those that are over, and the count is right', async () => {
    const key = async (one, path, body) => kit.call(`matches/${one.match_id}/${path}`, { key: one.mine[0].seat_key, method: 'POST', body });
    const all = [];
    for (let at = 0; at < 26; at++) all.push(await kit.match({ ruleset: 'paint', seats: ['me', 'greedy'] }));
    const { page, done } = await kit.open('boards');
    await page.waitForFunction(() => document.querySelectorAll('.board-card').length === 24);
    const told = await page.locator('.lead').textContent();
    const { matches } = await kit.call('matches?status=playing&limit=100');
    await page.waitForFunction((n) => document.querySelector('.lead').textContent.startsWith(`${n} `), matches.length);
    assert(matches.length >= 26, told);
    for (const one of all.slice(-3)) await key(one, 'resign');
    await page.waitForFunction((n) => document.querySelector('.lead').textContent.startsWith(`${n} `), matches.length - 3);
    const late = await kit.match({ ruleset: 'cowboy', seats: ['me', 'greedy'] });
    await page.waitForSelector(`[data-match="${late.match_id}"]`);
    for (const one of [...all.slice(0, -3), late]) await key(one, 'resign');
    await done();
  });

  await test('whoever wants no motion sees a board on the first screen, and a group of one choice is not offered', async () => {
    await kit.played({ ruleset: { base: 'cowboy', max_rounds: 20 }, seats: ['greedy', 'random'], seed: 9 });
    const first = await kit.open('');
    await first.page.waitForSelector('.featured .disc, .featured .piece');
    await first.done();
    const { page, done } = await sit(kit, { ruleset: 'trails', seats: ['me', 'greedy'], seed: 4 });
    assert.equal(await page.locator('.controls .commands').count(), 0);
    await page.locator('[data-row="2"][data-col="3"]').click();
    await page.locator('#execute').click();
    await page.waitForFunction(() => Number(document.querySelector('#scrub').value) > 0);
    await done();
  });

  await test('a spectator of a match in fog is told why nothing is seen', async () => {
    const { match_id: id, mine } = await kit.match({ ruleset: 'grid-royale-fog', seats: ['me', 'greedy'], seed: 4 });
    const { page, done } = await kit.open(`m/${id}`);
    await page.waitForFunction(() => /In fog/.test(document.querySelector('#status')?.textContent));
    await kit.call(`matches/${id}/resign`, { key: mine[0].seat_key, method: 'POST' });
    await page.waitForSelector('#result');
    await page.waitForSelector('#board .piece');
    await done();
  });
}
