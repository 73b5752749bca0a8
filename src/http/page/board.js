/* Draws a board of any of the games as SVG: StandoffBoard.draw(svg, state, options).
 *
 * state    a position as the contract writes it.
 * options  events   what happened just before it, in order (default none)
 *          you      the viewer's seat, marked on the board
 *          animate  whether the events are played; where the viewer wants no motion they are shown at rest all the same
 *          fullHp   the most hit points that anybody can have, for dots
 *          axes     whether rows and columns are numbered (default they are)
 *          label    what the board is called for those who cannot see it
 *
 * A function of these alone: the same state and events give the same picture. All text goes in as text, never as markup.
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
  const STEM = 0.18;
  const SWEEP = 0.34;
  const BEAT = 0.9;

  const WAYS = {
    up: [-1, 0], down: [1, 0], left: [0, -1], right: [0, 1],
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

  /** The three games' states as one thing: squares by row and column from the top left. */
  function picture(state) {
    const acting = new Set(state.to_act || []);
    if (Array.isArray(state.bots)) {
      const flip = (x, y) => [state.height - 1 - y, x];
      const ground = Array.from({ length: state.height }, () => Array(state.width).fill(0));
      for (const [x, y] of state.walls || []) {
        const [row, col] = flip(x, y);
        if (ground[row]) ground[row][col] = -1;
      }
      return {
        game: 'royale', rows: state.height, cols: state.width, ground, flip: (tile) => flip(tile[0], tile[1]),
        zone: state.zone,
        items: (state.powerups || []).map((item) => ({ kind: item.kind, at: flip(item.x, item.y) })),
        pieces: state.bots.map((bot) => ({
          seat: bot.id, at: flip(bot.position.x, bot.position.y), hp: bot.hp, alive: bot.alive, acts: acting.has(bot.id),
        })),
      };
    }
    const grid = state.grid || [];
    const players = state.players || [];
    const painted = players.some((player) => player.score !== undefined);
    return {
      game: painted ? 'paint' : 'cowboy', rows: grid.length, cols: grid.length ? grid[0].length : 0, ground: grid,
      flip: (at) => at, zone: null, items: [],
      pieces: players
        // Where the dead are taken off the board another may stand on their square.
        .filter((player) => player.alive !== false || !taken(grid, players, player))
        .map((player) => ({
          seat: player.seat, at: [player.row, player.col], hp: player.hp, shield: player.shield,
          alive: player.alive !== false, acts: acting.has(player.seat),
        })),
    };
  }

  function taken(grid, players, dead) {
    return players.some((other) => other !== dead && other.alive && other.row === dead.row && other.col === dead.col);
  }

  function draw(svg, state, options) {
    const wanted = options || {};
    const board = picture(state);
    while (svg.firstChild) svg.removeChild(svg.firstChild);
    svg.setAttribute('class', 'standoff-board' + (wanted.animate ? ' moving' : ''));
    svg.setAttribute('role', 'img');
    const below = board.game === 'royale';
    const [wide, high] = [board.cols * SIDE, board.rows * SIDE];
    const margin = wanted.axes === false ? 6 : MARGIN;
    svg.setAttribute('viewBox', `${-margin} ${below ? -6 : -margin} ${wide + margin + 6} ${high + margin + 6}`);
    if (wanted.label) el(svg, 'title', {}, wanted.label);
    const layer = (name) => el(svg, 'g', { class: name + '-layer' });
    const layers = {
      ground: layer('ground'), steps: layer('steps'), shots: layer('shots'), pieces: layer('pieces'), impacts: layer('impacts'),
    };
    const story = tell(board, wanted.events || []);
    floor(layers.ground, board, wide, high);
    squares(layers.ground, board, story);
    for (const item of board.items) drawItem(layers.ground, item);
    zone(layers.ground, board);
    if (wanted.axes !== false) axes(svg, board, below ? high + 15 : -8);
    for (const step of story.steps) drawStep(layers.steps, step);
    for (const shot of story.shots) drawShot(layers.shots, layers.impacts, board, shot, story);
    for (const piece of board.pieces) if (!piece.alive) drawBody(layers.pieces, piece);
    for (const piece of board.pieces) if (piece.alive) drawPiece(layers.pieces, board, piece, story, wanted);
    return svg;
  }

  /** What the events show: who went where, who shot along which lines, what was struck, and when. */
  function tell(board, events) {
    const story = { steps: [], shots: [], struck: new Map(), broken: [], painted: new Map() };
    const oneByOne = board.game === 'cowboy';
    let now = 0;
    for (const event of events) {
      const seat = event.seat || event.bot;
      if (event.type === 'moved' || event.type === 'move') {
        if (!oneByOne) story.steps = story.steps.filter((step) => step.seat !== seat);
        story.steps.push({ seat, from: board.flip(event.from), to: board.flip(event.to), after: now });
        if (oneByOne) now += 0.35;
      } else if (event.type === 'shot') {
        if (!oneByOne) story.shots = story.shots.filter((shot) => shot.seat !== seat);
        story.shots.push(shotOf(board, event, seat, oneByOne ? now : 0.3));
        if (oneByOne) now += BEAT;
      } else if (event.type === 'bumped' || event.type === 'bounce') {
        story.struck.set(seat, { how: 'bumped', after: 0 });
      } else if (event.type === 'damage' && event.source === 'zone') {
        story.struck.set(seat, { how: 'scorched', after: 0.9 });
      }
    }
    story.shots.forEach((shot, index) => { shot.earlier = oneByOne && index < story.shots.length - 1; });
    for (const shot of story.shots) {
      for (const line of shot.lines) {
        const met = line.after + line.lasts;
        if (line.hit === 'player') story.struck.set(line.seat, { how: 'hit', after: met });
        if (line.hit === 'shield') story.struck.set(line.seat, { how: 'blocked', after: met });
        if (line.hit === 'block') story.broken.push({ at: line.to, left: line.left, after: met });
      }
      shot.cells.forEach((cell, index) => story.painted.set(cell.join(), shot.after + 0.08 * (index + 1)));
    }
    return story;
  }

  /** A shot as lines from square to square. A T is its stem and then both sweeps at once. */
  function shotOf(board, event, seat, begins) {
    const shot = { seat, after: begins, lines: [], cells: [] };
    const shooter = board.pieces.find((piece) => piece.seat === seat);
    if (board.game === 'cowboy') {
      const way = WAYS[event.direction] || [0, 0];
      const from = event.entry ? [event.entry[0] - way[0], event.entry[1] - way[1]] : null;
      if (from) shot.lines.push({ from, to: event.entry, hit: 'through', after: begins, lasts: STEM });
      for (const beam of event.beams || []) {
        const hit = beam.hit || {};
        const kind = hit.kind === 'player' && hit.blocked ? 'shield' : hit.kind;
        shot.lines.push({
          from: beam.from, to: beam.to, hit: kind, seat: hit.seat, left: hit.left,
          after: begins + (from ? STEM : 0), lasts: SWEEP,
        });
      }
    } else if (board.game === 'paint') {
      shot.cells = event.cells || [];
      const last = shot.cells[shot.cells.length - 1];
      if (last && shooter) shot.lines.push({ from: shooter.at, to: last, hit: 'spent', after: begins, lasts: 0.08 * shot.cells.length + 0.1 });
    } else {
      const hit = event.hit ? 'player' : 'spent';
      shot.lines.push({ from: board.flip(event.from), to: board.flip(event.to), hit, seat: event.hit, after: begins, lasts: 0.35 });
    }
    return shot;
  }

  function floor(layer, board, wide, high) {
    el(layer, 'rect', { class: 'floor', width: wide, height: high, rx: 4 });
    let rules = '';
    for (let row = 1; row < board.rows; row++) rules += `M0 ${row * SIDE}h${wide}`;
    for (let col = 1; col < board.cols; col++) rules += `M${col * SIDE} 0v${high}`;
    el(layer, 'path', { class: 'rule', d: rules });
  }

  function axes(svg, board, y) {
    for (let col = 0; col < board.cols; col++) el(svg, 'text', { class: 'axis', x: col * SIDE + HALF, y }, col);
    for (let row = 0; row < board.rows; row++) {
      const name = board.game === 'royale' ? board.rows - 1 - row : row;
      el(svg, 'text', { class: 'axis', x: -14, y: row * SIDE + HALF + 4 }, name);
    }
  }

  function squares(layer, board, story) {
    const held = new Set(board.pieces.map((piece) => piece.at.join()));
    for (let row = 0; row < board.rows; row++) {
      for (let col = 0; col < board.cols; col++) {
        const value = board.ground[row][col];
        const [x, y] = [col * SIDE, row * SIDE];
        if (value === -1 || value === '#') wall(layer, x, y);
        else if (typeof value === 'number' && value > 0) crate(layer, x, y, value);
        else if (typeof value === 'string') {
          const group = el(layer, 'g', { class: `h${hue(value)}` });
          const fresh = story.painted.get(`${row},${col}`);
          if (fresh !== undefined) after(group, fresh).classList.add('appear');
          el(group, 'rect', { class: 'paint', x: x + 1, y: y + 1, width: SIDE - 2, height: SIDE - 2, rx: 3 });
          if (!held.has(`${row},${col}`)) el(group, 'text', { class: 'paint-letter', x: x + 10, y: y + 14 }, value.toLowerCase());
        }
      }
    }
    // What a shot broke is seen until the beam has met it.
    for (const block of story.broken) {
      if (block.left !== 0) continue;
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

  function drawItem(layer, item) {
    const { x, y } = centre(item.at);
    const health = `M${x - 3} ${y - 11}h6v8h8v6h-8v8h-6v-8h-8v-6h8z`;
    const damage = `M${x + 2} ${y - 13}l-10 14h7l-3 11l11 -15h-7l4 -10z`;
    el(layer, 'path', { class: item.kind, d: item.kind === 'health' ? health : damage });
  }

  /** Where it hurts is hatched, and a dashed line runs around where it does not. */
  function zone(layer, board) {
    if (!board.zone) return;
    const { min_x, max_x, min_y, max_y } = board.zone;
    const safe = (row, col) => col >= min_x && col <= max_x && board.rows - 1 - row >= min_y && board.rows - 1 - row <= max_y;
    let outside = 0;
    for (let row = 0; row < board.rows; row++) {
      for (let col = 0; col < board.cols; col++) {
        if (safe(row, col) || board.ground[row][col] === -1) continue;
        outside++;
        const [x, y] = [col * SIDE, row * SIDE];
        el(layer, 'rect', { class: 'outside', x, y, width: SIDE, height: SIDE });
        const lines = `M${x} ${y + HALF}l${HALF} -${HALF}M${x} ${y + SIDE}l${SIDE} -${SIDE}M${x + HALF} ${y + SIDE}l${HALF} -${HALF}`;
        el(layer, 'path', { class: 'outside-rule', d: lines });
      }
    }
    if (!outside || max_x < min_x || max_y < min_y) return;
    el(layer, 'rect', {
      class: 'zone', x: min_x * SIDE, y: (board.rows - 1 - max_y) * SIDE,
      width: (max_x - min_x + 1) * SIDE, height: (max_y - min_y + 1) * SIDE,
    });
  }

  function drawStep(layer, step) {
    const [from, to] = [centre(step.from), centre(step.to)];
    const group = el(layer, 'g', { class: `h${hue(step.seat)}` });
    el(group, 'circle', { class: 'step', cx: from.x, cy: from.y, r: 8 });
    el(group, 'path', { class: 'step', d: `M${from.x} ${from.y}L${to.x} ${to.y}` });
  }

  function drawShot(layer, impacts, board, shot, story) {
    const group = el(layer, 'g', { class: `shot h${hue(shot.seat)}${shot.earlier ? ' earlier' : ''}` });
    // Where several shoot at once each keeps to its right, so that two who shoot at each other can both be seen.
    const aside = story.shots.length > 1 && board.game !== 'cowboy' ? 4 : 0;
    const drawn = shot.lines.map((line) => ({ line, ...ends(line, aside) }));
    for (const kind of ['halo', 'casing', 'beam']) {
      for (const { line, d } of drawn) {
        const path = after(el(group, 'path', { class: `${kind} run`, d, pathLength: 1 }), line.after);
        path.style.setProperty('--lasts', line.lasts + 's');
      }
    }
    for (const { line, x, y } of drawn) {
      if (line.hit === 'player' || line.hit === 'block') {
        const met = after(el(impacts, 'g', { class: `pop${shot.earlier ? ' earlier' : ''}` }), line.after + line.lasts);
        el(met, 'path', { class: 'burst', d: star(x, y, line.hit === 'player' ? 12 : 8, line.hit === 'player' ? 5.5 : 4) });
        el(met, 'path', { class: 'core', d: star(x, y, line.hit === 'player' ? 5.5 : 3.5, 2) });
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
    const short = { player: PIECE, shield: SHIELD, block: HALF - 4, wall: HALF, edge: -HALF }[line.hit] || 0;
    const at = (point, further) => [point.x + ahead.x * further - ahead.y * aside, point.y + ahead.y * further + ahead.x * aside];
    const [start, stop] = [at(from, beyond), at(to, -short)];
    return { d: `M${start.map(round).join(' ')}L${stop.map(round).join(' ')}`, x: stop[0], y: stop[1] };
  }

  function drawPiece(layer, board, piece, story, wanted) {
    const { x, y } = centre(piece.at);
    const group = el(layer, 'g', { class: `piece h${hue(piece.seat)}`, 'data-seat': piece.seat });
    const step = story.steps.filter((one) => one.seat === piece.seat).pop();
    if (step && same(step.to, piece.at)) {
      const from = centre(step.from);
      after(group, step.after).classList.add('go');
      group.style.setProperty('--dx', from.x - x + 'px');
      group.style.setProperty('--dy', from.y - y + 'px');
    }
    const struck = story.struck.get(piece.seat);
    const inner = el(group, 'g', {});
    if (struck) after(inner, struck.after).classList.add('shake');
    if (piece.acts) el(inner, 'circle', { class: 'glow', cx: x, cy: y, r: 21 });
    if (piece.seat === wanted.you) el(inner, 'circle', { class: 'own', cx: x, cy: y, r: 24 });
    el(inner, 'circle', { class: 'disc', cx: x, cy: y, r: PIECE });
    const letters = String(piece.seat);
    const dark = hue(piece.seat) === 5;
    el(inner, 'text', { class: dark ? 'on-dark' : 'on-light', x, y: y + 6.5, 'font-size': letters.length > 1 ? 14 : 19 }, letters);
    if (piece.shield) {
      const way = WAYS[piece.shield] || [0, 0];
      el(inner, 'path', { class: 'shield', d: arc(x, y, SHIELD, Math.atan2(way[0], way[1]), 0.85) });
    }
    if (board.game === 'cowboy') {
      // Beside the shield, never under it.
      const side = piece.shield === 'right' || piece.shield === 'down' ? -1 : 1;
      el(inner, 'rect', { class: 'badge', x: x + side * 14 - 8, y: y + side * 14 - 6.5, width: 16, height: 13, rx: 6 });
      el(inner, 'text', { class: 'badge-hp', x: x + side * 14, y: y + side * 14 + 3.5 }, piece.hp);
    } else if (board.game === 'royale') {
      pips(inner, x, y, piece.hp, Math.max(wanted.fullHp || 0, piece.hp));
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

  /** A dashed pointer from a seat, for the action that somebody is about to choose. Without one it goes away. */
  function hint(svg, state, seat, action) {
    for (const old of svg.querySelectorAll('.hint')) old.remove();
    const piece = action && picture(state).pieces.find((one) => one.seat === seat && one.alive);
    if (!piece) return;
    const { x, y } = centre(piece.at);
    for (const part of String(action).split(', ')) {
      const [verb, direction] = part.split(' ');
      const way = WAYS[direction];
      if (!way) continue;
      const [dx, dy] = [way[1] * SIDE, way[0] * SIDE];
      if (verb === 'move') el(svg, 'circle', { class: 'hint', cx: x + dx, cy: y + dy, r: PIECE });
      else if (verb === 'shield') el(svg, 'path', { class: 'hint', d: arc(x, y, SHIELD + 5, Math.atan2(dy, dx), 0.85) });
      else el(svg, 'path', { class: 'hint', d: arrow(x, y, dx, dy) });
    }
  }

  /**
   * What an action would do, dashed: `events` as the engine foretells them, null to take it away. Where the shot would go is
   * drawn from where the shooter would stand by then, and what it would strike has a ring.
   */
  function preview(svg, state, seat, events) {
    for (const old of svg.querySelectorAll('.preview-layer')) old.remove();
    if (!events) return;
    const board = picture(state);
    const piece = board.pieces.find((one) => one.seat === seat);
    const layer = el(svg, 'g', { class: `preview-layer h${hue(seat)}` });
    for (const event of events) {
      if ((event.seat || event.bot) !== seat) continue;
      if (event.type === 'moved' || event.type === 'move') {
        const [from, to] = [centre(board.flip(event.from)), centre(board.flip(event.to))];
        el(layer, 'circle', { class: 'foreseen', cx: to.x, cy: to.y, r: PIECE });
        el(layer, 'path', { class: 'foreseen', d: `M${from.x} ${from.y}L${to.x} ${to.y}` });
        if (piece) piece.at = board.flip(event.to);
      } else if (event.type === 'shielded' && piece) {
        const way = WAYS[event.direction] || [0, 0];
        const { x, y } = centre(piece.at);
        el(layer, 'path', { class: 'foreseen', d: arc(x, y, SHIELD + 5, Math.atan2(way[0], way[1]), 0.85) });
      } else if (event.type === 'shot') {
        for (const line of shotOf(board, event, seat, 0).lines) {
          const { d, x, y } = ends(line, 0, piece && same(line.from, piece.at) ? PIECE + 2 : 0);
          el(layer, 'path', { class: 'foreseen-casing', d });
          el(layer, 'path', { class: 'foreseen', d });
          if (['player', 'block', 'shield'].includes(line.hit)) el(layer, 'circle', { class: `target ${line.hit}`, cx: x, cy: y, r: 7 });
        }
      }
    }
  }

  /** The square under a point of the screen, as row and column, or null beside the board. */
  function squareAt(svg, state, clientX, clientY) {
    const turned = svg.getScreenCTM();
    if (!turned) return null;
    const at = new DOMPoint(clientX, clientY).matrixTransform(turned.inverse());
    const [row, col] = [Math.floor(at.y / SIDE), Math.floor(at.x / SIDE)];
    const board = picture(state);
    return row >= 0 && col >= 0 && row < board.rows && col < board.cols ? [row, col] : null;
  }

  function arrow(x, y, dx, dy) {
    const [tip, angle] = [{ x: x + dx * 1.05, y: y + dy * 1.05 }, Math.atan2(dy, dx)];
    const barb = (turn) => `M${round(tip.x)} ${round(tip.y)}l${round(-10 * Math.cos(angle + turn))} ${round(-10 * Math.sin(angle + turn))}`;
    return `M${x + dx * 0.4} ${y + dy * 0.4}L${round(tip.x)} ${round(tip.y)}${barb(0.5)}${barb(-0.5)}`;
  }

  const round = (number) => Math.round(number * 10) / 10;

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

  return { draw, hint, hue, picture, preview, squareAt, ways: WAYS };
})();
