/** An invitation: a name, and the seat is yours. */
import { call, kept, path, seatsOf, to } from './api.js';
import { fill, h, loading } from './dom.js';
import { who } from './cards.js';
import { takeSeat } from './gathering.js';

export async function show(root, params, page) {
  const text = page.text.join;
  page.title(text.title);
  const there = to('m', params.id);
  if (seatsOf(params.id).length) { page.go(there); return; }
  fill(root, h('h1', {}, text.title), loading(page.text.loading));
  // Beyond this machine an invitation may be all that one has: then the match cannot be looked at before it is joined.
  const view = await call(path(['matches', params.id]), { signal: page.signal, quiet: Boolean(params.invite) }).catch((error) => { if (error.status === 401 && params.invite) return null; throw error; });
  if (view && !view.seats.some((one) => one.kind === 'open')) {
    fill(root, h('h1', {}, text.title), h('p', { class: 'lead' }, text.full), h('p', {}, h('a', { class: 'button primary', href: there }, text.watch)));
    return;
  }
  const name = h('input', { id: 'your-name', maxlength: 40, autocomplete: 'nickname', value: kept.read('name') || '' });
  const refusal = h('p', { class: 'refusal', role: 'alert' });
  const take = h('button', { type: 'submit', class: 'primary huge', id: 'take' }, text.take);
  const form = h('form', { class: 'panel narrow' }, h('p', { class: 'field' }, h('label', { for: 'your-name' }, text.name), name), h('p', { class: 'row' }, take, h('a', { class: 'button quiet', href: there }, text.watch)), refusal);
  fill(root, h('h1', {}, text.title), view ? [h('p', { class: 'lead' }, text.lead(view.ruleset)), h('p', {}, who(view, page.text))] : null, form);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    refusal.textContent = '';
    take.setAttribute('aria-busy', 'true');
    kept.write('name', name.value.trim() || null);
    try {
      await takeSeat(params.id, page, { invite: params.invite, name: name.value.trim() });
      page.go(there);
    } catch (error) {
      take.removeAttribute('aria-busy');
      refusal.textContent = page.why(error);
    }
  });
}
