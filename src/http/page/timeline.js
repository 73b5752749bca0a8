/** The timeline of a match: scrub, step, play, speed; links, the record, whether it checks out, who was winning. */
import { call, download, path, to } from './api.js';
import { copy, fill, h, icon } from './dom.js';
import { Curve } from './curve.js';

const SPEEDS = [0.5, 1, 2, 4, 16];
const BEAT = 1100;
const POLL = 1500;

export class Timeline {
  /** `jump(turn, {animate})` shows a turn; `live()` goes back to what is being played. */
  constructor(id, page, { jump, live }) {
    Object.assign(this, { id, page, jump, live, turn: 0, count: 0, over: false, playing: null, speed: 1 });
    const text = page.text.match;
    const button = (name, label, does) => h('button', { type: 'button', 'aria-label': label, title: label, id: `step-${name}`, on: { click: does } }, icon(name));
    this.range = h('input', { type: 'range', id: 'scrub', min: 0, max: 0, step: 1, 'aria-label': text.timeline, on: { input: () => { this.stop(); this.want(Number(this.range.value)); } } });
    this.at = h('output', { class: 'at', id: 'at-turn', for: 'scrub' });
    this.toggle = button('play', text.play, () => (this.playing ? this.stop() : this.start()));
    const speed = h('select', { id: 'speed', 'aria-label': text.speed, on: { change: (event) => { this.speed = Number(event.target.value); if (this.playing) this.start(); } } },
      SPEEDS.map((value) => h('option', { value, selected: value === 1 }, `${value}×`)));
    this.liveButton = h('button', { type: 'button', class: 'live-button', id: 'to-live', hidden: true, on: { click: () => { this.stop(); this.live(); } } }, text.to_live);
    const link = h('button', { type: 'button', class: 'quiet', id: 'link', on: { click: () => copy(link, this.address(), page.text.copied) } }, text.link);
    this.share = h('details', { class: 'share', id: 'share' }, h('summary', {}, text.share), h('div', { class: 'row' }, this.pictures()));
    const save = h('button', { type: 'button', class: 'quiet', id: 'record', on: { click: () => this.save(save) } }, text.save);
    this.badge = h('span', { class: 'verdict', id: 'verified', role: 'status' });
    this.analyse = h('button', { type: 'button', class: 'quiet', id: 'analyse', hidden: true, on: { click: () => this.ask() } }, text.analyse);
    this.trouble = h('p', { class: 'refusal', role: 'alert' });
    this.below = h('div', {});
    this.element = h('section', { class: 'timeline', 'aria-label': text.timeline },
      this.range,
      h('div', { class: 'row steps' }, button('first', text.first, () => this.step(-Infinity)), button('back', text.back, () => this.step(-1)), this.toggle, button('next', text.next, () => this.step(1)), button('last', text.last, () => this.step(Infinity)), speed, this.at, this.liveButton),
      h('div', { class: 'row extras' }, this.badge, this.analyse, link, save, this.share), this.trouble, this.below);
    page.signal.addEventListener('abort', () => this.stop());
  }

  /** Where one looks, how long the match is, and whether it is over. */
  show(turn, count, following, over) {
    Object.assign(this, { turn, count });
    this.range.max = count;
    this.range.value = turn;
    const text = this.page.text.match.at(turn, count);
    this.range.setAttribute('aria-valuetext', text);
    this.at.textContent = text;
    this.liveButton.hidden = following || over;
    if (over && !this.over) this.finished();
    this.over = over;
    if (this.curve) this.curve.at(turn);
  }

  address() {
    return new URL(to('m', this.id, 'turn', this.turn), location.href).href;
  }

  /** What others can be given: a picture, an animation, a piece of a page. */
  pictures() {
    const { page, id } = this;
    const text = page.text.match;
    const file = (ending, query) => `${to('m', id)}${ending}?lang=${page.language}${query}`;
    const link = (name, label, address) => h('a', { id: `share-${name}`, class: 'button quiet', target: '_blank', rel: 'noopener', href: address(), on: { click: (event) => { event.currentTarget.href = address(); } } }, label);
    const frame = `<iframe src="${new URL(`${to('m', id)}/embed?lang=${page.language}`, location.href).href}" width="760" height="520" loading="lazy"></iframe>`;
    const embed = h('button', { type: 'button', class: 'quiet', id: 'share-embed', on: { click: () => copy(embed, frame, page.text.copied) } }, text.share_embed);
    return [link('png', text.share_png, () => file('.png', `&turn=${this.turn}`)), link('gif', text.share_gif, () => file('.gif', '')), link('svg', text.share_svg, () => file('.svg', `&turn=${this.turn}`)), embed];
  }

