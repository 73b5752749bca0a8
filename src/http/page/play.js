/** One's own action: a choice of each group, by buttons, by keys or on the board, and what it would do. */
import { fill, h, icon } from './dom.js';
import { wants } from './feel.js';

const ARROWS = { ArrowUp: [1, 2], ArrowDown: [3, 2], ArrowLeft: [2, 1], ArrowRight: [2, 3] };
const PADS = { 7: [1, 1], 8: [1, 2], 9: [1, 3], 4: [2, 1], 5: [2, 2], 6: [2, 3], 1: [3, 1], 2: [3, 2], 3: [3, 3] };

/** A text without the action that it begins with: that stands beside it already. */
const bare = (text) => text.replace(/^`[^`]*`[:：]\s*/, '');

/** Where a choice stands on a pad: what points nowhere is in the middle. */
function place(choice) {
  const [down, right] = StandoffBoard.ways[choice.toward] || [0, 0];
  return [2 + down, 2 + right];
}

const points = (group) => group.choices.some((choice) => choice.toward);
/** Where there is nothing to choose nothing is offered. */
const settled = (group) => !points(group) && offered(group).length === 1;
/** What is to be written stands in a field of its own. */
const offered = (group) => group.choices.filter((choice) => !choice.input);

export class Play {
  /** `act(action)` sends it and resolves to a refusal or nothing; `foresee(traces)` draws on the board. */
  constructor(page, { act, foresee }) {
    this.page = page;
    this.act = act;
    this.foresee = foresee;
    this.groups = [];
    this.chosen = {};
    this.previews = null;
    const text = page.text.match;
    this.fields = h('div', { class: 'controls' });
    this.go = h('button', { type: 'submit', class: 'primary', id: 'execute', 'aria-keyshortcuts': 'Enter', 'aria-describedby': 'would' }, text.execute, h('kbd', { 'aria-hidden': 'true' }, '↵'));
    this.would = h('p', { class: 'would', id: 'would', tabindex: 0 });
    this.refusal = h('p', { class: 'refusal', role: 'alert', id: 'refusal' });
    this.element = h('form', { class: 'panel play', id: 'play', on: { submit: (event) => { event.preventDefault(); this.execute(); } } },
      h('h2', {}, text.your_move), this.fields, this.would, this.refusal);
  }

  /** The match as the own seat sees it; `ready`: the position to act in is on the board. */
  show(view, ready) {
    this.view = view;
    this.ready = ready;
    const controls = view.controls || { groups: [], separator: ' ' };
    const shape = JSON.stringify(controls.groups.map((group) => [group.id, offered(group).map((choice) => [choice.id, choice.label.text])]));
    this.groups = controls.groups.filter((group) => offered(group).length);
    this.separator = controls.separator;
    if (shape !== this.shape) {
      this.shape = shape;
      this.chosen = {};
      this.build();
    }
    if (this.turn !== view.turn) {
      this.turn = view.turn;
      this.previews = null;
      this.refusal.textContent = '';
      // What has no usual choice is chosen anew each turn.
      for (const group of this.groups) if (!group.default) delete this.chosen[group.id];
    }
    this.update();
  }

  /** What every action would do, as the engine says. */
  know(previews) {
    this.previews = new Map(previews.map((one) => [one.action, { ...one, text: bare(one.text) }]));
    this.update();
  }

  /** An action in words, where they are known. */
  words(action) {
    const told = this.previews && this.previews.get(action);
    return told ? told.words : action;
  }

  build() {
    this.active = this.groups.find(points) || this.groups[0] || null;
    const several = this.groups.filter((group) => !settled(group)).length > 1;
    const built = this.groups.filter((group) => !settled(group)).map((group) => {
      const buttons = offered(group).map((choice) => this.button(group, choice));
      const box = h('div', { class: points(group) ? 'pad' : 'commands', role: 'group', 'aria-label': group.label.text, 'data-group': group.id }, buttons);
      // Of several pads each says what is chosen on it.
      const named = this.groups.filter(points).length > 1 && points(group);
      return named ? h('div', { class: 'pad-box' }, h('p', { class: 'pad-name' }, h('span', { class: 'label' }, group.label.text), group.key ? h('kbd', { 'aria-hidden': 'true' }, group.key) : null), box) : box;
    });
    fill(this.fields, built, h('div', { class: 'do' }, this.go));
    this.fields.classList.toggle('single', !several);
  }

  button(group, choice) {
    const [row, col] = place(choice);
    const pad = points(group);
    const turn = choice.toward ? (Math.atan2(row - 2, col - 2) * 180) / Math.PI : undefined;
    return h('button', {
      type: 'button', class: pad ? `r${row} c${col}` : null, 'data-choice': choice.id, 'data-row': pad ? row : null, 'data-col': pad ? col : null,
      'aria-keyshortcuts': choice.key, on: { click: () => this.choose(group, choice) },
    }, pad ? icon(choice.toward ? 'arrow' : 'dot', turn) : [h('span', { class: 'label' }, choice.label.text), choice.key ? h('kbd', { 'aria-hidden': 'true' }, choice.key) : null]);
  }

  choose(group, choice) {
    this.chosen[group.id] = choice.id;
    if (points(group)) this.active = group;
    this.refusal.textContent = '';
    this.update();
    const action = this.action();
    if (!action) return;
    const told = this.preview();
    this.page.announce([this.words(action), told ? told.text : ''].filter(Boolean).join('. '));
  }

  /** The choice of a square that somebody pointed at. */
  point(at) {
    const holds = (choice) => (choice.cells || []).some((cell) => cell[0] === at[0] && cell[1] === at[1]);
    for (const group of [this.active, ...this.groups].filter(Boolean)) {
      const choice = offered(group).find(holds);
      if (!choice) continue;
      const again = this.picked(group) === choice && this.chosen[group.id];
      this.choose(group, choice);
      const told = this.preview();
      // Where one square is a whole action it is done, unless the person wants to be sure; else when it is meant again.
      const whole = this.groups.filter(points).length === 1 && !wants('confirm');
      if (this.ready && told && told.legal && (whole || again)) this.execute();
      return;
    }
  }

  picked(group) {
    if (settled(group)) return offered(group)[0];
    const id = this.chosen[group.id] || group.default;
    return offered(group).find((choice) => choice.id === id) || null;
  }

  /** The chosen action in notation, or nothing while something is missing. `instead`: as if this were chosen in a group. */
  action(group, instead) {
    const all = this.groups.map((one) => (one === group ? instead : this.picked(one)));
    if (!all.length || all.some((choice) => !choice)) return null;
    return all.map((choice) => choice.notation).filter(Boolean).join(this.separator);
  }

  preview(action = this.action()) {
    return (this.previews && action && this.previews.get(action)) || null;
  }

  update() {
    const text = this.page.text.match;
    for (const group of this.groups) {
      const box = this.fields.querySelector(`[data-group="${CSS.escape(group.id)}"]`);
      if (!box) continue;
      const picked = this.picked(group);
      box.classList.toggle('active', group === this.active);
      for (const button of box.children) {
        const choice = offered(group).find((one) => one.id === button.dataset.choice);
        const action = this.action(group, choice);
        const told = this.preview(action);
        // A choice of several verbs is not wrong because of one direction.
        const no = points(group) && told && !told.legal;
        const meant = points(group) && told && this.groups.filter(points).length === 1 ? told.words : choice.label.text;
        button.setAttribute('aria-pressed', String(choice === picked));
        if (points(group)) {
          button.setAttribute('aria-label', no ? `${meant}: ${told.text}` : meant);
          button.title = no ? told.text : meant;
        }
        button.classList.toggle('no', Boolean(no));
      }
    }
    const action = this.action();
    const told = this.preview();
    this.go.dataset.action = action || '';
    const yours = this.ready;
    fill(this.would, action ? h('strong', {}, this.words(action)) : null, action && told && told.text ? text.dash : null, told ? told.text : action ? '' : text.nothing_chosen);
    this.would.classList.toggle('no', Boolean(told && !told.legal));
    this.foresee(yours && told && told.legal ? told.traces : null);
    this.go.classList.toggle('waiting', !yours);
  }

  async execute() {
    const text = this.page.text.match;
    const action = this.action();
    this.refusal.textContent = '';
    if (!this.ready) {
      const sealed = this.view.your_action_submitted;
      this.refuse(sealed ? text.sealed(this.view.your_action_words || this.view.your_action || '') : this.waiting || text.showing);
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
    if (!this.groups.length) return false;
    const letter = event.key.toLowerCase();
    const square = ARROWS[event.key] || (/^(?:Digit|Numpad)[1-9]$/.test(event.code) ? PADS[event.code.slice(-1)] : null);
    const lettered = this.groups.flatMap((group) => offered(group).map((choice) => [group, choice])).find(([, choice]) => choice.key === letter);
    const group = this.groups.find((one) => one.key === letter);
    if (lettered) this.choose(...lettered);
    else if (group) {
      this.active = group;
      this.update();
    } else if (square) {
      const button = this.active && this.fields.querySelector(`[data-group="${CSS.escape(this.active.id)}"] [data-row="${square[0]}"][data-col="${square[1]}"]`);
      if (!button) return true;
      button.click();
      if (this.fields.contains(document.activeElement)) button.focus();
    } else if (event.key === 'Enter') {
      // On a button that is not chosen yet Enter chooses it, as on any button.
      const on = event.target.closest('button, a, summary');
      if (on && !(this.element.contains(on) && on.getAttribute('aria-pressed') === 'true')) return false;
      this.execute();
    } else if (event.key === 'Escape') {
      this.chosen = {};
      this.refusal.textContent = '';
      this.update();
    } else return false;
    return true;
  }
}
