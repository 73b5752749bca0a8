/** A match: gathering, played, watched, replayed. One screen, so that a live match can be scrubbed and a finished one linked. */
import { call, events, path, seatsOf, to } from './api.js';
import { chip, clock, fill, h, loading, svg } from './dom.js';
import { sure } from './dialogs.js';
import { Gathering } from './gathering.js';
import { History } from './history.js';
import { rulesetNamed } from './house.js';
import { losses, preferences, tone } from './feel.js';
import { Latest, Log, lines } from './log.js';
import { People } from './people.js';
import { Play } from './play.js';
import { result } from './result.js';
import { rulesPanel } from './rules.js';
import { Talk } from './talk.js';
import { Timeline } from './timeline.js';
import { showTranscript } from './transcript.js';

/** Turns before the one that is shown that the log wants. */
const LOOK_BACK = 40;
/** How often a spectator's view is fetched again, for clocks and bills. */
const SPECTATOR_REST = 3000;
const SPOKEN_REST = 2000;
/** Whoever answers sooner than this, in milliseconds, is not waited for in words. */
const AT_ONCE = 900;
const still = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

export async function show(root, params, page) {
  fill(root, h('h1', { class: 'unseen' }, page.text.loading), loading(page.text.loading));
  const screen = new Screen(root, params.id, page);
  await screen.open(params.turn === undefined ? null : Number(params.turn));
}

class Screen {
  constructor(root, id, page) {
    Object.assign(this, { root, id, page, signal: page.signal, cursor: 0, following: true, waiting: [], timer: null, restUntil: 0, fetched: 0, since: performance.now(), spoken: -Infinity, announced: 0, unsaid: [] });
    this.history = new History(id, page);
  }

  /** The own seat that matters now: one that is to act, else the first. */
  seat() {
    const mine = seatsOf(this.id).map((one) => one.seat);
    const view = this.view || {};
    return mine.find((seat) => (view.to_act || []).includes(seat) && !(view.submitted || []).includes(seat)) || mine[0];
  }

  /** Whether one may act now, in the position that is on the board. */
  mine() {
    const behind = this.following && this.cursor < this.view.turn;
    return Boolean(this.view.your_turn && !behind);
  }

  /** What somebody is called: by name, with the seat where two have the same one. */
  name(seat) {
    const all = this.view.seats;
    const { player } = all.find((one) => one.seat === seat) || {};
    if (!player) return seat;
    return all.filter((one) => one.player === player).length > 1 ? `${player} (${seat})` : player;
  }

  /** For whom everybody waits, in words; nothing while they can hardly have begun. */
  awaited() {
    const { view } = this;
    const text = this.page.text.match;
    const left = (view.to_act || []).filter((seat) => !(view.submitted || []).includes(seat) && seat !== view.seat);
    const seats = left.map((seat) => view.seats.find((one) => one.seat === seat)).filter(Boolean);
    const passed = performance.now() - this.since;
    if (!seats.length || passed < AT_ONCE) return '';
    const model = seats.find((one) => one.model);
    if (model) return text.thinking(this.name(model.seat), Math.floor(passed / 1000));
    // Bots answer by themselves: only people are waited for.
    const people = seats.filter((one) => one.kind !== 'house');
    return people.length ? text.waits(text.list(people.map((one) => this.name(one.seat)))) : text.choosing(text.list(seats.map((one) => this.name(one.seat))));
  }

  async fetchView() {
    const ask = (seat) => call(path(['matches', this.id], { lang: this.page.language }), { match: this.id, seat, signal: this.signal });
    this.view = await ask(this.seat());
    const better = this.seat();
    if (better && this.view.seat && better !== this.view.seat) this.view = await ask(better);
    this.fetched = performance.now();
    // They may have been at it for long when one comes to watch.
    if (typeof this.view.turn_ms === 'number') this.since = this.fetched - this.view.turn_ms;
    this.history.count = Math.max(this.history.count, this.view.turn);
    return this.view;
  }

