/** One's own action: a command and a direction, by buttons, by keys or on the board, and what it would do. */
import { fill, h, icon } from './dom.js';

const PLACES = {
  up: [1, 2], down: [3, 2], left: [2, 1], right: [2, 3], north: [1, 2], south: [3, 2], west: [2, 1], east: [2, 3],
  'north-west': [1, 1], 'north-east': [1, 3], 'south-west': [3, 1], 'south-east': [3, 3],
};
const FOUR = ['up', 'left', 'right', 'down'];
const COMPASS = ['north', 'west', 'east', 'south'];
const EIGHT = ['north-west', 'north', 'north-east', 'west', 'east', 'south-west', 'south', 'south-east'];
const GAMES = {
  cowboy: { verbs: ['move', 'shield', 'shoot'], ways: FOUR },
  paint: { verbs: ['move', 'shoot'], ways: EIGHT },
  // A turn is a move and a shot: each command has a direction of its own, and the middle is to stay or to hold fire.
  royale: { verbs: ['move', 'shoot'], ways: COMPASS, both: true },
};
const LETTERS = { m: 'move', h: 'shield', s: 'shoot' };
const ARROWS = { ArrowUp: [1, 2], ArrowDown: [3, 2], ArrowLeft: [2, 1], ArrowRight: [2, 3] };
const PADS = { 7: [1, 1], 8: [1, 2], 9: [1, 3], 4: [2, 1], 5: [2, 2], 6: [2, 3], 1: [3, 1], 2: [3, 2], 3: [3, 3] };

