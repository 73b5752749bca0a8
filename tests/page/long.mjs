// A thousand turns stay smooth: few elements, quick steps, memory that does not grow with the match.
import assert from 'node:assert/strict';

export default async function long(kit) {
  await kit.test('a match of two thousand turns is watched and scrubbed smoothly', async () => {
    const turns = 2000;
    const { id } = await kit.played({ ruleset: { base: 'paint', turns }, seats: ['random', 'random', 'random', 'random'], ticks: false });
    const { page, done } = await kit.open(`m/${id}`);
    await page.waitForSelector('#result');
    const size = () => page.evaluate(() => document.querySelectorAll('*').length);
    const before = await size();
    const took = await page.evaluate(async (count) => {
      const range = document.querySelector('#scrub');
      const at = document.querySelector('#at-turn');
      const times = [];
      for (let step = 0; step < 60; step++) {
        const turn = Math.round(((step * 37) % 61) * (count / 61));
        const begun = performance.now();
        range.value = String(turn);
        range.dispatchEvent(new Event('input', { bubbles: true }));
        while (!at.textContent.includes(` ${turn} `)) await new Promise((next) => { requestAnimationFrame(next); });
        times.push(performance.now() - begun);
      }
      return times.sort((one, other) => one - other);
    }, turns);
    const [middle, worst] = [took[30], took[59]];
    console.log(`     a jump: ${middle.toFixed(0)} ms in the middle, ${worst.toFixed(0)} ms at the worst; ${await size()} elements`);
    assert(middle < 250, `${middle} ms`);
    assert((await size()) < before + 600, `${await size()} elements`);
    assert((await size()) < 3000);
    assert((await page.locator('.log li').count()) <= 40);
    await done();
  });

  await kit.test('a match at full speed is followed live without falling behind', async () => {
    const { match_id: id } = await kit.match({ ruleset: { base: 'paint', turns: 3000 }, seats: ['random', 'random'], ticks: false });
    const { page, done } = await kit.open(`m/${id}`);
    await page.waitForSelector('#result', { timeout: 120_000 });
    await page.waitForFunction(() => document.querySelector('#scrub').value === '3000');
    assert((await page.evaluate(() => document.querySelectorAll('*').length)) < 3000);
    await done();
  });
}