  async open(turn) {
    try {
      await this.fetchView();
    } catch (error) {
      if (error.code !== 'unknown_rules') throw error;
      await showTranscript(this.root, this.id, this.page);
      return;
    }
    if (this.signal.aborted) return;
    this.rules = await rulesetNamed(this.view.ruleset).catch(() => null);
    this.build();
    const over = this.view.status === 'over';
    // From the beginning, at a pace that can be followed: bots are done before anybody looks.
    const replays = new URLSearchParams(location.search).has('play') && !this.view.seat;
    this.following = turn === null && !replays;
    const first = replays ? 0 : turn === null ? (over ? this.history.count : this.view.turn) : Math.min(turn, this.history.count);
    // Whoever comes to see how it went is not told before how it ended.
    this.untold = !this.view.seat && !this.following;
    await this.history.load(first, LOOK_BACK);
    if (this.signal.aborted) return;
    this.draw(first, false);
    this.render();
    if (this.view.your_turn) this.foretell();
    if (replays) {
      this.page.rename(to('m', this.id));
      this.timeline.start();
    }
    document.addEventListener('keydown', (event) => this.key(event), { signal: this.signal });
    const ticking = setInterval(() => this.tick(), 200);
    this.signal.addEventListener('abort', () => clearInterval(ticking));
    if (!over) this.follow();
  }

  build() {
    const { page, view } = this;
    const text = page.text.match;
    page.title(view.ruleset);
    this.board = svg('svg', { id: 'board' });
    this.board.addEventListener('click', (event) => this.pointed(event));
    this.when = h('span', { class: 'when' });
    this.badge = h('span', { class: 'badge' });
    this.status = h('p', { class: 'status', id: 'status' });
    this.turnClock = h('span', { class: 'turn-clock', id: 'turn-clock', hidden: true });
    this.top = h('div', {});
    this.people = new People(page);
    this.log = new Log(this.id, page);
    this.latest = new Latest(page);
    this.strip = h('p', { class: 'strip', 'aria-hidden': 'true' });
    this.play = new Play(page, { act: (action) => this.act(action), foresee: (traces) => this.foresee(traces) });
    this.talk = new Talk(page, { id: this.id, seat: () => this.seat(), view: () => this.view, rules: this.rules, spoke: () => this.refresh() });
    this.timeline = new Timeline(this.id, page, { jump: (turn, how) => this.jump(turn, how), live: () => this.backToLive() });
    this.gathering = new Gathering(this.id, page, () => this.refresh());
    this.resign = h('button', { type: 'button', class: 'quiet', id: 'resign', hidden: true, on: { click: () => this.giveUp() } }, text.resign);
    fill(this.root,
      h('div', { class: 'match-head' }, h('h1', {}, view.ruleset), this.badge, this.when,
        h('span', { class: 'head-tools' }, h('a', { href: to('rules', view.ruleset), id: 'rules', on: { click: (event) => { if (!event.ctrlKey && !event.metaKey) { event.preventDefault(); rulesPanel(view.ruleset, page); } } } }, text.rules), this.resign)),
      view.opening ? h('p', { class: 'soft small', id: 'opening' }, view.opening) : null,
      this.frame = h('div', { class: 'match' },
        this.left = h('div', { class: 'match-left' }, this.strip, this.box = h('div', { class: 'match-board board-box' }, this.board), this.timeline.element),
        this.right = h('div', { class: 'match-right' }, h('div', { class: 'match-side' }, h('div', { class: 'status-line' }, this.status, this.turnClock), this.top, this.gathering.element, this.play.element, this.latest.element, this.people.element, this.talk.element, this.preferences = preferences(page)), this.log.element)));
  }

