/** One tournament or experiment: how far it is, who leads, the bracket, the report. */
import { call, download, kept, path } from './api.js';
import { verdict, who } from './cards.js';
import { fill, h, loading } from './dom.js';
import { recordTable } from './ladder.js';

/** How often one under way is looked at again, in milliseconds. */
const AGAIN = 4000;
/** So many of the latest games are listed. */
const LATEST = 30;

export async function show(root, params, page) {
  const text = page.text.tournaments;
  page.title(text.title);
  const box = h('div', {}, loading(page.text.loading));
  const title = h('h1', {}, params.id);
  fill(root, title, box);
  const load = async () => {
    const one = await call(path(['tournaments', params.id]), { signal: page.signal });
    const ratings = await call(path(['leaderboard'], { tournament: params.id }), { signal: page.signal }).catch(() => null);
    title.textContent = one.name || params.id;
    page.title(title.textContent);
    fill(box, head(one, page, params.id), bracket(one.bracket, text), standings(one.standings, text), games(one.blocks, page), ratings && ratings.players.length ? h('section', {}, h('h2', {}, page.text.ladder.record), recordTable(ratings, page.text.ladder)) : null);
    if (!one.finished && !page.signal.aborted) setTimeout(() => load().catch(() => {}), AGAIN);
  };
  await load();
}

function head(one, page, id) {
  const text = page.text.tournaments;
  const meter = h('span', {});
  meter.style.width = `${one.planned ? Math.min(100, (100 * one.games) / one.planned) : one.finished ? 100 : 0}%`;
  const from = path(['tournaments', id, 'report'], { lang: page.language });
  const refusal = h('p', { class: 'refusal', role: 'alert' });
  // A link shows no token: where one is needed the report comes as a file.
  const report = kept.read('token')
    ? h('button', { type: 'button', on: { click: () => download(from, `${id}.html`).catch((error) => { refusal.textContent = page.why(error); }) } }, text.open_report)
    : h('a', { class: 'button', href: `api/v1/${from}`, target: '_blank', rel: 'noopener' }, text.open_report);
  return h('div', { class: 'tournament-head' }, h('p', { class: 'row' }, h('span', { class: `badge ${one.finished ? '' : 'playing'}` }, one.finished ? text.finished : text.running), h('span', {}, text.kind[one.kind] || one.kind), h('span', { class: 'soft' }, text.games(one.games, one.planned)), one.faults.length ? h('span', { class: 'soft' }, text.faults(one.faults.length)) : null),
    h('div', { class: 'meter', 'aria-hidden': 'true' }, meter), one.finished ? null : h('p', { class: 'soft small' }, text.refreshed), h('p', { class: 'row' }, report), refusal);
}

function standings(all, text) {
  if (!all || !all.length) return null;
  const columns = [text.player, `#${text.points}`, `#${text.won}`, `#${text.drawn}`, `#${text.lost}`, `#${text.score}`];
  const titles = columns.map((name) => h('th', { scope: 'col', class: name.startsWith('#') ? 'number' : null }, name.replace(/^#/, '')));
  const number = (value) => h('td', { class: 'number' }, value);
  const rows = all.map((one) => h('tr', {}, h('th', { scope: 'row' }, one.name), number(one.points), number(one.wins), number(one.draws), number(one.losses), number(typeof one.score === 'number' ? `${(100 * one.score).toFixed(1)} %` : '')));
  return h('section', {}, h('h2', {}, text.standings), h('div', { class: 'wide' }, h('table', {}, h('thead', {}, h('tr', {}, titles)), h('tbody', {}, rows))));
}

function bracket(rounds, text) {
  if (!rounds || !rounds.length) return null;
  const side = (tie, name, points, first) => h('li', { class: tie.winner && tie.winner === name ? 'won' : null }, h('span', {}, name || (first && tie.upper && !tie.lower ? text.bye : text.to_come)), h('span', { class: 'soft' }, tie.blocks ? points : ''));
  return h('section', {}, h('h2', {}, text.bracket), h('div', { class: 'bracket', tabindex: 0, role: 'group', 'aria-label': text.bracket }, rounds.map((ties, at) => h('div', { class: 'bracket-round' }, h('h3', {}, text.round(at + 1)),
    h('div', { class: 'bracket-ties' }, ties.map((tie) => h('ul', { class: 'pairing' }, side(tie, tie.upper, tie.points, at === 0), side(tie, tie.lower, tie.blocks - tie.points, at === 0))))))));
}

function games(blocks, page) {
  const text = page.text.tournaments;
  const latest = blocks.flatMap((block) => block.games.map((game) => ({ ...game, ruleset: block.ruleset }))).slice(-LATEST).reverse();
  if (!latest.length) return null;
  const rows = latest.map((game) => {
    const seats = game.players.map((player, at) => ({ seat: Object.keys(game.places)[at], player }));
    return h('tr', {}, h('th', { scope: 'row' }, h('a', { href: `#/m/${encodeURIComponent(game.match_id)}` }, game.ruleset)), h('td', {}, who({ seats }, page.text)), h('td', {}, verdict({ places: game.places }, seats, page.text)));
  });
  const titles = [page.text.matches.game, page.text.matches.players, page.text.matches.result].map((name) => h('th', { scope: 'col' }, name));
  return h('section', {}, h('h2', {}, text.latest), h('div', { class: 'wide' }, h('table', {}, h('thead', {}, h('tr', {}, titles)), h('tbody', {}, rows))));
}
