/** Every match that the store has, the newest first. */
import { call, path } from './api.js';
import { table } from './cards.js';
import { empty, fill, h, loading } from './dom.js';
import { rulesets } from './house.js';

const PAGE = 30;

export async function show(root, params, page) {
  const text = page.text.matches;
  page.title(text.title);
  const option = (value, label) => h('option', { value }, label);
  const ruleset = h('select', { id: 'ruleset' }, option('', text.any));
  const status = h('select', { id: 'state' }, option('', text.any), Object.entries(text.states).map(([value, label]) => option(value, label)));
  const player = h('input', { id: 'player', autocomplete: 'off' });
  const list = h('div', { 'aria-live': 'off' });
  const field = (label, input) => h('p', { class: 'field' }, h('label', { for: input.id }, label), input);
  const form = h('form', { class: 'filters' }, field(text.game, ruleset), field(text.status, status), field(text.player, player), h('button', { type: 'submit' }, text.search));
  fill(root, h('h1', {}, text.title), form, list);
  rulesets().then((all) => { for (const one of all) ruleset.append(option(one.name, one.name)); }).catch(() => {});

  let found = [];
  async function load(before) {
    if (!before) { found = []; fill(list, loading(page.text.loading)); }
    try {
      const answer = await call(path(['matches'], { ruleset: ruleset.value, status: status.value, player: player.value.trim(), limit: PAGE, before }), { signal: page.signal });
      found = found.concat(answer.matches);
      const more = answer.next ? h('p', { class: 'row end' }, h('button', { type: 'button', id: 'more', on: { click: () => load(answer.next) } }, text.more)) : null;
      fill(list, found.length ? [table(found, page), more] : empty(text.none, h('a', { class: 'button', href: '#/new' }, page.text.fresh.title)));
    } catch (error) {
      if (!page.signal.aborted) fill(list, h('p', { class: 'refusal', role: 'alert' }, page.why(error)));
    }
  }
  form.addEventListener('submit', (event) => { event.preventDefault(); load(); });
  form.addEventListener('change', () => load());
  await load();
}
