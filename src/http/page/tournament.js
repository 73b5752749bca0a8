/** One tournament or experiment: how far it is, who leads, the bracket, the report. */
import { call, download, kept, path, ROOT, text as ask, to } from './api.js';
import { Boards, verdict, who } from './cards.js';
import { fill, h, loading } from './dom.js';
import { Featured } from './featured.js';
import { follow } from './feed.js';
import { recordTable } from './ladder.js';

/** How often one under way is looked at again, in milliseconds. */
const AGAIN = 4000;
/** So many games in play are shown at once. */
const SHOWN = 6;
/** So many of the latest games are listed. */
const LATEST = 30;
/** So many milliseconds the verdict of a growing experiment stays as it is. */
const STAYS = 30_000;

export async function show(root, params, page) {
  const text = page.text.tournaments;
  page.title(text.title);
  const box = h('div', {}, loading(page.text.loading));
  const title = h('h1', {}, params.id);
  fill(root, title, box);
  let said = [];
  let read = null;
  let latest = [];
  const featured = new Featured(page, async (seen) => latest.find((game) => !seen.includes(game.match_id)) || null);
  let running = false;
  // The latest games, one after another at a pace that can be followed.
  const show_games = (one) => {
    latest = one.blocks.flatMap((block) => block.games.map((game) => ({ match_id: game.match_id, ruleset: block.ruleset, turn: 1, seats: game.players.map((player, at) => ({ seat: Object.keys(game.places)[at], player })) }))).reverse();
    if (!running && latest.length) {
      running = true;
      featured.run();
    }
    return latest.length ? h('section', { class: 'watch-games' }, h('h2', {}, text.watch), h('div', { class: 'hero-board' }, featured.element)) : null;
  };
  // Games in play, as they are played.
  const live = h('div', {});
  const boards = new Boards(page, live, SHOWN, 'cards few');
  const in_play = (one) => {
    boards.take(one.playing);
    return boards.size && !one.finished ? h('section', { class: 'in-play' }, h('h2', {}, text.in_play(one.in_play)), live) : null;
  };
  let own = null;
  follow(page, (matches) => boards.take(matches.filter((match) => own && match.match_id.startsWith(`${own}.`))));
  const load = async () => {
    const one = await call(path(['tournaments', params.id]), { signal: page.signal });
    const ratings = await call(path(['leaderboard'], { tournament: params.id }), { signal: page.signal }).catch(() => null);
    own = one.id;
    title.textContent = one.name || params.id;
    page.title(title.textContent);
    const experiment = one.kind === 'experiment';
    // A report is large: it is read again only where it has something new to say.
    const state = `${one.games} ${one.finished}`;
    if (experiment && (!read || (read.state !== state && (one.finished || performance.now() - read.at > STAYS)))) {
      read = { state, at: performance.now() };
      said = await verdictsOf(params.id, page);
    }
    // Whoever compares prompts wants the verdict; a ranking of the variants would say something else.
    if (experiment) {
      fill(box, said.map((sentence) => h('p', { class: 'report-verdict' }, sentence)), head(one, page, params.id), in_play(one), show_games(one), games(one.blocks, page), standings(one.standings, text));
      if (!one.finished && !page.signal.aborted) setTimeout(() => load().catch(() => {}), AGAIN);
      return;
    }
    fill(box, head(one, page, params.id), in_play(one), show_games(one), bracket(one.bracket, text), standings(one.standings, text), games(one.blocks, page), ratings && ratings.players.length ? h('section', {}, h('h2', {}, page.text.ladder.record), recordTable(ratings, page.text.ladder)) : null);
    if (!one.finished && !page.signal.aborted) setTimeout(() => load().catch(() => {}), AGAIN);
  };
  await load();
}

/** The verdicts of a report, a sentence each. */
async function verdictsOf(id, page) {
  const report = await ask(path(['tournaments', id, 'report'], { lang: page.language }), { signal: page.signal }).catch(() => '');
  // Only the sentences are taken: the report has a style of its own, which is not allowed here.
  return [...report.matchAll(/<p class="verdict">([^<]*)<\/p>/g)].map(([, sentence]) => new DOMParser().parseFromString(sentence, 'text/html').body.textContent);
}

