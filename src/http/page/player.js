/** A player: the record over the latest matches, head to head, and what was played. */
import { call, path, to } from './api.js';
import { table } from './cards.js';
import { empty, fill, h, loading, svg } from './dom.js';

/** So many of the latest matches are looked at. */
const MOST = 300;
const PAGE = 100;
const LISTED = 30;

export async function show(root, params, page) {
  const { text } = page;
  const words = text.player;
  page.title(params.name);
  fill(root, h('h1', {}, params.name), loading(text.loading));
  const found = [];
  for (let before; found.length < MOST;) {
    const answer = await call(path(['matches'], { player: params.name, status: 'over', limit: PAGE, before }), { signal: page.signal });
    found.push(...answer.matches);
    before = answer.next;
    if (!before) break;
  }
  if (!found.length) { fill(root, h('h1', {}, params.name), empty(words.none)); return; }
  const totals = [0, 0, 0];
  const rivals = new Map();
  for (const { outcome, seats } of found) {
    const own = seats.find((one) => one.player === params.name);
    if (!own || !outcome) continue;
    for (const other of seats.filter((one) => one.player !== params.name)) {
      const [mine, theirs] = [outcome.places[own.seat], outcome.places[other.seat]];
      const how = mine < theirs ? 0 : mine === theirs ? 1 : 2;
      if (!rivals.has(other.player)) rivals.set(other.player, [0, 0, 0]);
      rivals.get(other.player)[how]++;
    }
    const first = Object.values(outcome.places).filter((place) => place === 1).length;
    totals[outcome.places[own.seat] === 1 ? (first === 1 ? 0 : 1) : 2]++;
  }
  const number = (value) => h('td', { class: 'number' }, value);
  const head = [text.tournaments.player, text.tournaments.won, text.tournaments.drawn, text.tournaments.lost].map((name, at) => h('th', { scope: 'col', class: at ? 'number' : null }, name));
  const rows = [...rivals].sort((one, other) => other[1].reduce((a, b) => a + b) - one[1].reduce((a, b) => a + b)).map(([name, counts]) => h('tr', {}, h('th', { scope: 'row' }, h('a', { class: 'plain', href: to('p', name) }, name)), counts.map(number)));
  fill(root, h('h1', {}, params.name), h('p', { class: 'lead' }, text.ladder.record_of(...totals)), await ratings(found, params.name, page),
    rows.length ? h('section', {}, h('h2', {}, words.against), h('div', { class: 'wide', tabindex: 0 }, h('table', {}, h('thead', {}, h('tr', {}, head)), h('tbody', {}, rows)))) : null,
    h('section', {}, h('h2', {}, words.history), table(found.slice(0, LISTED), page)));
}

/** The live ratings of whoever has that name in these matches, each with the way it took. */
async function ratings(found, name, page) {
  const text = page.text.ladder;
  const known = [...new Set(found.flatMap((match) => match.seats).filter((one) => one.player === name && one.identity && one.identity !== 'guest').map((one) => one.identity))];
  // A name that several have had says nothing about any of them.
  if (known.length !== 1) return null;
  const { points } = await call(path(['players', known[0], 'rating']), { signal: page.signal }).catch(() => ({ points: [] }));
  const by = new Map();
  for (const point of points) by.set(point.ruleset, [...(by.get(point.ruleset) || []), point.elo]);
  if (!by.size) return null;
  const head = [text.ruleset, `#${text.rating}`, `#${text.games}`].map((title) => h('th', { scope: 'col', class: title.startsWith('#') ? 'number' : null }, title.replace(/^#/, '')));
  const rows = [...by].map(([ruleset, elos]) => h('tr', {}, h('th', { scope: 'row' }, ruleset), h('td', { class: 'number strong' }, Math.round(elos[elos.length - 1])), h('td', { class: 'number' }, elos.length), h('td', {}, way(elos))));
  return h('section', {}, h('h2', {}, text.live), h('div', { class: 'wide', tabindex: 0 }, h('table', {}, h('thead', {}, h('tr', {}, head, h('td', {}))), h('tbody', {}, rows))));
}

/** A rating over the matches, as a line. */
function way(elos) {
  if (elos.length < 2) return null;
  const [low, high] = [Math.min(...elos), Math.max(...elos)];
  const at = (elo, index) => `${((200 * index) / (elos.length - 1)).toFixed(1)} ${(36 - (32 * (elo - low)) / Math.max(1, high - low)).toFixed(1)}`;
  return svg('svg', { class: 'way', viewBox: '0 0 200 40', 'aria-hidden': 'true' }, svg('path', { d: `M${elos.map(at).join('L')}` }));
}
