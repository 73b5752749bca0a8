// Every screen in both languages and both themes: nothing sideways on a phone, nothing that a screen reader would stumble
// over, and a picture of each to be looked at. Reports likewise, which are pages of their own.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { myTurn } from './kit.mjs';

const PHONE = { width: 390, height: 844 };

export default async function screens(kit) {
  const { test, out } = kit;
  const folder = resolve(out);
  mkdirSync(folder, { recursive: true });
  const axe = readFileSync(join(resolve(kit.npm), 'node_modules/axe-core/axe.min.js'), 'utf8');
  const over = await kit.played({ ruleset: { base: 'cowboy', hp: 2, max_rounds: 6 }, seats: ['random', 'greedy'], seed: 3 });
  const royale = await kit.played({ ruleset: { base: 'grid-royale', max_ticks: 30 }, seats: ['greedy', 'greedy', 'random', 'random'], seed: 4, ticks: false });
  const paint = await kit.played({ ruleset: { base: 'paint', turns: 25 }, seats: ['greedy', 'random', 'greedy'], seed: 4, ticks: false });
  const open = await kit.match({ ruleset: 'cowboy', seats: ['greedy', 'open'] });
  const live = await kit.match({ ruleset: 'cowboy', seats: ['me', 'greedy'], name: 'Ada' });
  const cup = join(folder, 'cup.toml');
  writeFileSync(cup, 'name = "cup"\nplayers = ["greedy", "random", "search:20"]\nrulesets = ["cowboy"]\nformat = "knockout"\nseats = 2\nblocks = 1\nseed = 1\n');
  execFileSync(kit.standoff, ['tournament', cup, '--store', kit.store], { stdio: 'ignore' });
  const prompts = join(folder, 'prompts.toml');
  writeFileSync(prompts, 'name = "prompts"\nmodels = ["greedy"]\nvariants = ["standard", "bare"]\nlanguages = ["en"]\nrulesets = ["cowboy-classic"]\ngates = ["games"]\ndelta = 200\npilot = 0\nnoise = 0\nblocks = 2\nseed = 1\n');
  // Of so few games the answer is that nothing is known yet.
  const { status } = spawnSync(kit.standoff, ['experiment', prompts, '--yes', '--store', kit.store], { stdio: 'ignore' });
  assert.equal(status, 12);

  const own = async (page) => {
    await page.evaluate(([id, mine]) => localStorage.setItem('standoff:seats', JSON.stringify({ [id]: mine })), [live.match_id, live.mine]);
    await page.reload();
    await myTurn(page);
    await page.locator('[data-choice="shoot"]').click();
    await page.locator('[data-choice="down"]').click();
    await page.waitForSelector('#board .preview-layer .foreseen', { state: 'attached' });
  };
  const SCREENS = {
    home: ['', '.games .card'],
    new: ['new', '#start'],
    play: [`m/${live.match_id}`, '#board .piece', own],
    open: [`m/${open.match_id}`, '#invite'],
    join: [`join/${open.match_id}${open.invite ? `/${open.invite}` : ''}`, '#take'],
    replay: [`m/${over.id}`, '#verified.good', async (page) => {
      await page.locator('#analyse').click();
      await page.waitForSelector('.curves .curve', { state: 'attached', timeout: 120_000 });
    }],
    royale: [`m/${royale.id}/turn/15`, '#verified.good'],
    paint: [`m/${paint.id}`, '#verified.good'],
    boards: ['boards', '.board-card'],
    matches: ['matches', 'table'],
    ladder: ['ladder', '.interval'],
    tournaments: ['tournaments', 'tbody tr'],
    tournament: ['t/cup', '.bracket .won'],
    experiment: ['t/prompts', '.report-verdict'],
    rules: ['rules/cowboy', '.brief h2'],
    player: ['p/greedy', 'table'],
    missing: ['nothing', 'h1'],
  };
  for (const [name, [address, ready, then]] of Object.entries(SCREENS)) {
    await test(`the screen ${name}: both languages, both themes, on a desk and on a phone`, async () => {
      for (const [locale, language] of [['en-GB', 'en'], ['zh-CN', 'zh']]) {
        for (const colorScheme of ['light', 'dark']) {
          const { page, done } = await kit.open(address, { locale, colorScheme, allow: name === 'missing' ? [404] : [] });
          await page.waitForSelector(ready, { state: 'attached' });
          if (then) await then(page);
          await page.waitForFunction(() => !document.querySelector('.state.loading'));
          assert.equal(await page.locator('html').getAttribute('lang'), language === 'zh' ? 'zh-CN' : 'en');
          await page.screenshot({ path: join(folder, `${name}-${language}-${colorScheme}.png`), fullPage: true });
          await page.evaluate(axe);
          const check = async (where) => {
            const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }));
            const told = violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.target} (${(node.any[0] || node.all[0] || node.none[0] || {}).message || ''})`).join(' | ')}`);
            assert.deepEqual(told, [], `${name} ${language} ${colorScheme} ${where}`);
          };
          await check('on a desk');
          await page.setViewportSize(PHONE);
          await check('on a phone');
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          assert(wide <= PHONE.width, `${name} ${language} is ${wide} wide on a phone`);
          await page.screenshot({ path: join(folder, `${name}-${language}-${colorScheme}-phone.png`), fullPage: true });
          await done();
        }
      }
    });
  }

  // A prompt experiment with a bot that stands in for a model: tables, plots and worst moves that cost nothing.
  const asked = join(folder, 'asked.toml');
  writeFileSync(asked, 'name = "asked"\nmodels = ["greedy"]\nvariants = ["standard", "bare"]\nanchors = ["random"]\nrulesets = ["cowboy-duel"]\ngates = ["bank", "games"]\nblocks = 6\n[bank]\npositions = 24\n');
  spawnSync(kit.standoff, ['experiment', asked, '--store', kit.store, '--report', join(folder, 'asked'), '--analyze', '4', '--nodes', '50'], { stdio: 'ignore' });
  execFileSync(kit.standoff, ['leaderboard', '--tournament', 'cup', '--store', kit.store, '--report', join(folder, 'cup'), '--analyze', '4', '--nodes', '50'], { stdio: 'ignore' });
  for (const name of ['cup', 'asked']) {
    await test(`the report of ${name}: both languages, both themes, on a desk and on a phone, nothing cut off`, async () => {
      for (const language of ['en', 'zh']) {
        for (const colorScheme of ['light', 'dark']) {
          const { page, done } = await kit.open(`api/v1/tournaments/${name}/report?lang=${language}`, { colorScheme, viewport: { width: 1100, height: 900 } });
          await page.waitForSelector('.contents a');
          assert.equal(await page.locator('html').getAttribute('lang'), language === 'zh' ? 'zh-CN' : 'en');
          for (const width of [1100, PHONE.width]) {
            await page.setViewportSize({ width, height: 900 });
            const wide = await page.evaluate(() => document.documentElement.scrollWidth);
            assert(wide <= width, `${name} ${language} is ${wide} wide on ${width}`);
            await page.screenshot({ path: join(folder, `report-${name}-${language}-${colorScheme}-${width}.png`), fullPage: true });
          }
          const dead = await page.evaluate(() => [...document.querySelectorAll('.contents a')].map((link) => link.getAttribute('href')).filter((href) => !document.querySelector(href)));
          assert.deepEqual(dead, []);
          await page.locator('main a[href*="/m/"]:visible').first().click();
          await page.waitForSelector('#verified.good');
          await done();
        }
      }
    });
  }

  await test('a tournament has its bracket, its standings, its games and its report', async () => {
    const { page, context, done } = await kit.open('tournaments');
    await page.locator('tbody a', { hasText: 'cup' }).click();
    await page.waitForSelector('.bracket .won');
    assert.equal(await page.locator('.bracket-round').count(), 2);
    assert.match(await page.locator('.bracket').textContent(), /bye/);
    const [report] = await Promise.all([context.waitForEvent('page'), page.locator('a', { hasText: 'Open the report' }).click()]);
    await report.waitForSelector('table');
    await page.locator('section a[href^="/m/"]').first().click();
    await page.waitForSelector('#verified.good');
    await done();
  });

  await test('tournaments: who works on many machines, and what calls wait for, as soon as somebody does', async () => {
    const waiting = [
      { limit: 'requests', run: null, endpoint: 'https://models.test/v1', calls: 5, games: 3, since: Date.now() - 12_000 },
      { limit: 'money', run: 'cup-1', endpoint: null, calls: 1, games: 1, since: Date.now() },
    ];
    const worker = { version: '1', since: 0, heard: Date.now(), lost: false, threads: 2, concurrency: 16, jobs: 2, jobs_over: 7, games_per_second: 0.5, answers_per_second: 9.8 };
    const run = { run: 'cup-1', waiting: 4, under_way: 2, over: 0, set_aside: 1, usd: 0.25, max_usd: 2, calls: 80, max_calls: null };
    const work = { worker_count: 2, workers: [{ name: 'host 1', ...worker }, { name: null, ...worker }], run_count: 1, runs: [run], waiting };
    for (const [locale, told, unnamed] of [['en-GB', /5 calls of 3 games: requests per minute \(https:\/\/models.test\/v1\) for 1\d s/, 'Worker 2'], ['zh-CN', /3 局的 5 次调用：.*每分钟的请求数.*已持续 1\d 秒/, '工作进程 2']]) {
      const { page, done } = await kit.open('tournaments', { locale, viewport: PHONE });
      await page.waitForSelector('table');
      assert.equal(await page.locator('#work').isVisible(), false);
      await page.route('**/api/v1/work', (route) => route.fulfill({ json: work }));
      await page.locator('nav a[href$="/ladder"]').first().click();
      await page.locator('nav a[href$="/tournaments"]').first().click();
      await page.waitForSelector('#work table');
      const text = await page.locator('#work').innerText();
      assert.match(text, told);
      for (const word of ['host 1', unnamed, '$0.25 / $2.00', 'cup-1']) assert.ok(text.includes(word), `${word}: ${text}`);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), true);
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run('#work', { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }));
      assert.deepEqual(violations.map((one) => one.id), []);
      await done();
    }
  });

  await test('the language is switched in the middle of a match, and kept', async () => {
    const { page, done } = await kit.open(`m/${over.id}`);
    await page.waitForSelector('#verified.good');
    await page.locator('#language').click();
    await page.waitForFunction(() => document.querySelector('#verified.good')?.textContent === '已验证');
    assert.equal(await page.locator('html').getAttribute('lang'), 'zh-CN');
    assert.match(await page.locator('.log').textContent(), /对局结束/);
    assert.equal(await page.evaluate(() => document.activeElement.id), 'language');
    await page.reload();
    await page.waitForFunction(() => document.querySelector('#verified.good')?.textContent === '已验证');
    await page.locator('#theme').selectOption('dark');
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(20, 23, 29)');
    await page.locator('#language').click();
    await page.waitForFunction(() => document.querySelector('#verified.good')?.textContent === 'Verified');
    await done();
  });

  await test('the policy is strict, and nothing is asked of anybody else', async () => {
    const response = await fetch(kit.address);
    const policy = response.headers.get('content-security-policy');
    for (const part of ["script-src 'self'", "style-src 'self'", "img-src 'self' data:"]) assert(policy.includes(part), policy);
    assert(!/unsafe|\*/.test(policy), policy);
    assert(!/<script(?![^>]*src=)|style=| on\w+=/.test(await response.text()));
  });
}