function head(one, page, id) {
  const text = page.text.tournaments;
  const meter = h('span', {});
  meter.style.width = `${one.planned ? Math.min(100, (100 * one.games) / one.planned) : 0}%`;
  const from = path(['tournaments', id, 'report'], { lang: page.language });
  const refusal = h('p', { class: 'refusal', role: 'alert' });
  // A link shows no token: where one is needed the report comes as a file.
  const report = kept.read('token')
    ? h('button', { type: 'button', on: { click: () => download(from, `${id}.html`).catch((error) => { refusal.textContent = page.why(error); }) } }, text.open_report)
    : h('a', { class: 'button', href: `${ROOT}api/v1/${from}`, target: '_blank', rel: 'noopener' }, text.open_report);
  const spent = one.spending && one.spending.calls ? h('p', { class: 'soft spending' }, text.spending(one.spending)) : null;
  return h('div', { class: 'tournament-head' }, h('p', { class: 'row' }, h('span', { class: `badge ${one.finished ? '' : 'playing'}` }, one.finished ? text.finished : text.running), h('span', {}, text.kind[one.kind] || one.kind), one.games || one.planned || one.kind !== 'experiment' ? h('span', { class: 'soft' }, text.games(one.games, one.planned)) : null, one.faults.length ? h('span', { class: 'soft' }, text.faults(one.faults.length)) : null),
    spent, one.finished ? null : h('div', { class: 'meter', 'aria-hidden': 'true' }, meter), one.finished ? null : h('p', { class: 'soft small' }, text.refreshed), h('p', { class: 'row' }, report), refusal);
}

function standings(all, text) {
  if (!all || !all.length) return null;
  const columns = [text.player, `#${text.points}`, `#${text.won}`, `#${text.drawn}`, `#${text.lost}`, `#${text.score}`];
  const titles = columns.map((name) => h('th', { scope: 'col', class: name.startsWith('#') ? 'number' : null }, name.replace(/^#/, '')));
  const number = (value) => h('td', { class: 'number' }, value);
  const rows = all.map((one) => h('tr', {}, h('th', { scope: 'row' }, h('a', { class: 'plain', href: to('p', one.name) }, one.name)), number(one.points), number(one.wins), number(one.draws), number(one.losses), number(typeof one.score === 'number' ? `${(100 * one.score).toFixed(1)} %` : '')));
  return h('section', {}, h('h2', {}, text.standings), h('div', { class: 'wide', tabindex: 0 }, h('table', {}, h('thead', {}, h('tr', {}, titles)), h('tbody', {}, rows))));
}

function bracket(rounds, text) {
  if (!rounds || !rounds.length) return null;
  const side = (tie, name, points, first) => h('li', { class: tie.winner && tie.winner === name ? 'won' : null }, h('span', {}, name || (first && tie.upper && !tie.lower ? text.bye : text.to_come)), h('span', { class: 'soft' }, tie.blocks ? points : ''));
  return h('section', {}, h('h2', {}, text.bracket), h('div', { class: 'bracket', tabindex: 0, role: 'group', 'aria-label': text.bracket }, rounds.map((ties, at) => h('div', { class: 'bracket-round' }, h('h3', {}, text.round(at + 1)),
    h('div', { class: 'bracket-ties' }, ties.map((tie) => h('div', {}, h('ul', { class: 'pairing' }, side(tie, tie.upper, tie.points, at === 0), side(tie, tie.lower, tie.blocks - tie.points, at === 0)), text.decision[tie.decision] ? h('p', { class: 'soft small' }, text.decision[tie.decision]) : null)))))));
}

function games(blocks, page) {
  const text = page.text.tournaments;
  const latest = blocks.flatMap((block) => block.games.map((game) => ({ ...game, ruleset: block.ruleset }))).slice(-LATEST).reverse();
  if (!latest.length) return null;
  const rows = latest.map((game) => {
    const seats = game.players.map((player, at) => ({ seat: Object.keys(game.places)[at], player }));
    return h('tr', {}, h('th', { scope: 'row' }, h('a', { href: to('m', game.match_id) }, game.ruleset)), h('td', {}, who({ seats }, page.text)), h('td', {}, verdict({ places: game.places }, seats, page.text)));
  });
  const titles = [page.text.matches.game, page.text.matches.players, page.text.matches.result].map((name) => h('th', { scope: 'col' }, name));
  return h('section', {}, h('h2', {}, text.latest), h('div', { class: 'wide', tabindex: 0 }, h('table', {}, h('thead', {}, h('tr', {}, titles)), h('tbody', {}, rows))));
}