  step(by) {
    this.stop();
    this.want(Math.min(this.count, Math.max(0, this.turn + by)), by === 1);
  }

  /** Shows a turn with the next picture, so that a quick hand on the range never piles up work. */
  want(turn, animate) {
    this.wanted = { turn, animate };
    if (this.frame) return;
    this.frame = requestAnimationFrame(async () => {
      const { turn: next, animate: moving } = this.wanted;
      await this.jump(next, { animate: moving }).catch((error) => { this.trouble.textContent = this.page.why(error); });
      this.frame = null;
      if (this.wanted.turn !== next) this.want(this.wanted.turn);
    });
  }

  start() {
    clearInterval(this.playing);
    if (this.turn >= this.count) this.want(0);
    this.playing = setInterval(() => {
      if (this.turn >= this.count) { this.stop(); return; }
      this.want(this.turn + 1, this.speed <= 4);
    }, BEAT / this.speed);
    this.face('pause', this.page.text.match.pause);
  }

  stop() {
    if (!this.playing) return;
    clearInterval(this.playing);
    this.playing = null;
    this.face('play', this.page.text.match.play);
  }

  face(name, label) {
    fill(this.toggle, icon(name));
    this.toggle.setAttribute('aria-label', label);
    this.toggle.title = label;
  }

  async save(button) {
    this.trouble.textContent = '';
    button.setAttribute('aria-busy', 'true');
    await download(path(['matches', this.id, 'record']), `${this.id}.jsonl`, { match: this.id }).catch((error) => { this.trouble.textContent = this.page.why(error); });
    button.removeAttribute('aria-busy');
  }

  /** A finished match is checked at once; who was winning is computed when somebody asks. */
  async finished() {
    const text = this.page.text.match;
    this.analyse.hidden = false;
    this.badge.textContent = text.verifying;
    try {
      const answer = await call(path(['matches', this.id, 'verify']), { match: this.id, signal: this.page.signal });
      this.badge.classList.add(answer.verified ? 'good' : 'bad');
      fill(this.badge, icon(answer.verified ? 'check' : 'cross'), answer.verified ? text.verified : text.wrong(answer.line));
      this.badge.title = answer.verified ? text.verified_hint(answer.lines) : answer.why;
    } catch (error) {
      if (this.page.signal.aborted) return;
      this.badge.textContent = text.unverified;
      this.badge.title = this.page.why(error);
    }
  }

  async ask() {
    const text = this.page.text.match;
    const { signal } = this.page;
    this.analyse.setAttribute('aria-busy', 'true');
    this.trouble.textContent = '';
    fill(this.below, h('p', { class: 'soft small', role: 'status' }, text.analysing));
    try {
      let answer;
      for (;;) {
        answer = await call(path(['matches', this.id, 'analysis']), { match: this.id, signal });
        if (!answer.pending) break;
        await new Promise((done) => { setTimeout(done, POLL); });
        if (signal.aborted) return;
      }
      this.curve = new Curve(answer, this.page, (turn) => { this.stop(); this.want(turn); });
      fill(this.below, this.curve.element);
      this.curve.at(this.turn);
      this.analyse.hidden = true;
    } catch (error) {
      if (signal.aborted) return;
      fill(this.below);
      this.trouble.textContent = this.page.why(error);
    }
    this.analyse.removeAttribute('aria-busy');
  }

  /** A key that somebody pressed anywhere on the screen; whether it meant something here. */
  key(event) {
    const does = { ',': () => this.step(-1), '.': () => this.step(1), Home: () => this.step(-Infinity), End: () => this.step(Infinity), ' ': () => (this.playing ? this.stop() : this.start()) }[event.key];
    if (!does || (event.key === ' ' && event.target.closest('button, a, summary, input'))) return false;
    does();
    return true;
  }
}