  /** Everything but the board, from the view and where one looks. */
  render() {
    const { page, view } = this;
    const { text } = page;
    const scene = this.scene || view.scene;
    const over = view.status === 'over';
    if (over && this.cursor >= this.history.count) this.untold = false;
    this.badge.className = `badge ${view.status}`;
    this.badge.hidden = over && this.untold;
    this.badge.textContent = text.match[view.status === 'playing' ? 'live' : view.status] || view.status;
    this.when.textContent = scene.status.map((label) => label.text).join(' · ');
    const playing = view.status === 'playing';
    const own = view.scene.standings.find((one) => one.seat === view.seat);
    const alive = !own || own.alive;
    this.gathering.show(view);
    this.play.element.hidden = !(view.seat && playing && alive && this.following);
    const acts = !this.play.element.hidden;
    // Who plays needs the right for the own action; who watches reads there.
    if (this.frame.classList.toggle('own', acts) !== (this.log.element.parentNode === this.left)) (acts ? this.left : this.right).append(this.log.element);
    this.latest.element.hidden = !acts;
    this.preferences.hidden = !acts;
    this.strip.hidden = !acts;
    if (acts) {
      this.play.show(view, this.mine());
      this.latest.show(this.history, this.cursor, view.seats.length);
      // One line has no room for the names of many.
      const few = scene.standings.length <= 3;
      fill(this.strip, scene.standings.map((one) => h('span', { class: `one${one.alive ? '' : ' dead'}` }, chip(one.seat), one.seat === view.seat ? h('strong', {}, text.match.you) : few ? this.name(one.seat) : null, ' ', h('span', { class: 'amount' }, one.amount && few ? one.amount.text : one.meter.value))));
    }
    this.talk.show(view, playing && alive && this.following);
    this.resign.hidden = !(view.seat && playing && alive);
    this.people.show(view, scene, this.thoughts());
    this.timeline.show(this.cursor, this.history.count, this.following, over);
    this.timeline.element.hidden = this.history.count === 0;
    this.log.show(this.history, this.cursor);
    this.tellStatus(over);
    page.title(over && !this.untold ? `${this.verdict || text.match.over} · ${view.ruleset}` : this.mine() ? `● ${text.match.yours} ${view.ruleset}` : view.ruleset);
    this.tick();
  }

  /** What each thought last, as far as it still belongs to what is shown. */
  thoughts() {
    const found = {};
    for (let turn = this.cursor; turn > Math.max(0, this.cursor - this.view.seats.length); turn--) Object.assign(found, { ...(this.history.at(turn) || {}).reasoning, ...found });
    return found;
  }

  tellStatus(over) {
    const { page, view } = this;
    if (over && this.untold) { this.status.hidden = true; return; }
    const text = page.text.match;
    this.status.className = 'status';
    let told;
    if (over) {
      const ended = result(view, page, this.id);
      told = ended.text;
      this.verdict = ended.head;
      if (this.ended !== page.language) {
        if (this.ended === undefined && this.lived) tone(ended.won ? 'won' : 'lost');
        fill(this.top, ended.element);
        this.ended = page.language;
      }
      this.status.hidden = true;
    } else if (view.status === 'open') told = text.open_lead;
    else if (view.status === 'suspended') told = `${text.suspended}: ${view.why || ''}`;
    else if (this.mine()) {
      this.status.classList.add('yours');
      told = seatsOf(this.id).length > 1 ? text.yours_as(view.seat) : text.yours;
    } else {
      const wait = view.your_turn ? text.showing : this.awaited();
      this.play.waiting = wait;
      // Nobody's eyes: whoever has no seat sees nothing that anybody may hide.
      const fogged = view.state && view.state.viewer === null;
      told = view.your_action_submitted && view.your_action ? `${text.sealed(view.your_action_words || view.your_action)}${text.join}${wait}` : view.seat ? wait || text.showing : [text.watching, fogged ? text.fogged : '', wait].filter(Boolean).join(text.join);
    }
    if (this.status.textContent !== told) {
      this.status.textContent = told;
      const begins = this.mine() && this.toldTurn !== view.turn;
      if (over || begins) page.announce(told);
      if (begins && document.hidden) tone('turn');
      if (this.mine() || over) this.toldTurn = view.turn;
    }
  }

  tick() {
    const { view } = this;
    const passed = performance.now() - this.fetched;
    const counts = view.status === 'playing' && typeof view.deadline_ms === 'number';
    this.turnClock.hidden = !counts;
    if (counts) {
      const left = view.deadline_ms - passed;
      this.turnClock.textContent = `${this.page.text.match.turn_clock} ${clock(left)}`;
      this.turnClock.classList.toggle('short', left < 5000);
    }
    this.people.tick(passed);
    if (view.status === 'playing' && !this.mine()) this.tellStatus(false);
  }

  /** Shows the position after so many turns, which is at hand. */
  draw(turn, animate) {
    const scene = this.history.scene(turn) || (turn === this.view.turn ? this.view.scene : null);
    if (!scene) return;
    const hurt = animate ? losses(this.scene, scene) : [];
    this.cursor = turn;
    this.scene = scene;
    StandoffBoard.draw(this.board, scene, { you: this.view.seat, animate: animate && !still(), label: this.page.text.match.board_of(scene.ruleset, scene.turn) });
    this.board.classList.toggle('playable', Boolean(this.view.seat && this.view.status === 'playing' && this.following));
    for (const { at, told } of hurt) StandoffBoard.note(this.board, at, told);
    const own = hurt.some((one) => one.seat === this.view.seat);
    if (own) this.box.classList.add('hurt');
    if (own || hurt.length) tone(own ? 'hurt' : 'struck');
    if (own) setTimeout(() => this.box.classList.remove('hurt'), 900);
    this.restUntil = performance.now() + (animate && !still() ? lasts(scene) : 0);
    if (this.foreseen) this.foresee(this.foreseen);
  }