/** A text without the action that it begins with: that stands beside it already. */
const bare = (text) => text.replace(/^`[^`]*`[:：]\s*/, '');

export class Play {
  /** `act(action)` sends it and resolves to a refusal or nothing; `foresee(events)` draws on the board. */
  constructor(page, { act, foresee }) {
    this.page = page;
    this.act = act;
    this.foresee = foresee;
    this.game = null;
    this.verb = 'move';
    this.ways = {};
    this.previews = null;
    const text = page.text.match;
    this.commands = h('div', { class: 'commands', role: 'group', 'aria-label': text.command });
    this.pad = h('div', { class: 'pad', role: 'group', 'aria-label': text.direction });
    this.go = h('button', { type: 'submit', class: 'primary', id: 'execute', 'aria-keyshortcuts': 'Enter', 'aria-describedby': 'would' }, text.execute, h('kbd', { 'aria-hidden': 'true' }, '↵'));
    this.would = h('p', { class: 'would', id: 'would' });
    this.refusal = h('p', { class: 'refusal', role: 'alert', id: 'refusal' });
    this.element = h('form', { class: 'panel play', id: 'play', on: { submit: (event) => { event.preventDefault(); this.execute(); } } },
      h('h2', {}, text.your_move), h('div', { class: 'controls' }, this.commands, this.pad, h('div', { class: 'do' }, this.go)), this.would, this.refusal);
  }

  /** The position and the match as the own seat sees it. */
  show(view, state) {
    const game = StandoffBoard.picture(state).game;
    if (game !== this.game) {
      this.game = game;
      this.verb = 'move';
      this.ways = {};
      this.build();
    }
    if (this.turn !== view.turn) {
      this.turn = view.turn;
      this.previews = null;
      this.refusal.textContent = '';
      if (!GAMES[game].both) this.ways = {};
    }
    this.view = view;
    this.update();
  }

  /** What every action would do, as the engine says. */
  know(previews) {
    this.previews = new Map(previews.map((one) => [one.action, { ...one, text: bare(one.text) }]));
    this.update();
  }

  build() {
    const { words } = this.page;
    const { verbs, ways, both } = GAMES[this.game];
    const key = Object.fromEntries(Object.entries(LETTERS).map(([letter, verb]) => [verb, letter]));
    fill(this.commands, verbs.map((verb) => h('button', {
      type: 'button', 'data-verb': verb, 'aria-keyshortcuts': key[verb], on: { click: () => this.command(verb) },
    }, h('span', {}, words.verbs[verb]), h('kbd', { 'aria-hidden': 'true' }, key[verb]))));
    const buttons = ways.map((way) => this.square(way, PLACES[way]));
    if (both) buttons.splice(ways.length / 2, 0, this.square(null, [2, 2]));
    fill(this.pad, buttons);
  }

  square(way, [row, col]) {
    const turn = way ? (Math.atan2(row - 2, col - 2) * 180) / Math.PI : undefined;
    return h('button', {
      type: 'button', class: `r${row} c${col}`, 'data-way': way || 'none', 'data-row': row, 'data-col': col, on: { click: () => this.direct(way) },
    }, icon(way ? 'arrow' : 'dot', turn));
  }

  command(verb) {
    if (!GAMES[this.game].verbs.includes(verb)) return;
    this.verb = verb;
    this.refusal.textContent = '';
    this.update();
  }

  direct(way) {
    const slot = GAMES[this.game].both ? this.verb : 'way';
    this.ways[slot] = way;
    this.refusal.textContent = '';
    this.update();
    const told = this.preview();
    this.page.announce([this.page.words.action(this.action() || ''), told ? told.text : ''].filter(Boolean).join('. '));
  }

  /** The direction of a square that somebody pointed at, from the own piece. */
  point(state, seat, [row, col]) {
    const piece = StandoffBoard.picture(state).pieces.find((one) => one.seat === seat);
    if (!piece) return;
    const [down, right] = [row - piece.at[0], col - piece.at[1]];
    if (down === 0 && right === 0) { if (GAMES[this.game].both) this.direct(null); return; }
    // On the same line it is plain which way is meant, however far away.
    if (down !== 0 && right !== 0 && Math.abs(down) !== Math.abs(right)) return;
    const step = [Math.sign(down), Math.sign(right)];
    const way = GAMES[this.game].ways.find((one) => PLACES[one][0] - 2 === step[0] && PLACES[one][1] - 2 === step[1]);
    if (way) this.direct(way);
  }

  /** The chosen action in notation, or nothing while something is missing. */
  action(verb = this.verb, way = this.ways.way) {
    if (!this.game) return null;
    if (GAMES[this.game].both) {
      const move = this.ways.move ? `move ${this.ways.move}` : 'stay';
      return this.ways.shoot ? `${move}, shoot ${this.ways.shoot}` : move;
    }
    return way ? `${verb} ${way}` : null;
  }

  preview(action = this.action()) {
    return (this.previews && action && this.previews.get(action)) || null;
  }

  update() {
    const { words } = this.page;
    const text = this.page.text.match;
    const { both } = GAMES[this.game];
    for (const button of this.commands.children) {
      const verb = button.dataset.verb;
      button.setAttribute('aria-pressed', String(verb === this.verb));
    }
    const chosen = both ? this.ways[this.verb] || null : this.ways.way;
    for (const button of this.pad.children) {
      const way = button.dataset.way === 'none' ? null : button.dataset.way;
      const meant = way ? `${this.verb} ${way}` : this.verb === 'move' ? 'stay' : 'hold';
      const told = both ? null : this.preview(meant);
      const no = told && !told.legal;
      button.setAttribute('aria-pressed', String(way === chosen));
      button.setAttribute('aria-label', no ? `${words.action(meant)}: ${told.text}` : words.action(meant));
      button.title = no ? told.text : words.action(meant);
      button.classList.toggle('no', Boolean(no));
    }
    const action = this.action();
    const told = this.preview();
    this.go.dataset.action = action || '';
    const yours = this.view && this.view.your_turn;
    fill(this.would, action ? h('strong', {}, words.action(action)) : null, action && told ? text.dash : null, told ? told.text : action ? '' : text.nothing_chosen);
    this.would.classList.toggle('no', Boolean(told && !told.legal));
    this.foresee(yours && told && told.legal ? told.events : null);
    this.go.classList.toggle('waiting', !yours);
  }

  async execute() {
    const { words } = this.page;
    const text = this.page.text.match;
    const action = this.action();
    this.refusal.textContent = '';
    if (!this.view.your_turn) {
      const sealed = this.view.your_action_submitted;
      this.refuse(sealed ? text.sealed(words.action(this.view.your_action || '')) : text.waits(words.list(this.view.to_act || [])));
      return;
    }
    if (!action) { this.refuse(text.nothing_chosen); return; }
    if (this.busy) return;
    this.busy = true;
    this.go.setAttribute('aria-busy', 'true');
    const refused = await this.act(action);
    this.busy = false;
    this.go.removeAttribute('aria-busy');
    if (refused) this.refuse(refused);
  }

  refuse(why) {
    fill(this.refusal, h('strong', {}, this.page.text.match.refused), ' ', bare(why));
  }

  /** A key that somebody pressed anywhere on the screen; whether it meant something here. */
  key(event) {
    if (!this.game) return false;
    const letter = LETTERS[event.key.toLowerCase()];
    const place = ARROWS[event.key] || (/^(?:Digit|Numpad)[1-9]$/.test(event.code) ? PADS[event.code.slice(-1)] : null);
    if (letter) this.command(letter);
    else if (place) {
      const button = this.pad.querySelector(`[data-row="${place[0]}"][data-col="${place[1]}"]`);
      if (!button) return true;
      button.click();
      if (this.pad.contains(document.activeElement)) button.focus();
    } else if (event.key === 'Enter') {
      // On a button that is not chosen yet Enter chooses it, as on any button.
      const on = event.target.closest('button, a, summary');
      if (on && !(this.element.contains(on) && on.getAttribute('aria-pressed') === 'true')) return false;
      this.execute();
    } else if (event.key === 'Escape') {
      this.ways = {};
      this.refusal.textContent = '';
      this.update();
    } else return false;
    return true;
  }
}
