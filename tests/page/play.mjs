// Playing: within one click, by mouse, on the board, by keyboard alone; being refused; joining by an invitation.
import assert from 'node:assert/strict';

import { myTurn, shownTurn } from './kit.mjs';

/** A random one of the pad's directions that are allowed, with a command that has one. */
async function actByMouse(page) {
  for (const verb of ['shoot', 'move', 'shield']) {
    const command = page.locator(`#play [data-choice="${verb}"]`);
    if (!(await command.count())) continue;
    await command.click();
    const allowed = page.locator('#play .pad button:not(.no)');
    if (!(await allowed.count())) continue;
    await allowed.nth(Math.floor(Math.random() * (await allowed.count()))).click();
    await page.locator('#execute').click();
    return;
  }
}

export default async function play(kit) {
  const { test } = kit;

  await test('a game against a bot is one click away', async () => {
    const { page, done } = await kit.open();
    await page.locator('#play-now').click();
    assert.equal(await myTurn(page), true);
    assert.match(page.url(), /\/m\//);
    assert.equal(await page.locator('#board .piece').count(), 2);
    assert.equal(await page.locator('.person').count(), 2);
    assert.equal(await page.evaluate(() => document.activeElement.tagName), 'H1');
    await done();
  });

  await test('a match is set up, played to its end by mouse, checked and played again', async () => {
    const { page, done } = await kit.open('new');
    await page.locator('.choice', { hasText: 'cowboy-classic' }).click();
    await page.locator('.seats [data-seat="B"]').selectOption('random');
    await page.locator('summary').click();
    await page.locator('#field-hp').fill('1');
    await page.locator('#field-max_rounds').fill('12');
    await page.locator('#start').click();
    let acted = 0;
    while (await myTurn(page)) {
      const before = await page.evaluate(() => document.querySelector('.when').textContent);
      await actByMouse(page);
      await page.waitForFunction((was) => document.querySelector('#result') || document.querySelector('.when').textContent !== was, before);
      acted += 1;
    }
    assert(acted >= 1 && acted <= 12, `${acted} turns`);
    await page.waitForSelector('#verified.good');
    assert.equal(await page.locator('#verified').textContent(), 'Verified');
    assert.equal(await page.locator('.places li').count(), 2);
    await page.locator('#again').click();
    await page.waitForSelector('#result', { state: 'detached' });
    assert.equal(await myTurn(page), true);
    await done();
  });

  await test('what a shot would do is drawn as a T before one commits', async () => {
    const { page, done } = await kit.open();
    await page.locator('#play-now').click();
    await myTurn(page);
    await page.locator('[data-choice="shoot"]').click();
    await page.locator('[data-choice="down"]').click();
    await page.waitForSelector('#board .preview-layer .foreseen', { state: 'attached' });
    const lines = await page.locator('#board .preview-layer path.foreseen').evaluateAll((all) => all.map((one) => one.getAttribute('d')));
    assert.equal(lines.length, 3);
    const [stem, one, other] = lines.map((d) => d.match(/-?[\d.]+/g).map(Number));
    assert(stem[0] === stem[2] && one[1] === one[3] && other[1] === other[3], `no T: ${lines}`);
    assert((await page.locator('#board .preview-layer .target').count()) > 0);
    assert.match(await page.locator('#would').textContent(), /shoot down — .*beam enters \(2, 5\)/);
    assert.equal(await shownTurn(page), 0);
    await done();
  });

  await test('a square on the board is a direction', async () => {
    const { page, done } = await kit.open();
    await page.evaluate(() => localStorage.setItem('standoff:confirm', 'true'));
    await page.locator('#play-now').click();
    await myTurn(page);
    const piece = await page.locator('#board .piece[data-seat="A"] .disc').boundingBox();
    const square = piece.width * (44 / 30);
    await page.mouse.click(piece.x + piece.width / 2, piece.y + piece.height / 2 + square);
    assert.equal(await page.locator('#execute').getAttribute('data-action'), 'move down');
    await page.locator('[data-choice="shield"]').click();
    await page.mouse.click(piece.x + piece.width / 2 + square, piece.y + piece.height / 2);
    assert.equal(await page.locator('#execute').getAttribute('data-action'), 'shield right');
    await page.locator('#execute').click();
    await page.waitForFunction(() => Number(document.querySelector('#scrub').value) >= 1);
    await done();
  });

  await test('what breaks a rule is refused in words, beside the button, and costs nothing', async () => {
    for (const [locale, rule] of [['en-GB', /own shield faces up/], ['zh-CN', /护盾/]]) {
      const { page, done } = await kit.open('', { allow: [422], locale });
      await page.locator('#play-now').click();
      await myTurn(page);
      await page.locator('[data-choice="shoot"]').click();
      await page.locator('[data-choice="up"]').click();
      await page.waitForSelector('[data-choice="up"].no');
      assert.match(await page.locator('#would').textContent(), rule);
      await page.locator('#execute').click();
      await page.waitForSelector('#refusal:not(:empty)');
      assert.match(await page.locator('#refusal').textContent(), rule);
      assert.equal(await page.locator('#status').getAttribute('class'), 'status yours');
      assert.equal(await shownTurn(page), 0);
      await done();
    }
  });

  await test('a button that cannot help says why', async () => {
    const { page, done } = await kit.open();
    const opened = await kit.match({ ruleset: 'cowboy', seats: ['me', 'me'] });
    await page.evaluate(([id, mine]) => localStorage.setItem('standoff:seats', JSON.stringify({ [id]: [mine] })), [opened.match_id, opened.mine[1]]);
    await page.goto(`${kit.address}/m/${opened.match_id}`);
    await page.waitForSelector('#play:not([hidden])');
    await page.locator('[data-choice="down"]').click();
    await page.waitForFunction(() => /^Waiting for /.test(document.querySelector('#status').textContent));
    await page.locator('#execute').click();
    assert.match(await page.locator('#refusal').textContent(), /Waiting for /);
    await page.locator('.talk button').click();
    assert.match(await page.locator('.talk .refusal').textContent(), /Write something/);
    await page.locator('#say').fill('hello');
    await page.locator('.talk button').click();
    assert.match(await page.locator('.talk .refusal').textContent(), /wait for your turn/);
    await done();
  });

  await test('the keyboard alone opens and plays a whole match', async () => {
    const { page, done } = await kit.open('', { allow: [422] });
    const press = (key) => page.keyboard.press(key);
    const reach = async (selector) => {
      for (let tries = 0; tries < 80; tries++) {
        if (await page.evaluate((wanted) => document.activeElement.matches(wanted), selector)) return;
        await press('Tab');
      }
      assert.fail(`${selector} is not reached by Tab`);
    };
    await reach('a[href="/new"]');
    await press('Enter');
    await page.waitForSelector('.setup #field-hp', { state: 'attached' });
    await reach('summary');
    await press('Enter');
    await reach('#field-hp');
    await page.keyboard.type('1');
    await reach('#field-max_rounds');
    await page.keyboard.type('4');
    await press('Enter');
    for (let turn = 0; await myTurn(page); turn++) {
      assert(turn < 5, 'the match does not end');
      const before = await page.evaluate(() => document.querySelector('.when').textContent);
      await press('h');
      await press(['ArrowUp', 'ArrowLeft', 'ArrowDown', 'ArrowRight'][turn % 4]);
      await press('Enter');
      await page.waitForFunction((was) => document.querySelector('#result') || document.querySelector('.when').textContent !== was, before);
    }
    await press('?');
    await page.waitForSelector('dialog[open]');
    assert((await page.locator('dialog .keylist > div').count()) >= 10);
    await press('Escape');
    await page.waitForSelector('dialog[open]', { state: 'detached' });
    await press('Home');
    await page.waitForFunction(() => document.querySelector('#scrub').value === '0');
    await press('.');
    await page.waitForFunction(() => document.querySelector('#scrub').value === '1');
    await done();
  });

  await test('paint is played in eight directions and the royale with a move and a shot', async () => {
    const { page, done } = await kit.open('new/paint');
    await page.waitForSelector('#field-turns', { state: 'attached' });
    await page.locator('summary').click();
    await page.locator('#field-turns').fill('3');
    await page.locator('#start').click();
    await myTurn(page);
    assert.equal(await page.locator('#play .pad button').count(), 8);
    for (const digit of ['3', '6', '2']) {
      await myTurn(page);
      const before = await page.evaluate(() => document.querySelector('.when').textContent);
      await page.keyboard.press(digit);
      await page.keyboard.press('Enter');
      await page.waitForFunction((was) => document.querySelector('#result') || document.querySelector('.when').textContent !== was, before);
    }
    await page.waitForSelector('#result');
    assert((await page.locator('#board .owned').count()) >= 4);
    await page.goto(`${kit.address}/new/grid-royale`);
    await page.waitForSelector('#field-max_ticks', { state: 'attached' });
    // Nobody who sits here is hurried unless they ask for it.
    assert.equal(await page.locator('#seconds').inputValue(), '');
    assert.equal(await page.locator('#live').isChecked(), false);
    await page.locator('summary').click();
    await page.locator('#seconds').fill('20');
    await page.locator('#start').click();
    await myTurn(page);
    await page.waitForSelector('#turn-clock');
    assert.match(await page.locator('#turn-clock').textContent(), /This turn (0:)?\d+/);
    await page.keyboard.press('m');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('s');
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.locator('#execute').getAttribute('data-action'), 'move north, shoot east');
    await page.waitForSelector('#board .preview-layer .foreseen', { state: 'attached' });
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => Number(document.querySelector('#scrub').value) >= 1);
    await done();
  });

  await test('a friend joins by a link from another browser, and both play', async () => {
    const first = await kit.open('new');
    await first.page.locator('.seats [data-seat="B"]').selectOption('open');
    await first.page.locator('#your-name').fill('Ada');
    await first.page.locator('#start').click();
    const link = await first.page.locator('#invite').inputValue();
    assert.match(link, /\/join\//);
    const second = await kit.open(link.slice(kit.address.length + 1), { locale: 'zh-CN' });
    await second.page.locator('#your-name').fill('林');
    await second.page.locator('#take').click();
    assert.equal(await myTurn(first.page), true);
    await second.page.waitForFunction(() => /Ada/.test(document.querySelector('#status')?.textContent || ''));
    assert.deepEqual((await first.page.locator('.person .name').allTextContents()).map((name) => name.replace(/you|to act/g, '')), ['Ada', '林']);
    await first.page.keyboard.press('m');
    await first.page.keyboard.press('ArrowDown');
    await first.page.keyboard.press('Enter');
    assert.equal(await myTurn(second.page), true);
    await second.page.locator('[data-choice="right"]').click();
    await second.page.locator('#execute').click();
    for (const { page } of [first, second]) await page.waitForFunction(() => Number(document.querySelector('#scrub').value) === 2);
    assert.match(await first.page.locator('.log').textContent(), /B moves from/);
    assert.match(await second.page.locator('.log').textContent(), /B 从 \(5, 1\) 走到/);
    await first.page.locator('#say').fill('<b>good luck</b>');
    await first.page.locator('.talk button').click();
    await second.page.waitForFunction(() => document.querySelector('.log').textContent.includes('<b>good luck</b>'));
    assert.equal(await second.page.locator('.log b').count(), 0);
    await second.page.locator('#resign').click();
    await second.page.locator('dialog .danger').click();
    await second.page.waitForSelector('#result');
    await first.page.waitForSelector('#result');
    await first.done();
    await second.done();
  });
}
