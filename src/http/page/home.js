/** The first screen: a game within one click, what there is to play, what is on. */
import { call, to } from './api.js';
import { Boards, idle, table } from './cards.js';
import { append, empty, fill, h, loading, svg } from './dom.js';
import { demo } from './demo.js';
import { Featured, worthWatching } from './featured.js';
import { follow } from './feed.js';
import { easyBot, glyph, guests, openMatch, quick, rulesets } from './house.js';

export async function show(root, params, page) {
  const text = page.text.home;
  page.title('');
  const trouble = h('p', { class: 'refusal', role: 'alert' });
  const big = h('button', { type: 'button', class: 'primary huge', id: 'play-now' }, text.play);
  const hint = h('p', { class: 'soft' });
  const watch = h('button', { type: 'button', id: 'watch-bots' }, text.watch);
  const board = svg('svg', {});
  const featured = new Featured(page, (seen) => worthWatching(page, seen));
  const stage = h('div', { class: 'hero-board' });
  const hero = h('section', { class: 'hero' },
    h('div', { class: 'hero-words' }, h('h1', {}, text.title), h('p', { class: 'lead' }, text.lead),
      h('div', { class: 'hero-do' }, big, hint), trouble,
      h('p', { class: 'row' }, h('a', { class: 'button', href: to('new') }, text.custom), watch)),
    stage);
  const games = h('div', { class: 'games' }, loading(page.text.loading));
  const live = h('div', {}, loading(page.text.loading));
  const recent = h('div', {}, loading(page.text.loading));
  append(root, [hero,
    section(text.live, live, to('boards'), text.live_all),
    section(text.games, games),
    section(text.recent, recent, to('matches'), text.recent_all)]);
  const plainly = () => {
    fill(stage, h('figure', {}, h('div', { class: 'board-box' }, board), h('figcaption', { class: 'soft' }, text.demo)));
    demo(board, page);
  };
  fill(stage, featured.element);
  featured.run().then((shown) => { if (!shown && !page.signal.aborted) plainly(); });

  const begin = async (button, wanted, how = '') => {
    button.setAttribute('aria-busy', 'true');
    trouble.textContent = '';
    try {
      const opened = await openMatch(await wanted());
      page.go(to('m', opened.match_id) + how);
    } catch (error) {
      trouble.textContent = page.why(error);
      button.removeAttribute('aria-busy');
    }
  };
  let bot = 'greedy';
  const first = async () => (await rulesets())[0];
  big.addEventListener('click', () => begin(big, async () => quick(await first(), bot, page)));
  watch.addEventListener('click', () => begin(watch, async () => ({ ruleset: (await first()).name, seats: [bot, 'search'], language: page.language }), '?play'));

  const boards = new Boards(page, live, 6, 'cards few', true);
  let latest = [];
  follow(page, (matches) => {
    boards.take(matches);
    const ended = matches.filter((one) => one.status === 'over').reverse();
    if (!ended.length) return;
    latest = [...ended, ...latest.filter((old) => !ended.some((one) => one.match_id === old.match_id))].slice(0, 8);
    fill(recent, table(latest, page));
  });
  await Promise.all([
    Promise.all([guests(), first()]).then(([all, game]) => { bot = easyBot(all); hint.textContent = text.play_hint(game.name, bot); }),
    rulesets().then((all) => fill(games, all.map((one) => gameCard(one, page, (button) => begin(button, async () => quick(one, bot, page)))))).catch((error) => fill(games, empty(page.why(error)))),
    call('matches?status=playing&boards=1&limit=6', { signal: page.signal }).then(({ matches }) => {
      boards.take(matches.filter((one) => !idle(one)).reverse());
      if (!boards.size) fill(live, empty(text.none_live));
    }).catch((error) => fill(live, empty(page.why(error)))),
    call('matches?status=over&limit=8', { signal: page.signal }).then(({ matches }) => {
      latest = matches;
      fill(recent, matches.length ? table(matches, page) : empty(text.none));
    }).catch((error) => fill(recent, empty(page.why(error)))),
  ]);
}

const section = (title, content, href, more) => h('section', {}, h('div', { class: 'section-head' }, h('h2', {}, title), href ? h('a', { href }, more) : null), content);

function gameCard(ruleset, page, start) {
  const text = page.text;
  const go = h('button', { type: 'button', class: 'primary', 'aria-label': `${text.home.start}: ${ruleset.name}` }, text.home.start);
  go.addEventListener('click', () => start(go));
  const { min, max } = ruleset.players;
  return h('article', { class: 'card game' }, glyph(ruleset), h('h3', {}, ruleset.name),
    h('p', {}, ruleset.summary[page.language] || ruleset.summary.en), h('p', { class: 'soft small' }, text.fresh.players(min, max)),
    h('p', { class: 'row' }, go, h('a', { class: 'button quiet', href: to('rules', ruleset.name), 'aria-label': `${text.home.rules}: ${ruleset.name}` }, text.home.rules)));
}
