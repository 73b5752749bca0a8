/** Every match that the store has, the newest first. */
import { call, path, to } from './api.js';
import { table } from './cards.js';
import { empty, fill, h, loading } from './dom.js';
import { follow } from './feed.js';
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
  let asked = 0;
  async function load(before) {
    asked += 1;
    const question = asked;
    if (!before) { found = []; fill(list, loading(page.text.loading)); }
    try {
      const answer = await call(path(['matches'], { ruleset: ruleset.value, status: status.value, player: player.value.trim(), limit: PAGE, before }), { signal: page.signal });
      // Something else was asked in the meantime.
      if (question !== asked) return;
      // What has begun or moved on in the meantime is there already, and newer.
      found = found.concat(answer.matches.filter((one) => !found.some((newer) => newer.match_id === one.match_id)));
      const more = answer.next ? h('p', { class: 'row end' }, h('button', { type: 'button', id: 'more', on: { click: () => load(answer.next) } }, text.more)) : null;
      fill(list, found.length ? [table(found, page), more] : empty(text.none, h('a', { class: 'button', href: to('new') }, page.text.fresh.title)));
    } catch (error) {
      if (!page.signal.aborted) fill(list, h('p', { class: 'refusal', role: 'alert' }, page.why(error)));
    }
  }
  // What moves on is shown where it stands; what begins comes on top, if it is what was asked for.
  follow(page, (newer) => {
    if (!list.querySelector('table, .state')) return;
    const fits = (one) => (!ruleset.value || one.ruleset === ruleset.value) && (!status.value || one.status === status.value) && (!player.value.trim() || one.seats.some((seat) => seat.player === player.value.trim()));
    let changed = false;
    for (const one of newer) {
      const at = found.findIndex((old) => old.match_id === one.match_id);
      if (at >= 0) found[at] = one;
      else if (fits(one)) found.unshift(one);
      changed = changed || at >= 0 || fits(one);
    }
    const old = list.querySelector('.wide, .state');
    if (changed && old && found.length) old.replaceWith(table(found, page));
  });
  form.addEventListener('submit', (event) => { event.preventDefault(); load(); });
  form.addEventListener('change', () => load());
  await load();
}
