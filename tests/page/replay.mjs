// Replays: scrubbing, links to a turn, the record, whether it checks out, who was winning.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';

import { shownTurn } from './kit.mjs';

export default async function replay(kit) {
  const { test } = kit;
  const game = { ruleset: { base: 'cowboy', hp: 3, max_rounds: 15 }, seats: ['random', 'greedy'], seed: 5 };

  await test('a stored match is scrubbed, stepped, played and linked', async () => {
    const { id, turns } = await kit.played(game);
    const { page, done } = await kit.open('matches');
    await page.locator(`a[href="/m/${id}"]`).click();
    await page.waitForSelector('#result');
    assert.equal(await shownTurn(page), turns);
    const range = page.locator('#scrub');
    await range.fill('3');
    await page.waitForFunction(() => document.querySelector('#at-turn').textContent.startsWith('Turn 3 '));
    await page.waitForFunction(() => location.pathname.endsWith('/turn/3'));
    const states = await kit.call(`matches/${id}/turns?from=0&limit=5`);
    const where = await page.locator('#board .piece').evaluateAll((all) => all.map((one) => one.querySelector('.disc').getAttribute('cx')));
    assert.deepEqual(where.map(Number).sort(), states.turns[2].state.players.map((one) => one.col * 44 + 22).sort());
    await page.locator('#step-next').click();
    await page.waitForFunction(() => location.pathname.endsWith('/turn/4'));
    await page.locator('#step-first').click();
    await page.waitForFunction(() => document.querySelector('#scrub').value === '0');
    await page.locator('#speed').selectOption('16');
    await page.locator('#step-play').click();
    await page.waitForFunction((last) => document.querySelector('#scrub').value === String(last), turns);
    await page.locator('#step-back').click();
    await page.waitForFunction((wanted) => location.pathname.endsWith(`/turn/${wanted}`), turns - 1);
    const linked = await kit.open(`m/${id}/turn/2`);
    await linked.page.waitForSelector('#board .piece');
    assert.equal(await shownTurn(linked.page), 2);
    await linked.done();
    await done();
  });

  await test('a record can be had, and checks out here and there', async () => {
    const { id } = await kit.played(game);
    const { page, context, done } = await kit.open(`m/${id}`, { acceptDownloads: true });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.waitForSelector('#verified.good');
    const waiting = page.waitForEvent('download');
    await page.locator('#record').click();
    const download = await waiting;
    assert.equal(download.suggestedFilename(), `${id}.jsonl`);
    assert.match(execFileSync(kit.standoff, ['replay', await download.path(), '--verify']).toString(), /verified/);
    await page.locator('#link').click();
    await page.waitForFunction(() => document.querySelector('#link').textContent === 'Copied');
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), new RegExp(`/m/${id}/turn/\\d+$`));
    await done();
  });

  await test('who was winning is drawn when somebody asks', async () => {
    const { id } = await kit.played({ ...game, ruleset: { base: 'cowboy', hp: 1, max_rounds: 4 } });
    const { page, done } = await kit.open(`m/${id}`);
    await page.locator('#analyse').click();
    await page.waitForSelector('.curves .curve', { state: 'attached', timeout: 120_000 });
    assert.equal(await page.locator('.curves .curve').count(), 2);
    assert.match(await page.locator('.legend').textContent(), /A\d+ %B\d+ %/);
    await page.locator('.curves').click({ position: { x: 2, y: 60 } });
    await page.waitForFunction(() => document.querySelector('#scrub').value === '0');
    await done();
  });

  await test('a match by unknown rules is told as text, in both languages', async () => {
    const { id, turns } = await kit.played(game);
    for (const [locale, sentence, winner] of [['en-GB', /positions cannot be drawn/, /wins|A draw/], ['zh-CN', /无法画出局面/, /获胜|平局/]]) {
      const { page, done } = await kit.open('', { locale, allow: [409] });
      await page.route(new RegExp(`/api/v1/matches/${id}(\\?|$)`), (route) => route.fulfill({ status: 409, contentType: 'application/problem+json', body: JSON.stringify({ code: 'unknown_rules', detail: 'line 1: `horses` is no field' }) }));
      await page.route(new RegExp(`/api/v1/matches/${id}/turns`), async (route) => {
        const answer = await (await route.fetch()).json();
        for (const turn of answer.turns) { delete turn.state; delete turn.scene; }
        answer.turns[1].events = [{ type: 'galloped', horse: 2 }];
        answer.turns[1].told = [];
        delete answer.start;
        delete answer.start_scene;
        await route.fulfill({ json: { ...answer, no_positions: 'line 1: `horses` is no field' } });
      });
      await page.goto(`${kit.address}/m/${id}`);
      await page.waitForSelector('#no-positions');
      assert.match(await page.locator('#no-positions').textContent(), sentence);
      assert.equal(await page.locator('.transcript li').count(), turns);
      assert.match(await page.locator('.transcript li').first().textContent(), /^1A(move|shoot|shield)/);
      assert.match(await page.locator('.transcript li').nth(1).textContent(), /galloped/);
      assert.match(await page.locator('#result').textContent(), winner);
      assert.equal(await page.locator('#board').count(), 0);
      await done();
    }
  });

  await test('a match that is not there, and a page that is not there, say so', async () => {
    const { page, done } = await kit.open('m/mnothing', { allow: [404] });
    await page.waitForSelector('[role="alert"]');
    assert.match(await page.locator('main').textContent(), /no such match/);
    await page.goto(`${kit.address}/nowhere`);
    await page.waitForFunction(() => /no such page/.test(document.querySelector('main').textContent));
    await done();
  });
}
