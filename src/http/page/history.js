/** The turns of a match, fetched a page at a time; those far from where one looks are let go. */
import { call, path } from './api.js';

const PAGE = 250;
const MOST_PAGES = 8;

export class History {
  constructor(id, page) {
    this.id = id;
    this.signal = page.signal;
    this.language = page.language;
    this.turns = new Map();
    this.pages = new Map();
    /** How often everything was forgotten. */
    this.age = 0;
    /** How many turns are known to have been played. */
    this.count = 0;
    this.start = null;
  }

  /** A turn, if it is at hand. */
  at(turn) {
    return this.turns.get(turn) || null;
  }

  /** What there is to see after that many turns, if it is at hand. */
  scene(turn) {
    return turn === 0 ? this.start : (this.at(turn) || {}).scene || null;
  }

  /** Takes in a turn that was just played. */
  put(turn) {
    this.turns.set(turn.turn, turn);
    this.count = Math.max(this.count, turn.turn);
    this.letGo(turn.turn);
  }

  /** Once a match is over nothing is hidden any more: forgets what was seen through fog, and says whether there was any. */
  reveal() {
    const hidden = [...this.turns.values()].some((turn) => turn.state && turn.state.viewer !== undefined);
    if (hidden) {
      this.turns.clear();
      this.pages.clear();
      this.age += 1;
      this.start = null;
    }
    return hidden;
  }

  /** Sees to it that a position and the turns shortly before it are at hand. */
  async load(turn, before = 0) {
    const first = Math.max(0, Math.floor((Math.max(1, turn - before) - 1) / PAGE));
    const last = Math.max(0, Math.floor((Math.max(1, turn) - 1) / PAGE));
    const asked = [];
    for (let at = first; at <= last; at++) if (!this.complete(at, turn)) asked.push(this.page(at));
    if (turn === 0 && !this.start) asked.push(this.page(0));
    await Promise.all(asked);
    this.letGo(turn);
    return this.scene(turn);
  }

  /** Whether all turns of a page that have been played up to one are at hand. */
  complete(page, upTo) {
    const end = Math.min((page + 1) * PAGE, upTo);
    for (let turn = page * PAGE + 1; turn <= end; turn++) if (!this.turns.has(turn)) return false;
    return true;
  }

  page(at) {
    if (!this.pages.has(at)) {
      const { age } = this;
      const asked = call(path(['matches', this.id, 'turns'], { from: at * PAGE, limit: PAGE, lang: this.language }), { match: this.id, signal: this.signal })
        .then((answer) => {
          // What was asked for while something was hidden is of no use any more.
          if (age !== this.age) return;
          if (answer.start_scene) this.start = answer.start_scene;
          for (const turn of answer.turns) this.turns.set(turn.turn, turn);
          this.count = Math.max(this.count, answer.turns_played || 0);
        })
        .finally(() => { if (age === this.age) this.pages.delete(at); });
      this.pages.set(at, asked);
    }
    return this.pages.get(at);
  }

  /** Keeps what is near a turn. */
  letGo(near) {
    if (this.turns.size <= PAGE * MOST_PAGES) return;
    const reach = (PAGE * (MOST_PAGES - 1)) / 2;
    for (const turn of this.turns.keys()) if (Math.abs(turn - near) > reach && turn !== this.count) this.turns.delete(turn);
  }
}
