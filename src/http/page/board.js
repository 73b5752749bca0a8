/* Draws a scene of any game as SVG: StandoffBoard.draw(svg, scene, options).
 *
 * scene    what there is to see, as the server describes it (Scene in /api/v1/openapi.json).
 * options  you      the viewer's seat, marked on the board
 *          animate  whether what happened is played; where the viewer wants no motion it is shown at rest all the same
 *          axes     whether rows and columns are named (default they are)
 *          label    what the board is called for those who cannot see it
 *
 * A function of these alone: the same scene gives the same picture. All text goes in as text, never as markup.
 */
var StandoffBoard = (function () {
  'use strict';

  const SVG = 'http://www.w3.org/2000/svg';
  const SIDE = 44;
  const HALF = SIDE / 2;
  const MARGIN = 26;
  const PIECE = 15;
  const SHIELD = 19.5;
  // Seconds.
  const STEP = 0.35;
  const STEM = 0.18;
  const SWEEP = 0.34;
  const BEAT = 0.9;

  const WAYS = {
    north: [-1, 0], south: [1, 0], west: [0, -1], east: [0, 1],
    'north-east': [-1, 1], 'north-west': [-1, -1], 'south-east': [1, 1], 'south-west': [1, -1],
  };

  /** Which of the eight colours a seat has: A 0, B 1, … AA 26 mod 8. */
  function hue(seat) {
    let number = 0;
    for (const letter of String(seat)) number = number * 26 + (letter.charCodeAt(0) - 64);
    return (((number - 1) % 8) + 8) % 8;
  }

  function el(parent, name, attributes, text) {
    const made = document.createElementNS(SVG, name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (text !== undefined) made.textContent = text;
    parent.appendChild(made);
    return made;
  }

  const centre = (at) => ({ x: at[1] * SIDE + HALF, y: at[0] * SIDE + HALF });
  const same = (one, other) => one[0] === other[0] && one[1] === other[1];
  const after = (element, seconds) => {
    element.style.setProperty('--after', seconds.toFixed(2) + 's');
    return element;
  };

  const list = (traces, name) => (traces && traces[name]) || [];

  function draw(svg, scene, options) {
    const wanted = options || {};
    const { board } = scene;
    while (svg.firstChild) svg.removeChild(svg.firstChild);
    svg.setAttribute('class', 'standoff-board' + (wanted.animate ? ' moving' : ''));
    svg.setAttribute('role', 'img');
    const below = board.origin === 'bottom_left';
    const [wide, high] = [board.col_labels.length * SIDE, board.row_labels.length * SIDE];
    const margin = wanted.axes === false ? 6 : MARGIN;
    svg.setAttribute('viewBox', `${-margin} ${below ? -6 : -margin} ${wide + margin + 6} ${high + margin + 6}`);
    if (wanted.label) el(svg, 'title', {}, wanted.label);
    const layer = (name) => el(svg, 'g', { class: name + '-layer' });
    const layers = {
      ground: layer('ground'), steps: layer('steps'), shots: layer('shots'), pieces: layer('pieces'), impacts: layer('impacts'),
    };
    const story = tell(board);
    floor(layers.ground, board, wide, high);
    squares(layers.ground, board, story);
    for (const item of board.items || []) drawItem(layers.ground, item);
    hatch(layers.ground, board);
    fog(layers.ground, board);
    zone(layers.ground, board);
    if (wanted.axes !== false) axes(svg, board, below ? high + 15 : -8);
    for (const step of story.steps) drawStep(layers.steps, step);
    for (const shot of story.shots) drawShot(layers.shots, layers.impacts, shot);
    for (const piece of board.pieces) if (!piece.alive) drawBody(layers.pieces, piece);
    for (const piece of board.pieces) if (piece.alive) drawPiece(layers.pieces, piece, story, wanted);
    return svg;
  }

  /** When everything that the scene traces happens: turn after turn, and in a turn steps before shots. */
  function tell(board) {
    const { traces } = board;
    const all = ['beams', 'steps', 'marks', 'turned'].flatMap((name) => list(traces, name));
    const story = { steps: [], shots: [], struck: new Map(), broken: [], coloured: new Map() };
    const last = Math.max(-1, ...list(traces, 'beams').map((one) => one.beat));
    let now = 0;
    for (const beat of [...new Set(all.map((one) => one.beat))].sort((one, other) => one - other)) {
      const during = (name) => list(traces, name).filter((one) => one.beat === beat);
      const [steps, beams] = [during('steps'), during('beams')];
      for (const step of steps) story.steps.push({ ...step, after: now });
      for (const mark of during('marks')) strike(story, mark.at, mark.effect, mark.effect === 'scorched' ? now + BEAT : now);
      const begins = now + (steps.length && beams.length ? STEP - 0.05 : 0);
      for (const seat of new Set(beams.map((beam) => beam.seat))) {
        const lines = timed(board, beams.filter((beam) => beam.seat === seat), during('marks'), begins);
        const crowded = beams.some((beam) => beam.seat !== seat);
        story.shots.push({ seat, lines, earlier: beat < last, aside: crowded ? 4 : 0 });
        for (const line of lines) impact(story, board, line, seat);
      }
      now += beams.length ? BEAT : steps.length ? STEP : 0;
    }
    return story;
  }

  /** The lines of one seat's shot: one that begins where another ends comes after it. */
  function timed(board, beams, marks, begins) {
    return beams.map((beam) => {
      const waits = beams.some((other) => other !== beam && same(other.to, beam.from));
      const stem = beams.some((other) => other !== beam && same(other.from, beam.to));
      return { ...beam, hit: met(board, beam, marks), after: begins + (waits ? STEM : 0), lasts: stem ? STEM : SWEEP };
    });
  }

  /** What a line came to: what it hit, or how it ended. */
  function met(board, beam, marks) {
    const found = (effect) => marks.some((mark) => mark.effect === effect && same(mark.at, beam.to));
    const ground = board.ground[beam.to[0]][beam.to[1]];
    const held = board.pieces.some((piece) => same(piece.at, beam.to));
    if (beam.end !== 'face') return found('hit') && !held ? 'broken' : beam.end;
    if (!held && ground === '#') return 'wall';
    if (!held && typeof ground === 'number') return 'block';
    return found('blocked') ? 'shield' : 'player';
  }

  function impact(story, board, line, seat) {
    const when = line.after + line.lasts;
    if (line.hit === 'player') strike(story, line.to, 'hit', when);
    if (line.hit === 'shield') strike(story, line.to, 'blocked', when);
    if (line.hit === 'broken') story.broken.push({ at: line.to, after: when });
    const along = between(line.from, line.to);
    along.forEach((at, index) => { if (board.ground[at[0]][at[1]] === seat) story.coloured.set(at.join(), line.after + (line.lasts * (index + 1)) / along.length); });
  }

  function strike(story, at, how, after) {
    const known = story.struck.get(at.join());
    if (!known || known.how !== 'scorched') story.struck.set(at.join(), { how, after });
  }

  /** The squares of a straight line, without the first. */
  function between(from, to) {
    const length = Math.max(Math.abs(to[0] - from[0]), Math.abs(to[1] - from[1]));
    const step = [Math.sign(to[0] - from[0]), Math.sign(to[1] - from[1])];
    return Array.from({ length }, (_, at) => [from[0] + step[0] * (at + 1), from[1] + step[1] * (at + 1)]);
  }

  function floor(layer, board, wide, high) {
    el(layer, 'rect', { class: 'floor', width: wide, height: high, rx: 4 });
    let rules = '';
    for (let row = 1; row < board.row_labels.length; row++) rules += `M0 ${row * SIDE}h${wide}`;
    for (let col = 1; col < board.col_labels.length; col++) rules += `M${col * SIDE} 0v${high}`;
    el(layer, 'path', { class: 'rule', d: rules });
  }

  function axes(svg, board, y) {
    board.col_labels.forEach((name, col) => el(svg, 'text', { class: 'axis', x: col * SIDE + HALF, y }, name));
    board.row_labels.forEach((name, row) => el(svg, 'text', { class: 'axis', x: -14, y: row * SIDE + HALF + 4 }, name));
  }

  function squares(layer, board, story) {
    const held = new Set(board.pieces.map((piece) => piece.at.join()));
    board.ground.forEach((cells, row) => cells.forEach((value, col) => {
      const [x, y] = [col * SIDE, row * SIDE];
      if (value === '#') wall(layer, x, y);
      else if (typeof value === 'number') crate(layer, x, y, value);
      else if (typeof value === 'string') {
        const group = el(layer, 'g', { class: `h${hue(value)}` });
        const fresh = story.coloured.get(`${row},${col}`);
        if (fresh !== undefined) after(group, fresh).classList.add('appear');
        el(group, 'rect', { class: 'owned', x: x + 1, y: y + 1, width: SIDE - 2, height: SIDE - 2, rx: 3 });
        if (!held.has(`${row},${col}`)) el(group, 'text', { class: 'owned-letter', x: x + 10, y: y + 14 }, value.toLowerCase());
      }
    }));
    // What a shot broke is seen until the beam has met it.
    for (const block of story.broken) {
      const ghost = after(el(layer, 'g', { class: 'gone' }), block.after);
      crate(ghost, block.at[1] * SIDE, block.at[0] * SIDE, 1);
    }
  }

  function wall(layer, x, y) {
    el(layer, 'rect', { class: 'wall', x, y, width: SIDE, height: SIDE });
    el(layer, 'rect', { class: 'lit', x: x + 2, y: y + 2, width: SIDE - 4, height: SIDE - 8, rx: 3 });
  }

  function crate(layer, x, y, hp) {
    el(layer, 'rect', { class: `crate b${Math.min(hp, 4)}`, x: x + 4, y: y + 4, width: SIDE - 8, height: SIDE - 8, rx: 4 });
    el(layer, 'path', { class: 'plank', d: `M${x + 8} ${y + 12}h28M${x + 8} ${y + SIDE - 12}h28` });
    el(layer, 'text', { class: 'crate-hp', x: x + HALF, y: y + HALF + 6, 'font-size': 18 }, hp);
  }

  function drawItem(layer, { at, item }) {
    const { x, y } = centre(at);
    const health = `M${x - 3} ${y - 11}h6v8h8v6h-8v8h-6v-8h-8v-6h8z`;
    const boost = `M${x + 2} ${y - 13}l-10 14h7l-3 11l11 -15h-7l4 -10z`;
    el(layer, 'path', { class: item, d: item === 'health' ? health : boost });
  }

  /** Where it hurts is hatched. */
  function hatch(layer, board) {
    if (!board.safe) return;
    const { first, last } = board.safe;
    board.ground.forEach((cells, row) => cells.forEach((value, col) => {
      if ((row >= first[0] && row <= last[0] && col >= first[1] && col <= last[1]) || value === '#') return;
      const [x, y] = [col * SIDE, row * SIDE];
      el(layer, 'rect', { class: 'outside', x, y, width: SIDE, height: SIDE });
      const lines = `M${x} ${y + HALF}l${HALF} -${HALF}M${x} ${y + SIDE}l${SIDE} -${SIDE}M${x + HALF} ${y + SIDE}l${HALF} -${HALF}`;
      el(layer, 'path', { class: 'outside-rule', d: lines });
    }));
  }

  /** A dashed line runs around where it does not hurt, above the fog: everybody knows the zone. */
  function zone(layer, board) {
    if (!board.safe) return;
    forecast(layer, board);
    const { first, last } = board.safe;
    const whole = first[0] <= 0 && first[1] <= 0 && last[0] >= board.row_labels.length - 1 && last[1] >= board.col_labels.length - 1;
    if (whole || last[0] < first[0] || last[1] < first[1]) return;
    el(layer, 'rect', { class: 'zone', x: first[1] * SIDE, y: first[0] * SIDE, width: (last[1] - first[1] + 1) * SIDE, height: (last[0] - first[0] + 1) * SIDE });
  }

  /** Where it will hurt before long: dots between the edge of now and the edge to come. */
  function forecast(layer, board) {
    if (!board.forecast) return;
    const inside = ({ first, last }, row, col) => row >= first[0] && row <= last[0] && col >= first[1] && col <= last[1];
    board.ground.forEach((cells, row) => cells.forEach((value, col) => {
      if (value === '#' || !inside(board.safe, row, col) || inside(board.forecast, row, col)) return;
      el(layer, 'circle', { class: 'forecast', cx: col * SIDE + 7, cy: row * SIDE + 7, r: 3 });
    }));
    const { first, last } = board.forecast;
    if (last[0] >= first[0] && last[1] >= first[1]) el(layer, 'rect', { class: 'forecast-edge', x: first[1] * SIDE, y: first[0] * SIDE, width: (last[1] - first[1] + 1) * SIDE, height: (last[0] - first[0] + 1) * SIDE });
  }

  /** What is out of sight lies in the dark, under drifting wisps; walls are known. */
  function fog(layer, board) {
    if (!board.sight) return;
    const seen = (row, col) => board.sight.some(({ first, last }) => row >= first[0] && row <= last[0] && col >= first[1] && col <= last[1]);
    board.ground.forEach((cells, row) => cells.forEach((value, col) => {
      if (value === '#' || seen(row, col)) return;
      const [x, y] = [col * SIDE, row * SIDE];
      el(layer, 'rect', { class: 'fog', x, y, width: SIDE, height: SIDE });
      const low = (row * 7 + col * 5) % 3;
      el(layer, 'path', { class: 'wisp', d: `M${x + 2} ${y + 14 + 4 * low}q10 -9 20 0t20 0M${x + 2} ${y + 32 - 3 * low}q10 -7 20 0t20 0` });
    }));
  }

  function drawStep(layer, step) {
    const [from, to] = [centre(step.from), centre(step.to)];
    const group = el(layer, 'g', { class: `h${hue(step.seat)}` });
    el(group, 'circle', { class: 'step', cx: from.x, cy: from.y, r: 8 });
    el(group, 'path', { class: 'step', d: `M${from.x} ${from.y}L${to.x} ${to.y}` });
  }

  function drawShot(layer, impacts, shot) {
    const group = el(layer, 'g', { class: `shot h${hue(shot.seat)}${shot.earlier ? ' earlier' : ''}` });
    // Where several shoot at once each keeps to its right, so that two who shoot at each other can both be seen.
    const drawn = shot.lines.map((line) => ({ line, ...ends(line, shot.aside) }));
    for (const kind of ['halo', 'casing', 'beam']) {
      for (const { line, d } of drawn) {
        const path = after(el(group, 'path', { class: `${kind} run`, d, pathLength: 1 }), line.after);
        path.style.setProperty('--lasts', line.lasts + 's');
      }
    }
    for (const { line, x, y } of drawn) {
      const large = line.hit === 'player';
      if (large || line.hit === 'block' || line.hit === 'broken') {
        const met = after(el(impacts, 'g', { class: `pop${shot.earlier ? ' earlier' : ''}` }), line.after + line.lasts);
        el(met, 'path', { class: 'burst', d: star(x, y, large ? 12 : 8, large ? 5.5 : 4) });
        el(met, 'path', { class: 'core', d: star(x, y, large ? 5.5 : 3.5, 2) });
      } else if (line.hit === 'shield') {
        const at = centre(line.to);
        const angle = Math.atan2(y - at.y, x - at.x);
        const rings = after(el(impacts, 'g', { class: `pop${shot.earlier ? ' earlier' : ''}` }), line.after + line.lasts);
        el(rings, 'path', { class: 'ring', 'stroke-width': 3, d: arc(at.x, at.y, SHIELD + 6, angle, 0.62) });
        el(rings, 'path', { class: 'ring', 'stroke-width': 2, d: arc(at.x, at.y, SHIELD + 11, angle, 0.62) });
      }
    }
  }

  /** From the middle of the first square, or so far beyond it, to the face of what was met, or the middle of the last square. */
  function ends(line, aside, beyond = 0) {
    const [from, to] = [centre(line.from), centre(line.to)];
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    if (!length) return { d: `M${from.x} ${from.y}h0`, x: to.x, y: to.y };
    const ahead = { x: (to.x - from.x) / length, y: (to.y - from.y) / length };
    const short = { player: PIECE, shield: SHIELD, block: HALF - 4, broken: HALF - 4, wall: HALF, through: -HALF }[line.hit] || 0;
    const at = (point, further) => [point.x + ahead.x * further - ahead.y * aside, point.y + ahead.y * further + ahead.x * aside];
    const [start, stop] = [at(from, beyond), at(to, -short)];
    return { d: `M${start.map(round).join(' ')}L${stop.map(round).join(' ')}`, x: stop[0], y: stop[1] };
  }

  function drawPiece(layer, piece, story, wanted) {
    const { x, y } = centre(piece.at);
    const group = el(layer, 'g', { class: `piece h${hue(piece.seat)}`, 'data-seat': piece.seat });
    const step = story.steps.filter((one) => one.seat === piece.seat).pop();
    if (step && same(step.to, piece.at)) {
      const from = centre(step.from);
      after(group, step.after).classList.add('go');
      group.style.setProperty('--dx', from.x - x + 'px');
      group.style.setProperty('--dy', from.y - y + 'px');
    }
    const struck = story.struck.get(piece.at.join());
    const inner = el(group, 'g', {});
    if (struck) after(inner, struck.after).classList.add('shake');
    if (piece.to_act) el(inner, 'circle', { class: 'glow', cx: x, cy: y, r: 21 });
    if (piece.seat === wanted.you) el(inner, 'circle', { class: 'own', cx: x, cy: y, r: 24 });
    el(inner, 'circle', { class: 'disc', cx: x, cy: y, r: PIECE });
    const letters = String(piece.seat);
    const dark = hue(piece.seat) === 5;
    el(inner, 'text', { class: dark ? 'on-dark' : 'on-light', x, y: y + 6.5, 'font-size': letters.length > 1 ? 14 : 19 }, letters);
    const way = WAYS[piece.facing];
    if (way) {
      el(inner, 'path', { class: 'shield', d: arc(x, y, SHIELD, Math.atan2(way[0], way[1]), 0.85) });
      // Beside the shield, never under it.
      const side = way[0] + way[1] > 0 ? -1 : 1;
      if (piece.meter) {
        el(inner, 'rect', { class: 'badge', x: x + side * 14 - 8, y: y + side * 14 - 6.5, width: 16, height: 13, rx: 6 });
        el(inner, 'text', { class: 'badge-hp', x: x + side * 14, y: y + side * 14 + 3.5 }, piece.meter.value);
      }
    } else if (piece.meter) {
      pips(inner, x, y, piece.meter.value, Math.max(piece.meter.of, piece.meter.value));
    }
    if (struck && struck.how === 'scorched') {
      el(inner, 'path', { class: 'burst', d: star(x + 13, y - 13, 8.5, 6) });
      el(inner, 'text', { class: 'on-dark', x: x + 13, y: y - 9, 'font-size': 11 }, '!');
    }
  }

  function pips(layer, x, y, hp, of) {
    if (of > 5) {
      el(layer, 'text', { x, y: y + 20, 'font-size': 10 }, hp);
      return;
    }
    for (let at = 0; at < of; at++) {
      const cx = x + 8 * (at - (of - 1) / 2);
      el(layer, 'circle', { class: at < hp ? 'pip' : 'pip off', cx, cy: y + 17, r: 3.6 });
    }
  }

  function drawBody(layer, piece) {
    const { x, y } = centre(piece.at);
    const group = el(layer, 'g', { class: 'dead', 'data-seat': piece.seat });
    el(group, 'circle', { class: 'body', cx: x, cy: y, r: PIECE });
    el(group, 'text', { class: 'body-letter', x, y: y + 5, 'font-size': 14 }, String(piece.seat).toLowerCase() + '†');
  }

  /** A dashed pointer from a seat to the nearest of these squares, for what somebody is about to choose. Without any it goes away. */
  function hint(svg, scene, seat, cells) {
    for (const old of svg.querySelectorAll('.hint')) old.remove();
    const piece = cells && cells.length && scene.board.pieces.find((one) => one.seat === seat && one.alive);
    if (!piece) return;
    const [from, to] = [centre(piece.at), centre(cells[0])];
    const line = same(piece.at, cells[0]) ? '' : `M${from.x} ${from.y}L${to.x} ${to.y}`;
    el(svg, 'path', { class: 'hint', d: `${line}M${to.x - PIECE} ${to.y}a${PIECE} ${PIECE} 0 1 0 ${2 * PIECE} 0a${PIECE} ${PIECE} 0 1 0 ${-2 * PIECE} 0` });
  }

  /**
   * What an action would leave to be seen, dashed: `traces` as the server foretells them, null to take it away. What a shot
   * would strike has a dot.
   */
  function preview(svg, scene, seat, traces) {
    for (const old of svg.querySelectorAll('.preview-layer')) old.remove();
    if (!traces) return;
    const { board } = scene;
    const piece = board.pieces.find((one) => one.seat === seat);
    const own = (name) => list(traces, name).filter((one) => one.seat === seat);
    const layer = el(svg, 'g', { class: `preview-layer h${hue(seat)}` });
    let stands = piece && piece.at;
    for (const step of own('steps')) {
      const to = centre(step.to);
      el(layer, 'circle', { class: 'foreseen', cx: to.x, cy: to.y, r: PIECE });
      el(layer, 'path', { class: 'foreseen', d: ends({ ...step, hit: 'player' }, 0, PIECE + 2).d });
      stands = step.to;
    }
    for (const turned of own('turned')) {
      const way = WAYS[turned.facing] || [0, 0];
      const { x, y } = centre(stands);
      el(layer, 'path', { class: 'foreseen', d: arc(x, y, SHIELD + 5, Math.atan2(way[0], way[1]), 0.85) });
    }
    for (const line of timed(board, own('beams'), list(traces, 'marks'), 0)) {
      const { d, x, y } = ends(line, 0, stands && same(line.from, stands) ? PIECE + 2 : 0);
      el(layer, 'path', { class: 'foreseen-casing', d });
      el(layer, 'path', { class: 'foreseen', d });
      if (['player', 'block', 'shield', 'broken'].includes(line.hit)) el(layer, 'circle', { class: `target ${line.hit}`, cx: x, cy: y, r: 7 });
    }
  }

  /** The square under a point of the screen, as row and column, or null beside the board. */
  function squareAt(svg, scene, clientX, clientY) {
    const turned = svg.getScreenCTM();
    if (!turned) return null;
    const at = new DOMPoint(clientX, clientY).matrixTransform(turned.inverse());
    const [row, col] = [Math.floor(at.y / SIDE), Math.floor(at.x / SIDE)];
    const { row_labels: rows, col_labels: cols } = scene.board;
    return row >= 0 && col >= 0 && row < rows.length && col < cols.length ? [row, col] : null;
  }

  const round = (number) => Math.round(number * 10) / 10;

  /** A word on a square, like what somebody lost there. */
  function note(svg, at, text) {
    const { x, y } = centre(at);
    const group = el(svg, 'g', { class: 'note-layer' });
    for (const name of ['loss-casing', 'loss']) el(group, 'text', { class: name, x, y: y - 14 }, text);
  }

  function arc(x, y, radius, angle, spread) {
    const at = (turn) => `${round(x + radius * Math.cos(turn))} ${round(y + radius * Math.sin(turn))}`;
    return `M${at(angle - spread)}A${radius} ${radius} 0 0 1 ${at(angle + spread)}`;
  }

  function star(x, y, outer, inner) {
    const points = Array.from({ length: 16 }, (_, point) => {
      const [angle, radius] = [(point * Math.PI) / 8, point % 2 ? inner : outer];
      return `${round(x + radius * Math.cos(angle))} ${round(y + radius * Math.sin(angle))}`;
    });
    return `M${points.join('L')}z`;
  }

  return { draw, hint, hue, note, preview, squareAt, ways: WAYS };
})();