  foresee(wanted) {
    this.foreseen = wanted;
    const current = this.following && this.scene && this.view.seat && this.scene.turn === this.view.turn;
    StandoffBoard.preview(this.board, this.scene || this.view.scene, this.view.seat, current ? wanted : null);
  }

  async jump(turn, { animate } = {}) {
    const over = this.view.status === 'over';
    this.following = !over && turn >= this.history.count && this.following;
    await this.history.load(turn, LOOK_BACK);
    if (this.signal.aborted) return;
    this.draw(turn, animate);
    this.render();
    const last = turn === this.history.count;
    this.page.rename(last && (over || this.following) ? to('m', this.id) : to('m', this.id, 'turn', turn));
  }

  async backToLive() {
    this.following = true;
    await this.history.load(this.history.count, LOOK_BACK);
    this.draw(this.history.count, false);
    this.page.rename(to('m', this.id));
    await this.refresh();
  }

  /** Live events until the match is over. */
  async follow() {
    const from = path(['matches', this.id, 'events'], { since: this.history.count, lang: this.page.language });
    try {
      for await (const { event, data } of events(from, { signal: this.signal, match: this.id })) {
        if (event === 'connection') this.page.away(data === 'lost');
        else if (event === 'turn') this.arrived(data);
        else if (event === 'status') this.changed(data);
        else if (event === 'match') this.changed({ status: data.status });
        else if (event === 'end') {
          if (this.history.reveal()) {
            await this.history.load(this.history.count, LOOK_BACK);
            await this.history.load(this.cursor, LOOK_BACK);
            this.log.shown = [0, 0];
            this.draw(this.cursor, false);
          }
          await this.refresh(true);
        }
        if (event === 'connection' && data === 'back') await this.refresh(true);
      }
    } catch (error) {
      if (!this.signal.aborted) { this.status.hidden = false; this.status.textContent = this.page.why(error); }
    }
  }

  changed(data) {
    const { view } = this;
    const moved = data.status && data.status !== view.status;
    if (data.submitted) view.submitted = data.submitted;
    if (data.deadline_ms !== undefined) { view.deadline_ms = data.deadline_ms; this.fetched = performance.now(); }
    if (moved) this.refresh(true);
    else this.render();
  }

  /** A turn was played. It is shown when what is being shown has come to its end; what piles up meanwhile is skipped. */
  arrived(turn) {
    const late = turn.turn <= this.history.count && this.history.at(turn.turn);
    this.history.put(turn);
    if (late) return;
    const { view } = this;
    this.lived = Boolean(view.seat);
    this.since = performance.now();
    if (turn.turn > view.turn) Object.assign(view, { turn: turn.turn, scene: turn.scene, to_act: turn.state.to_act, submitted: [], deadline_ms: null, your_turn: false, your_action_submitted: false });
    if (this.following) this.waiting.push(turn);
    if (!this.timer) this.timer = setTimeout(() => this.flush(), Math.max(0, this.restUntil - performance.now()));
    this.refresh();
  }

  flush() {
    this.timer = null;
    if (this.signal.aborted) return;
    const last = this.waiting[this.waiting.length - 1];
    // Whoever plays is shown what matters now; whoever watches is shown everything, as long as it can be caught up with.
    const many = this.waiting.length > (this.view.seat ? 3 : 40);
    this.say(this.waiting);
    // Two that come together, mine and the answer, are seen one after the other.
    const next = this.waiting.length && !many && !still() ? this.waiting.shift() : last;
    if (next === last) this.waiting = [];
    if (next && this.following) this.draw(next.turn, !many);
    else if (!this.following) this.waiting = [];
    this.render();
    if (this.waiting.length) this.timer = setTimeout(() => this.flush(), Math.max(0, this.restUntil - performance.now()));
  }

