/** Who one is on this server: a name whose matches count for the ranking, held by a token in this browser. */
import { call, kept, to } from './api.js';
import { fill, h } from './dom.js';
import { rulesets } from './house.js';

/** How often a waiting player asks whether somebody has come, in milliseconds. */
const ASK_AGAIN = 1000;

export function account(page) {
  const text = page.text.account;
  const box = h('section', { class: 'panel narrow account' });
  const refusal = h('p', { class: 'refusal', role: 'alert' });

  function stranger() {
    const name = h('input', { id: 'account-name', maxlength: 40, autocomplete: 'nickname', value: kept.read('name') || '' });
    const token = h('input', { id: 'account-token', autocomplete: 'off', spellcheck: 'false' });
    const form = h('form', {}, h('label', { for: 'account-name' }, text.lead), h('div', { class: 'row' }, name, h('button', { type: 'submit', class: 'primary', id: 'register' }, text.take)));
    const known = h('form', {}, h('label', { for: 'account-token' }, text.label), h('div', { class: 'row' }, token, h('button', { type: 'submit' }, page.text.token.send)));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      attempt(async () => {
        const made = await call('players', { body: { name: name.value.trim() } });
        kept.write('name', made.name);
        kept.write('token', made.token);
        somebody(made.name, made.token);
      });
    });
    known.addEventListener('submit', (event) => {
      event.preventDefault();
      attempt(async () => {
        kept.write('token', token.value.trim());
        somebody((await call('players/me', { quiet: true })).name);
      });
    });
    fill(box, h('h2', {}, text.title), form, refusal, h('details', {}, h('summary', {}, text.have), known));
  }

  function somebody(name, token) {
    const leave = h('button', { type: 'button', class: 'quiet', on: { click: () => { kept.write('token', null); stranger(); } } }, text.leave);
    fill(box, h('h2', {}, text.title), h('p', { class: 'row', id: 'account' }, h('strong', {}, text.you(name)), leave), queue(),
      token ? h('p', {}, h('label', { for: 'own-token' }, text.token), h('input', { id: 'own-token', class: 'token', readonly: true, value: token, on: { focus: (event) => event.target.select() } })) : null);
  }

  /** Waits for somebody of equal strength. What is found this way counts. */
  function queue() {
    const game = h('select', { id: 'queue-game', 'aria-label': page.text.ladder.ruleset });
    rulesets().then((all) => fill(game, all.filter((one) => one.players.max > 1).map((one) => h('option', { value: one.name }, one.name)))).catch(() => {});
    const pace = h('select', { id: 'queue-pace', 'aria-label': text.pace }, h('option', { value: 'live' }, text.live), h('option', { value: 'own_pace' }, text.own_pace));
    const find = h('button', { type: 'submit', class: 'primary', id: 'queue' }, text.find);
    const note = h('p', { class: 'soft small', role: 'status' });
    let waiting = false;
    const told = (answer) => {
      waiting = answer.status === 'waiting';
      find.textContent = waiting ? page.text.cancel : text.find;
      note.textContent = waiting ? text.waiting : '';
      if (answer.status === 'matched') page.go(to('m', answer.match_id));
      else if (waiting) setTimeout(() => { if (waiting && !page.signal.aborted) attempt(async () => told(await call('matches/queue/status', { signal: page.signal }))); }, ASK_AGAIN);
    };
    const form = h('form', { class: 'queue' }, h('div', { class: 'row' }, game, pace, find), note);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const leaves = waiting;
      waiting = false;
      attempt(async () => told(leaves ? await call('matches/queue', { method: 'DELETE' }) : await call('matches/queue', { body: { mode: game.value, pace: pace.value } })));
    });
    return [form, refusal];
  }

  async function attempt(does) {
    refusal.textContent = '';
    try { await does(); } catch (error) { refusal.textContent = page.why(error); }
  }

  stranger();
  // The token may be the server's own, which is nobody's name.
  if (kept.read('token')) call('players/me', { signal: page.signal, quiet: true }).then((me) => somebody(me.name)).catch(() => {});
  return box;
}
