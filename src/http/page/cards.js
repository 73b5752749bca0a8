/** Matches in lists: a small live board, a row of a table. */
import { to } from './api.js';
import { chip, h, svg } from './dom.js';

/** Who plays: letters in their colours, and names. */
export function who(summary, text) {
  return h('span', { class: 'who' }, summary.seats.map((one, at) => [
    at > 0 && summary.seats.length === 2 ? h('span', { class: 'soft' }, text.matches.versus) : null,
    h('span', { class: 'one' }, chip(one.seat), h('span', {}, one.kind === 'open' ? text.matches.open : one.player)),
  ]));
}

/** Seconds since a moment, whichever way the server writes it. */
export function since(moment) {
  const then = typeof moment === 'number' ? (moment > 1e12 ? moment : moment * 1000) : Date.parse(moment);
  return Number.isNaN(then) ? null : Math.max(0, (Date.now() - then) / 1000);
}

/** Seconds without a turn after which nobody seems to be playing any more. */
const IDLE = 120;

/** Whether a match is on only in name. */
export const idle = (summary) => summary.status === 'playing' && since(summary.updated || summary.created) > IDLE;

/** A moment in words. */
export function ago(moment, text) {
  const seconds = since(moment);
  return seconds === null ? '' : text.ago(seconds);
}

/** How it ended, in a few words. */
export function verdict(outcome, seats, text) {
  if (!outcome) return '';
  const first = Object.keys(outcome.places).filter((seat) => outcome.places[seat] === 1);
  if (first.length !== 1) return text.matches.draw;
  const winner = seats.find((one) => one.seat === first[0]);
  return text.matches.won(winner ? `${first[0]} ${winner.player}` : first[0]);
}

/** What has become of a match: waiting, live, how it ended. */
export function standing(summary, text) {
  if (summary.status === 'over') return verdict(summary.outcome, summary.seats, text);
  return text.matches.states[summary.status] || summary.status;
}

/** A card with a live board in it. `update` takes a newer summary. */
export function boardCard(summary, page) {
  const board = svg('svg', {});
  const head = h('span', { class: 'card-head' });
  const foot = h('span', { class: 'card-foot' });
  const element = h('a', { class: 'card board-card', href: to('m', summary.match_id), 'data-match': summary.match_id }, head, h('span', { class: 'board-box' }, board), foot);
  let drawn = null;
  const update = (newer) => {
    const { text } = page;
    const { scene } = newer;
    head.replaceChildren(h('strong', {}, newer.ruleset), h('span', { class: `badge ${newer.status}` }, text.matches.states[newer.status] || newer.status));
    foot.replaceChildren(who(newer, text), h('span', { class: 'soft' }, newer.outcome ? verdict(newer.outcome, newer.seats, text) : text.match.turn(newer.turn)));
    if (!scene || (drawn && drawn.turn === scene.turn && drawn.ruleset === scene.ruleset)) return;
    drawn = scene;
    StandoffBoard.draw(board, scene, { axes: false, animate: true });
    board.setAttribute('aria-hidden', 'true');
  };
  update(summary);
  return { element, update, id: summary.match_id };
}

/** Live boards, at most so many: newer matches take the places of those that are over, or, with `renew`, of the oldest. */
export class Boards {
  constructor(page, box, most, kind, renew = false) {
    Object.assign(this, { page, box, most, renew, cards: new Map(), over: new Set(), waiting: new Map() });
    this.grid = h('div', { class: kind });
  }

  get size() { return this.cards.size; }

  /** Takes newer summaries in. */
  take(summaries) {
    for (const summary of summaries) {
      const id = summary.match_id;
      if (summary.status === 'over') this.over.add(id);
      const known = this.cards.get(id);
      if (known) known.update(summary);
      else if (summary.status === 'playing' || summary.status === 'open') this.waiting.set(id, summary);
      else this.waiting.delete(id);
    }
    // Where there is no place for all, the newest have it; the others wait until one is free.
    const ended = [...this.cards.keys()].filter((id) => this.over.has(id)).length;
    const free = this.renew ? this.most : this.most - this.cards.size + ended;
    const placed = free > 0 ? [...this.waiting.values()].slice(-free) : [];
    for (const summary of placed) {
      this.waiting.delete(summary.match_id);
      this.add(summary);
    }
    if (this.renew) this.waiting.clear();
  }

  add(summary) {
    if (this.cards.size >= this.most) {
      const gone = [...this.cards.keys()].find((id) => this.over.has(id)) ?? this.cards.keys().next().value;
      this.cards.get(gone).element.remove();
      this.cards.delete(gone);
    }
    if (!this.grid.isConnected) this.box.replaceChildren(this.grid);
    const card = boardCard(summary, this.page);
    this.cards.set(summary.match_id, card);
    this.grid.prepend(card.element);
  }
}

/** Matches as a table that becomes a list on a phone. */
export function table(summaries, page) {
  const text = page.text.matches;
  const head = h('tr', {}, [text.game, text.players, text.length, text.result, text.when].map((name, at) => h('th', { scope: 'col', class: at === 2 ? 'number' : null }, name)));
  return h('div', { class: 'wide', tabindex: 0 }, h('table', { class: 'matches' }, h('thead', {}, head), h('tbody', {}, summaries.map((one) => row(one, page)))));
}

function row(summary, page) {
  const text = page.text;
  const link = h('a', { href: to('m', summary.match_id) }, summary.ruleset);
  return h('tr', {}, h('th', { scope: 'row' }, link), h('td', {}, who(summary, text)),
    h('td', { class: 'number', 'data-label': text.matches.length }, summary.turn), h('td', { class: `standing ${summary.status}` }, standing(summary, text)), h('td', { class: 'soft' }, ago(summary.updated || summary.created, text)));
}