  /** Moves are announced, as many as can be listened to. */
  say(turns) {
    this.unsaid = [...this.unsaid, ...turns.filter((turn) => turn.turn > this.announced)].slice(-2);
    if (!this.unsaid.length || this.sayTimer) return;
    const rest = this.view.seat ? 0 : SPOKEN_REST - (performance.now() - this.spoken);
    this.sayTimer = setTimeout(() => {
      this.sayTimer = null;
      this.spoken = performance.now();
      this.announced = this.unsaid[this.unsaid.length - 1].turn;
      const told = this.unsaid.flatMap((turn) => lines(turn, this.page)).filter((line) => line.kind !== 'thoughts').map((line) => line.text);
      this.unsaid = [];
      const yours = this.mine() ? [this.page.text.match.yours] : [];
      if (!this.signal.aborted) this.page.announce([...told, ...yours].join(this.page.text.match.join));
    }, Math.max(0, rest));
  }

  /** Fetches the view again: at once where a seat is ours, now and then for those who watch. */
  async refresh(now) {
    if (this.fetching) { this.fetchAgain = true; return; }
    if (!now && !this.view.seat && !seatsOf(this.id).length) {
      if (this.restTimer) return;
      this.restTimer = setTimeout(() => { this.restTimer = null; this.refresh(true); }, SPECTATOR_REST);
      return;
    }
    this.fetching = true;
    try {
      await this.fetchView();
      if (this.signal.aborted) return;
      if (this.following && !this.waiting.length && !this.timer && this.cursor < this.view.turn) {
        await this.history.load(this.view.turn, LOOK_BACK);
        this.draw(this.history.count, true);
      }
      if (!this.history.start) await this.history.load(0);
      this.render();
      if (this.view.your_turn) await this.foretell();
    } catch (error) {
      if (!this.signal.aborted && error.status !== 0) this.status.textContent = this.page.why(error);
    } finally {
      this.fetching = false;
      if (this.fetchAgain && !this.signal.aborted) { this.fetchAgain = false; this.refresh(now); }
    }
  }

  async foretell() {
    const turn = this.view.turn;
    if (this.foretold === `${turn}${this.view.seat}`) return;
    const answer = await call(path(['matches', this.id, 'preview'], { lang: this.page.language }), { match: this.id, seat: this.view.seat, signal: this.signal }).catch(() => null);
    if (!answer || answer.turn !== this.view.turn) return;
    this.foretold = `${turn}${this.view.seat}`;
    this.play.know(answer.previews);
  }

  /** Sends an action; why not, if it is refused. */
  async act(action) {
    const { view } = this;
    try {
      const answer = await call(path(['matches', this.id, 'action'], { lang: this.page.language }), { match: this.id, seat: view.seat, body: { action, turn: view.turn } });
      if (this.view.turn === answer.turn) Object.assign(this.view, { your_turn: false, your_action_submitted: true, your_action: answer.action, your_action_words: this.play.words(answer.action) });
      this.foresee(null);
      this.render();
      this.refresh(true);
      return null;
    } catch (error) {
      this.refresh(true);
      return this.page.why(error);
    }
  }

  async giveUp() {
    const text = this.page.text.match;
    if (!(await sure(this.page, text.resign_sure, text.resign))) return;
    try {
      await call(path(['matches', this.id, 'resign']), { method: 'POST', match: this.id, seat: this.view.seat });
      this.page.announce(text.resigned);
    } catch (error) {
      this.status.textContent = this.page.why(error);
    }
    this.refresh(true);
  }

  pointed(event) {
    if (this.play.element.hidden || !this.mine()) return;
    const at = StandoffBoard.squareAt(this.board, this.view.scene, event.clientX, event.clientY);
    if (at) this.play.point(at);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]:not(.side)')) return;
    if (event.target.closest('input:not([type=range]), textarea, select')) return;
    const onRange = event.target.closest('input[type=range]');
    if (onRange && /^(Arrow|Home|End|Page)/.test(event.key)) return;
    if (event.key.toLowerCase() === 't' && this.talk.focus()) event.preventDefault();
    else if (!this.play.element.hidden && this.play.key(event)) event.preventDefault();
    else if (!this.timeline.element.hidden && this.timeline.key(event)) event.preventDefault();
  }
}

/** How long what led to a scene takes to be seen, in milliseconds. */
function lasts(scene) {
  const { beams = [], steps = [] } = scene.board.traces;
  if (beams.length) return 900;
  return steps.length ? 380 : 150;
}
