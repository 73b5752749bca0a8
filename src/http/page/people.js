/** Who plays, and how they stand: meters and facts, clocks, tokens and money. */
import { to } from './api.js';
import { bar, chip, clock, fill, h } from './dom.js';

const money = (usd) => `$${usd < 0.1 ? usd.toFixed(4) : usd.toFixed(2)}`;
const thousands = (number) => (number >= 10_000 ? `${(number / 1000).toFixed(number >= 100_000 ? 0 : 1)}k` : String(number));

export class People {
  constructor(page) {
    this.page = page;
    this.list = h('ul', { class: 'people' });
    this.element = h('section', { class: 'panel' }, h('h2', {}, page.text.match.players), this.list);
    this.clocks = [];
  }

  /** `view` tells who they are, `scene` how they stand in the position that is shown. */
  show(view, scene, thoughts = {}) {
    const text = this.page.text.match;
    const live = view.status === 'playing' && scene.turn === view.turn;
    this.clocks = [];
    fill(this.list, view.seats.map((seat) => {
      const one = scene.standings.find((other) => other.seat === seat.seat) || { alive: true, facts: [], meter: null };
      // Who has won is not out, however it ended.
      const alive = one.alive || one.place === 1;
      const acts = live && (view.to_act || []).includes(seat.seat);
      const sealed = live && (view.submitted || []).includes(seat.seat);
      const notes = [];
      if (!alive) notes.push(text.out);
      if (one.place) notes.push(text.place(one.place));
      if (alive && one.facing) notes.push(text.faces[one.facing]);
      notes.push(...one.facts.map((label) => label.text));
      if (seat.timeouts && !one.facts.some((label) => label.term === 'label.late')) notes.push(text.timeouts(seat.timeouts));
      if (seat.tokens) notes.push(text.tokens(thousands(typeof seat.tokens === 'number' ? seat.tokens : (seat.tokens.input || 0) + (seat.tokens.output || 0))));
      if (seat.usd) notes.push(money(seat.usd));
      const mine = seat.seat === view.seat;
      const amount = one.amount ? one.amount.text : '';
      const item = h('li', { class: `person${alive ? '' : ' dead'}${acts ? ' acts' : ''}`, 'data-seat': seat.seat }, chip(seat.seat),
        h('span', { class: 'name' }, seat.kind === 'open' || !seat.player ? text.free : h('a', { class: 'plain', href: to('p', seat.player) }, seat.player), mine ? h('span', { class: 'badge you' }, text.you) : null,
          sealed ? h('span', { class: 'badge' }, text.ready) : acts ? h('span', { class: 'badge acting' }, text.to_act) : null),
        h('span', { class: 'amount' }, amount),
        one.meter && one.meter.of ? bar(seat.seat, one.meter.value / one.meter.of) : null,
        h('span', { class: 'note' }, notes.join(' · ')), thoughts[seat.seat] ? h('q', { class: 'thought' }, thoughts[seat.seat]) : null);
      const left = view.clock_ms && view.clock_ms[seat.seat];
      if (typeof left === 'number') {
        const face = h('span', { class: 'face' });
        item.append(h('span', { class: 'match-clock' }, text.match_clock, ' ', face));
        this.clocks.push({ face, left, runs: acts && !sealed });
      }
      return item;
    }));
  }

  /** Lets the clocks run: so many milliseconds have passed since the view was fetched. */
  tick(passed) {
    for (const one of this.clocks) one.face.textContent = clock(one.left - (one.runs ? passed : 0));
  }
}
