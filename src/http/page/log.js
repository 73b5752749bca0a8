/** What happened, turn by turn, the newest first. Only a window of turns is ever on the page. */
import { to } from './api.js';
import { chip, fill, h } from './dom.js';

/** Turns that are kept on the page. */
const WINDOW = 40;
const MOST_LATEST = 6;
/** Where each tone of a sentence is filed. */
const KINDS = { plain: 'event', hit: 'kills', speech: 'talk' };

/** What a turn has to tell: `{kind, text, seat}`, in order. */
export function lines(turn, page) {
  const { text } = page;
  const found = [];
  for (const failure of turn.failures || []) found.push({ kind: 'event', text: failure });
  for (const [seat, said] of Object.entries(turn.said || {})) found.push({ kind: 'talk', seat, text: text.match.spoke(seat, said) });
  for (const sentence of turn.told || []) found.push({ kind: KINDS[sentence.tone] || 'event', text: sentence.seat ? text.match.spoke(sentence.seat, sentence.text) : sentence.text });
  for (const [seat, why] of Object.entries(turn.reasoning || {})) found.push({ kind: 'thoughts', seat, lead: text.match.thinks(seat), text: why });
  return found;
}

/** The last of what happened, beside the own action: what others did since one acted. */
export class Latest {
  constructor(page) {
    this.page = page;
    this.list = h('ol', { class: 'latest', tabindex: 0, 'aria-label': page.text.match.latest });
    this.element = h('section', { class: 'panel latest-panel' }, this.list);
  }

  show(history, cursor, seats) {
    const key = `${cursor} ${history.at(cursor) ? 1 : 0}`;
    if (key === this.key) return;
    this.key = key;
    const found = [];
    for (let turn = cursor; turn > Math.max(0, cursor - Math.max(1, seats)) && found.length < MOST_LATEST; turn--) {
      const played = history.at(turn);
      if (played) found.push(...lines(played, this.page).filter((line) => line.kind !== 'thoughts').map((line) => h('li', { class: line.kind }, line.text)).reverse());
    }
    fill(this.list, found.slice(0, MOST_LATEST));
    if (!found.length) fill(this.list, h('li', { class: 'soft' }, this.page.text.match.quiet));
  }
}

export class Log {
  constructor(id, page) {
    this.id = id;
    this.page = page;
    this.filter = 'all';
    this.shown = [0, 0];
    const text = page.text.match;
    this.list = h('ol', { class: 'log', tabindex: 0, 'aria-label': text.log, reversed: true });
    this.note = h('p', { class: 'soft small' });
    const filters = ['all', 'kills', 'talk', 'thoughts'].map((name) => h('button', {
      type: 'button', class: 'tab', 'data-filter': name, 'aria-pressed': String(name === 'all'), on: { click: () => this.choose(name) },
    }, text.filter[name]));
    this.filters = h('div', { class: 'tabs', role: 'group', 'aria-label': text.filter.label }, filters);
    this.element = h('section', { class: 'panel log-panel' }, h('div', { class: 'section-head' }, h('h2', {}, text.log), this.filters), this.list, this.note);
  }

  choose(name) {
    this.filter = name;
    for (const button of this.filters.children) button.setAttribute('aria-pressed', String(button.dataset.filter === name));
    const [, cursor] = this.shown;
    this.shown = [0, 0];
    this.show(this.history, cursor);
  }

  /** Shows what led to a turn. What is there already stays. */
  show(history, cursor) {
    this.history = history;
    const first = Math.max(1, cursor - WINDOW + 1);
    const [from, to] = this.shown;
    if (from && cursor > to && cursor - to < WINDOW && first >= from) {
      for (let turn = to + 1; turn <= cursor; turn++) this.list.prepend(...this.entry(turn));
      for (let turn = from; turn < first; turn++) for (const old of this.list.querySelectorAll(`[data-turn="${turn}"]`)) old.remove();
    } else if (first !== from || cursor !== to) {
      const all = [];
      for (let turn = cursor; turn >= first; turn--) all.push(...this.entry(turn));
      fill(this.list, all);
      this.list.scrollTop = 0;
    }
    this.shown = cursor ? [first, cursor] : [0, 0];
    const text = this.page.text.match;
    this.note.textContent = this.list.children.length === 0 ? (this.filter === 'all' ? text.quiet : text.quiet_filter) : first > 1 ? text.earlier : '';
  }

  entry(number) {
    const turn = this.history.at(number);
    if (!turn) return [];
    const wanted = lines(turn, this.page).filter((line) => this.filter === 'all' || line.kind === this.filter);
    if (!wanted.length) return [];
    const told = wanted.map((line) => h('p', { class: line.kind }, line.lead ? [chip(line.seat), h('strong', {}, line.lead), ' '] : line.kind === 'talk' && line.seat ? chip(line.seat) : null, line.text));
    const link = h('a', { class: 'turn-number', href: to('m', this.id, 'turn', number), 'aria-label': this.page.text.match.turn(number) }, number);
    return [h('li', { 'data-turn': number }, link, h('div', {}, told))];
  }
}
