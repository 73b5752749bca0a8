/** Who was winning: one line per seat over the turns, and the moves that cost most. */
import { chip, fill, h, svg } from './dom.js';

const WIDE = 1000;
const HIGH = 160;
/** More points than this nobody can see. */
const MOST_POINTS = 600;
const WORST = 5;

export class Curve {
  constructor(analysis, page, jump) {
    this.page = page;
    this.win = analysis.win || [];
    const text = page.text.match;
    this.seats = [...new Set(this.win.flatMap((one) => Object.keys(one)))].filter((key) => key !== 'turn').sort();
    this.last = Math.max(1, ...this.win.map((one) => one.turn));
    const every = Math.max(1, Math.ceil(this.win.length / MOST_POINTS));
    const points = this.win.filter((_, at) => at % every === 0 || at === this.win.length - 1);
    const known = (seat) => points.filter((one) => typeof one[seat] === 'number');
    const lines = this.seats.map((seat) => svg('path', {
      class: `curve h${StandoffBoard.hue(seat)}`, d: known(seat).map((one, at) => `${at ? 'L' : 'M'}${this.x(one.turn)} ${this.y(one[seat])}`).join(''),
    }));
    this.cursor = svg('path', { class: 'cursor' });
    const chart = svg('svg', { class: 'curves', viewBox: `0 -6 ${WIDE} ${HIGH + 12}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      [0, 0.5, 1].map((share) => svg('path', { class: 'grid', d: `M0 ${this.y(share)}H${WIDE}` })), lines, this.cursor);
    chart.addEventListener('click', (event) => {
      const box = chart.getBoundingClientRect();
      jump(Math.round(((event.clientX - box.left) / box.width) * this.last));
    });
    this.legend = h('p', { class: 'legend' });
    const worst = (analysis.moves || []).filter((move) => move.loss > 0.005).sort((one, other) => other.loss - one.loss).slice(0, WORST);
    const list = worst.map((move) => h('li', {}, h('button', { type: 'button', class: 'quiet', on: { click: () => jump(move.turn) } }, text.turn(move.turn)), chip(move.seat), h('span', {}, move.words[page.language]),
      h('span', { class: 'cost' }, text.cost((100 * move.loss).toFixed(0))), move.best ? h('span', { class: 'soft' }, text.better(move.best_words[page.language])) : null));
    this.element = h('div', { class: 'analysis' }, h('h2', {}, text.analysed), chart, this.legend, list.length ? [h('h2', {}, text.worst), h('ol', { class: 'worst' }, list)] : null);
  }

  x(turn) {
    return Math.round((turn / this.last) * WIDE * 10) / 10;
  }

  y(share) {
    return Math.round((1 - share) * HIGH * 10) / 10;
  }

  /** Marks a turn and tells the shares there. */
  at(turn) {
    this.cursor.setAttribute('d', `M${this.x(turn)} -6V${HIGH + 6}`);
    let near = this.win[0];
    for (const one of this.win) if (one.turn <= turn) near = one;
    if (near) fill(this.legend, this.seats.filter((seat) => typeof near[seat] === 'number').map((seat) => h('span', { class: 'one' }, chip(seat), `${Math.round(100 * near[seat])} %`)));
  }
}
