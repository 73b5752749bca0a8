/* Replays a match from the data in the page: no server is needed, and one is asked only where a match still goes on. */
(function () {
  'use strict';

  const reel = JSON.parse(document.getElementById('reel').textContent);
  const zh = reel.language === 'zh';
  const text = zh
    ? { play: '播放', pause: '暂停', back: '上一回合', next: '下一回合', turn: (now, all) => `${now} / ${all} 回合`, open: '在 Standoff 中打开', board: '棋盘', timeline: '时间线', told: '发生了什么' }
    : { play: 'Play', pause: 'Pause', back: 'Previous turn', next: 'Next turn', turn: (now, all) => `turn ${now} / ${all}`, open: 'Open on Standoff', board: 'Board', timeline: 'Timeline', told: 'What happened' };
  const BEAT = 900;
  const root = document.getElementById('replay');
  const { frames } = reel;
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  let at = 0;
  let timer = null;

  function add(parent, name, attributes, content) {
    const made = document.createElement(name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (content !== undefined) made.textContent = content;
    parent.append(made);
    return made;
  }

  const chip = (parent, seat) => add(parent, 'span', { class: `standoff-chip h${StandoffBoard.hue(seat)}` }, seat);
  const board = add(root, 'div', { class: 'board' });
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  board.append(svg);
  const side = add(root, 'div', { class: 'side' });
  add(side, 'h1', {}, document.title);
  const status = add(side, 'p', { class: 'soft' });
  // Many stand beside each other, so that all fit a small frame.
  const table = add(side, 'div', { class: reel.seats.length > 4 ? 'players many' : 'players' });
  const players = reel.seats.map(([seat, name]) => {
    const row = add(table, 'div', { class: 'player' });
    chip(row, seat);
    add(row, 'span', { class: 'name' }, name || seat);
    const amount = add(row, 'span', {});
    const fill = add(add(row, 'span', { class: `bar h${StandoffBoard.hue(seat)}` }), 'span', { class: 'fill' });
    return { seat, row, amount, fill };
  });
  const told = add(side, 'ol', { class: 'told', 'aria-label': text.told, tabindex: '0' });
  if (reel.link) add(add(side, 'p', { class: 'soft' }), 'a', { href: reel.link, target: '_top' }, text.open);
  const controls = add(root, 'div', { class: 'controls' });
  const back = add(controls, 'button', { type: 'button', 'aria-label': text.back }, '‹');
  const toggle = add(controls, 'button', { type: 'button', id: 'toggle' });
  const next = add(controls, 'button', { type: 'button', 'aria-label': text.next }, '›');
  const range = add(controls, 'input', { type: 'range', min: '0', step: '1', 'aria-label': text.timeline });
  const output = add(controls, 'output', { id: 'turn' });

  function show(index, animate) {
    at = Math.max(0, Math.min(index, frames.length - 1));
    const { scene, told: lines } = frames[at];
    StandoffBoard.draw(svg, scene, { animate: animate && !still, label: `${text.board}, ${text.turn(at, frames.length - 1)}` });
    const ended = at === frames.length - 1 && reel.verdict;
    status.textContent = ended || scene.status.map((label) => label.text).join(' · ');
    for (const one of players) {
      const standing = scene.standings.find((other) => other.seat === one.seat);
      if (!standing) continue;
      const { value, of } = standing.meter;
      one.amount.textContent = standing.amount ? standing.amount.text : value;
      one.fill.style.width = `${Math.min(100, (100 * value) / Math.max(1, of))}%`;
      one.row.classList.toggle('dead', !standing.alive && standing.place !== 1);
    }
    told.replaceChildren();
    for (const [seat, line] of lines) {
      const item = add(told, 'li', {});
      if (seat) chip(item, seat);
      item.append(line);
    }
    range.max = frames.length - 1;
    range.value = at;
    output.textContent = text.turn(at, frames.length - 1);
  }

  function run(playing) {
    clearInterval(timer);
    timer = playing ? setInterval(() => {
      if (at < frames.length - 1) show(at + 1, true);
      else if (!reel.more) run(false);
    }, BEAT) : null;
    toggle.textContent = playing ? '❚❚' : '▶';
    toggle.setAttribute('aria-label', playing ? text.pause : text.play);
  }

  back.addEventListener('click', () => { run(false); show(at - 1); });
  next.addEventListener('click', () => { run(false); show(at + 1, true); });
  range.addEventListener('input', () => { run(false); show(Number(range.value)); });
  toggle.addEventListener('click', () => { if (!timer && at === frames.length - 1) show(0); run(!timer); });
  document.addEventListener('keydown', (event) => {
    if (event.target.closest('input, a') || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'ArrowLeft') back.click();
    else if (event.key === 'ArrowRight') next.click();
    else if (event.key === ' ' && event.target.tagName !== 'BUTTON') { event.preventDefault(); toggle.click(); }
  });

  /** Turns that were played since. */
  async function more() {
    const answer = await fetch(`${reel.more}?from=${frames.length - 1}&lang=${reel.language}`, { cache: 'no-store' }).then((response) => (response.ok ? response.json() : null)).catch(() => null);
    for (const turn of (answer && answer.turns) || []) {
      if (!turn.scene || turn.scene.turn !== frames.length) continue;
      const lines = [...(turn.failures || []).map((line) => [null, line]), ...turn.told.map((one) => [one.seat || null, one.text]), ...Object.entries(turn.said || {})];
      frames.push({ scene: turn.scene, told: lines });
    }
    if (answer && answer.result) reel.more = null;
    else setTimeout(more, 3000);
  }

  show(reel.more ? frames.length - 1 : 0);
  run(!still);
  if (reel.more) setTimeout(more, 1500);
})();
