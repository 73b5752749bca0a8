/** What one says: beside an action where talk is free, in place of one where it costs the turn. */
import { call, path } from './api.js';
import { h } from './dom.js';

export class Talk {
  constructor(page, { id, seat, view, rules, spoke }) {
    Object.assign(this, { page, id, seat, view, rules, spoke });
    const text = page.text.match;
    this.field = h('input', { id: 'say', maxlength: 140, autocomplete: 'off', on: { keydown: (event) => { if (event.key === 'Escape') { event.preventDefault(); this.field.blur(); } } } });
    this.label = h('label', { for: 'say' });
    this.note = h('p', { class: 'soft small', role: 'status' });
    this.refusal = h('p', { class: 'refusal', role: 'alert' });
    this.element = h('form', { class: 'panel talk', on: { submit: (event) => { event.preventDefault(); this.say(); } } },
      h('h2', {}, text.talk), this.label, h('div', { class: 'row' }, this.field, h('button', { type: 'submit' }, text.say)), this.note, this.refusal);
  }

  costs() {
    const { controls } = this.view();
    return Boolean(controls && controls.groups.some((group) => group.choices.some((choice) => choice.input)));
  }

  show(view, allowed) {
    const text = this.page.text.match;
    const off = this.rules && this.rules.speech === 'off';
    this.element.hidden = !view.seat || !allowed || off;
    const costs = this.costs();
    this.label.textContent = costs ? text.say_turn : text.say_free;
    if (costs) this.note.textContent = text.say_turn_hint;
    else if (this.saidFor !== view.turn) this.note.textContent = '';
  }

  /** Goes to the field, if one may speak. */
  focus() {
    if (this.element.hidden) return false;
    this.field.focus();
    return true;
  }

  async say() {
    const text = this.page.text.match;
    const view = this.view();
    const words = this.field.value.trim();
    this.refusal.textContent = '';
    if (!words) { this.refusal.textContent = text.say_empty; return; }
    if (this.costs() && !view.your_turn) { this.refusal.textContent = text.say_later; return; }
    try {
      await call(path(['matches', this.id, 'speak'], { lang: this.page.language }), { match: this.id, seat: this.seat(), body: { text: words } });
      this.field.value = '';
      if (!this.costs()) { this.note.textContent = text.said; this.saidFor = view.turn; }
      this.spoke();
    } catch (error) {
      this.refusal.textContent = this.page.why(error);
    }
  }
}
