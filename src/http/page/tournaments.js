/** Tournaments and experiments of the store: those under way and those that are over. */
import { call, to } from './api.js';
import { ago } from './cards.js';
import { empty, fill, h, loading } from './dom.js';
import { panel } from './work.js';

export async function show(root, params, page) {
  const text = page.text.tournaments;
  page.title(text.title);
  fill(root, h('h1', {}, text.title), loading(page.text.loading));
  const { tournaments } = await call('tournaments', { signal: page.signal });
  const row = (one) => h('tr', {}, h('th', { scope: 'row' }, h('a', { href: to('t', one.id) }, one.name)), h('td', {}, text.kind[one.kind] || one.kind),
    h('td', {}, h('span', { class: `badge ${one.finished ? '' : 'playing'}` }, one.finished ? text.finished : text.running)), h('td', {}, text.games(one.games, one.planned)), h('td', { class: 'soft' }, ago(one.created, page.text)));
  const head = [text.name, text.kind.label, text.state, text.progress, text.date].map((name) => h('th', { scope: 'col' }, name));
  fill(root, h('h1', {}, text.title), tournaments.length
    ? h('div', { class: 'wide list', tabindex: 0 }, h('table', {}, h('thead', {}, h('tr', {}, head)), h('tbody', {}, tournaments.map(row))))
    : empty(text.none, h('p', {}, text.hint), h('pre', { tabindex: 0 }, 'standoff tournament --init > cup.toml\nstandoff tournament cup.toml')), panel(page));
}
