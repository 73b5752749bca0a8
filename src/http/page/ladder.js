/** Who plays better: live ratings after every match, and the leaderboard of record with its intervals. */
import { account } from './account.js';
import { call, path, to } from './api.js';
import { empty, fill, h, loading, svg } from './dom.js';
import { rulesets } from './house.js';

export async function show(root, params, page) {
  const text = page.text.ladder;
  page.title(text.title);
  const ruleset = h('select', { id: 'ruleset' }, h('option', { value: '' }, text.all));
  const live = h('div', {}, loading(page.text.loading));
  const record = h('div', {}, loading(page.text.loading));
  fill(root, h('h1', {}, text.title), h('form', { class: 'filters' }, h('p', { class: 'field' }, h('label', { for: 'ruleset' }, text.ruleset), ruleset)),
    account(page),
    h('section', {}, h('h2', {}, text.live), h('p', { class: 'soft' }, text.live_hint), live), h('section', {}, h('h2', {}, text.record), h('p', { class: 'soft' }, text.record_hint), record));
  rulesets().then((all) => { for (const one of all) ruleset.append(h('option', { value: one.name }, one.name)); }).catch(() => {});
  const told = (box) => (error) => { if (!page.signal.aborted) fill(box, h('p', { class: 'refusal', role: 'alert' }, page.why(error))); };
  const load = () => Promise.all([
    call(path(['ladder'], { ruleset: ruleset.value }), { signal: page.signal }).then(({ ladder }) => fill(live, ladder.length ? liveTable(ladder, text) : empty(text.none))).catch(told(live)),
    call(path(['leaderboard'], { ruleset: ruleset.value }), { signal: page.signal }).then((board) => fill(record, board.players.length ? recordTable(board, text) : empty(text.none))).catch(told(record)),
  ]);
  ruleset.addEventListener('change', load);
  await load();
}

const named = (name) => h('a', { class: 'plain', href: to('p', name) }, name);

/** Titles of columns; those of numbers are marked by a leading `#`. */
const head = (names) => h('thead', {}, h('tr', {}, names.map((name) => h('th', { scope: 'col', class: name.startsWith('#') ? 'number' : null }, name.replace(/^#/, '')))));

function liveTable(ladder, text) {
  const rows = ladder.map((one) => h('tr', {}, h('td', { class: 'place-cell' }, one.place), h('th', { scope: 'row' }, named(one.name), one.kind === 'house' ? [' ', h('span', { class: 'badge' }, text.house)] : null),
    h('td', { class: 'soft' }, one.ruleset), h('td', { class: 'number strong' }, Math.round(one.elo)), h('td', { class: 'number' }, one.games)));
  return h('div', { class: 'wide', tabindex: 0 }, h('table', {}, head([text.place, text.player, text.ruleset, `#${text.rating}`, `#${text.games}`]), h('tbody', {}, rows)));
}

/** The leaderboard that a batch fit gives, with its intervals as bars on one scale. */
export function recordTable(board, text) {
  const all = board.players;
  const low = Math.min(...all.map((one) => one.low));
  const high = Math.max(...all.map((one) => one.high));
  const at = (rating) => (200 * (rating - low)) / Math.max(1, high - low) + 10;
  const rows = all.map((one) => {
    const rank = one.rank_low !== undefined && one.rank_low !== one.rank_high ? `${one.rank_low}–${one.rank_high}` : one.rank;
    const drawing = svg('svg', { class: 'interval', viewBox: '0 0 220 16', 'aria-hidden': 'true' }, svg('path', { class: 'axis', d: 'M0 8H220' }), svg('path', { class: 'span', d: `M${at(one.low).toFixed(1)} 8H${at(one.high).toFixed(1)}` }), svg('circle', { class: 'mean', cx: at(one.rating).toFixed(1), cy: 8, r: 5 }));
    return h('tr', {}, h('td', { class: 'place-cell' }, rank), h('th', { scope: 'row' }, named(one.name)), h('td', { class: 'number strong' }, Math.round(one.rating)),
      h('td', {}, drawing, h('span', { class: 'soft small' }, text.between(Math.round(one.low), Math.round(one.high)))), h('td', { class: 'number' }, one.games),
      h('td', { class: 'number', title: text.record_of(one.wins, one.draws, one.losses) }, `${(100 * one.score).toFixed(1)} %`), h('td', { class: 'number' }, one.best === undefined ? '' : `${Math.round(100 * one.best)} %`));
  });
  return [h('div', { class: 'wide', tabindex: 0 }, h('table', {}, head([text.place, text.player, `#${text.rating}`, text.interval, `#${text.games}`, `#${text.score}`, `#${text.best}`]), h('tbody', {}, rows))), h('p', { class: 'soft small' }, board.anchor ? text.anchor(board.anchor) : text.mean)];
}
