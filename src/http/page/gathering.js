/** A match that waits for players: the invitation, and the seats that are free. */
import { call, inviteOf, keepSeats, kept, path, to } from './api.js';
import { copy, fill, h } from './dom.js';

export class Gathering {
  constructor(id, page, joined) {
    Object.assign(this, { id, page, joined });
    this.element = h('section', { class: 'panel gathering', hidden: true });
  }

  show(view) {
    const open = view.seats.filter((one) => one.kind === 'open').map((one) => one.seat);
    this.element.hidden = view.status !== 'open';
    const key = `${open.join()} ${this.page.language}`;
    if (this.element.hidden || key === this.drawn) return;
    this.drawn = key;
    const text = this.page.text.match;
    const invite = inviteOf(this.id);
    const address = new URL(to('join', this.id, ...(invite ? [invite] : [])), location.href).href;
    const field = h('input', { id: 'invite', readonly: true, value: address, on: { focus: (event) => event.target.select() } });
    const button = h('button', { type: 'button', class: 'primary', on: { click: () => copy(button, address, this.page.text.copied) } }, text.copy);
    const refusal = h('p', { class: 'refusal', role: 'alert' });
    const take = open.map((seat) => h('button', { type: 'button', 'data-take': seat, on: { click: () => this.take(seat, refusal) } }, text.take(seat)));
    fill(this.element, h('h2', {}, text.invite), h('label', { for: 'invite' }, text.invite_hint), h('div', { class: 'row' }, field, button), h('div', { class: 'row' }, take), refusal);
  }

  async take(seat, refusal) {
    refusal.textContent = '';
    try {
      await takeSeat(this.id, this.page, { seat, invite: inviteOf(this.id) || undefined });
      this.joined();
    } catch (error) {
      refusal.textContent = this.page.why(error);
    }
  }
}

/** Takes a seat and keeps its key. */
export async function takeSeat(id, page, { seat, invite, name }) {
  const { nobody } = page.text.fresh;
  const body = { seat, invite, name: name || kept.read('name') || nobody };
  const taken = await call(path(['matches', id, 'join']), { body });
  keepSeats(id, [{ seat: taken.seat, seat_key: taken.seat_key }]);
  return taken;
}
