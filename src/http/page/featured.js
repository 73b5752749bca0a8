/** A match that runs at a pace people can follow: what is being played, or what was played last, turn after turn. */
import { call, path, to } from './api.js';
import { idle, verdict, who } from './cards.js';
import { fill, h, icon, svg } from './dom.js';

/** Milliseconds: a turn, one with shots, and how long the end stays. */
const BEATS = [1000, 1500, 4000];
/** Shorter matches are no show. */
const FEWEST = 4;
/** Milliseconds without a new turn after which another match is shown. */
const PATIENCE = 20_000;
const PAGE = 100;

const still = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

export class Featured {
  /** `choose(seen)` resolves to the summary of the match to show next, or nothing. */
  constructor(page, choose) {
    Object.assign(this, { page, choose, seen: [], paused: still() });
    const text = page.text.featured;
    this.board = svg('svg', {});
    this.link = h('a', { class: 'board-box featured-board' }, this.board);
    this.caption = h('figcaption', {});
    this.toggle = h('button', { type: 'button', class: 'quiet', id: 'pause-featured', on: { click: () => this.pause(!this.paused) } });
    this.element = h('figure', { class: 'featured', 'aria-label': text.title }, this.link, h('div', { class: 'featured-foot' }, this.caption, this.toggle));
    this.face();
  }

  face() {
    const text = this.page.text.match;
    fill(this.toggle, icon(this.paused ? 'play' : 'pause'));
    this.toggle.setAttribute('aria-label', this.paused ? text.play : text.pause);
  }

  pause(paused) {
    this.paused = paused;
    this.face();
    if (!paused && this.wake) this.wake();
  }

  /** Waits so long, and as long as it is paused. */
  async rest(millis) {
    const { signal } = this.page;
    await new Promise((done) => { setTimeout(done, millis); });
    while (this.paused && !signal.aborted) await new Promise((done) => { this.wake = done; signal.addEventListener('abort', done, { once: true }); });
    return !signal.aborted;
  }

  /** Shows one match after another until the screen is left; false where there is none to show. */
  async run() {
    const { signal } = this.page;
    let shown = false;
    while (!signal.aborted) {
      const summary = await this.choose(this.seen).catch(() => null);
      if (!summary) {
        if (!shown) return false;
        this.seen = [];
        if (!(await this.rest(BEATS[2]))) return true;
        continue;
      }
      this.seen.push(summary.match_id);
      shown = (await this.play(summary).catch(() => false)) || shown;
      if (!shown && this.seen.length > 3) return false;
    }
    return true;
  }

  async play(summary) {
    const { page } = this;
    const { signal } = page;
    let at = 0;
    let start = null;
    let moved = performance.now();
    for (;;) {
      const answer = await call(path(['matches', summary.match_id, 'turns'], { from: at, limit: PAGE, lang: page.language }), { signal });
      start = start || answer.start_scene;
      // What is hidden until the end is no show before it.
      if (at === 0 && (!start || !start.board.pieces.length || answer.turns_played < FEWEST)) return false;
      for (const turn of answer.turns) {
        if (!turn.scene) return false;
        // Whoever wants no motion sees how it stands, and may let it run.
        if (this.paused && at === 0) this.show(answer.turns[answer.turns.length - 1].scene || start, summary, answer, false);
        if (this.paused && !(await this.rest(0))) return true;
        this.show(turn.scene, summary, answer, !still());
        at = turn.turn;
        if (!(await this.rest(BEATS[turn.scene.board.traces.beams && turn.scene.board.traces.beams.length ? 1 : 0]))) return true;
        moved = performance.now();
      }
      if (answer.result && at >= answer.turns_played) return this.rest(BEATS[2]);
      // Nobody plays on: there may be something else to see.
      if (!answer.turns.length && performance.now() - moved > PATIENCE) return true;
      if (!answer.turns.length && !(await this.rest(BEATS[1]))) return true;
    }
  }

  show(scene, summary, answer, animate) {
    const { text } = this.page;
    StandoffBoard.draw(this.board, scene, { axes: false, animate, label: text.match.board_of(scene.ruleset, scene.turn) });
    // A link only once there is a board in it that names it.
    this.link.href = to('m', summary.match_id);
    const ended = answer.result && scene.turn >= answer.turns_played;
    fill(this.caption, h('span', { class: 'row' }, h('strong', {}, summary.ruleset), who(summary, text)),
      h('span', { class: 'soft' }, ended ? verdict(answer.result, answer.seats, text) : `${text.match.turn(scene.turn)} · ${scene.standings.map((one) => `${one.seat} ${one.amount ? one.amount.text : one.meter.value}`).join(' · ')}`));
  }
}

/** The match to show next: one that is being played, else the last that ended. */
export async function worthWatching(page, seen) {
  const ask = (query) => call(path(['matches'], { limit: 12, ...query }), { signal: page.signal });
  for (const status of ['playing', 'over']) {
    const { matches } = await ask({ status });
    const found = matches.find((one) => !seen.includes(one.match_id) && one.turn >= FEWEST && !(status === 'playing' && idle(one)));
    if (found) return found;
  }
  return null;
}
