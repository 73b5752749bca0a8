// A server that others can reach wants to know who asks: the page asks for a token once, and an invitation needs none.
import assert from 'node:assert/strict';

import { serve } from '../browser.mjs';
import { myTurn } from './kit.mjs';

const TOKEN = 'a token of at least thirty-two characters';

export default async function abroad(kit) {
  await kit.test('a token is asked for once, and a guest with an invitation needs none', async () => {
    const server = await serve(kit.standoff, ['--bind', '0.0.0.0'], { STANDOFF_TOKEN: TOKEN });
    try {
      const { page, done } = await kit.open('', { at: server.address, allow: [401] });
      await page.locator('#token').fill('wrong');
      await page.locator('dialog .primary').click();
      await page.waitForFunction(() => /does not know/.test(document.querySelector('dialog')?.textContent || ''));
      await page.locator('#token').fill(TOKEN);
      await page.locator('dialog .primary').click();
      await page.waitForSelector('.games .card');
      await page.goto(`${server.address}/new`);
      await page.locator('.seats [data-seat="B"]').selectOption('open');
      await page.locator('#start').click();
      const link = await page.locator('#invite').inputValue();
      assert.equal(await page.locator('dialog').count(), 0);
      const guest = await kit.open(link.slice(server.address.length + 1), { at: server.address, allow: [401] });
      await guest.page.locator('#take').click();
      await guest.page.waitForSelector('#play:not([hidden])');
      assert.equal(await guest.page.locator('dialog').count(), 0);
      assert.equal(await myTurn(page), true);
      await guest.done();
      await done();
    } finally {
      await server.stop();
    }
  });

  await kit.test('a name is taken, its matches count, and its token is the same person elsewhere', async () => {
    const { page, done } = await kit.open('ladder', { allow: [409, 422] });
    await page.locator('#account-name').fill('greedy');
    await page.locator('#register').click();
    await page.waitForFunction(() => /cannot be used/.test(document.querySelector('.account .refusal').textContent));
    await page.locator('#account-name').fill('Grace');
    await page.locator('#register').click();
    const token = await page.locator('#own-token').inputValue();
    await page.locator('#queue-game').selectOption('cowboy-classic');
    await page.locator('#queue').click();
    await page.waitForFunction(() => document.querySelector('#queue')?.textContent === 'Cancel' || document.querySelector('#board'));
    await myTurn(page);
    assert.equal(await page.locator('.person .badge.you').count(), 1);
    await page.locator('#resign').click();
    await page.locator('dialog .danger').click();
    await page.waitForSelector('#result');
    await page.goto(`${kit.address}/ladder`);
    await page.waitForFunction(() => [...document.querySelectorAll('tbody tr')].some((row) => /Grace/.test(row.textContent) && /9\d\d/.test(row.textContent)));
    assert.match(await page.locator('#account').textContent(), /You play as Grace/);
    await done();
    const other = await kit.open('ladder');
    await other.page.locator('.account summary').click();
    await other.page.locator('#account-token').fill(token);
    await other.page.keyboard.press('Enter');
    await other.page.waitForFunction(() => /Grace/.test(document.querySelector('#account')?.textContent || ''));
    await other.done();
  });

  await kit.test('a key that the server has forgotten is forgotten here, too', async () => {
    const { page, done } = await kit.open('boards', { allow: [401] });
    const { match_id: id } = await kit.match({ ruleset: 'cowboy', seats: ['me', 'greedy'] });
    await page.evaluate((match) => localStorage.setItem('standoff:seats', JSON.stringify({ [match]: [{ seat: 'A', seat_key: 'k-of-another-server' }] })), id);
    await page.goto(`${kit.address}/m/${id}`);
    await page.waitForFunction(() => /You are watching/.test(document.querySelector('#status')?.textContent || ''));
    assert.equal(await page.locator('dialog').count(), 0);
    assert.deepEqual(await page.evaluate(() => Object.values(JSON.parse(localStorage.getItem('standoff:seats'))).flat()), []);
    await done();
  });
}
