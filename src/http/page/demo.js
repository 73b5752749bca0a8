/** A short duel for the first screen, as the engine played it. */

const GRID = [
  [-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1],
  [-1, 0, 0, 1, 0, 0, 0, 0, 0, 0, -1],
  [-1, 0, 1, 0, 0, 0, 0, 0, 1, 0, -1],
  [-1, 0, 0, -1, 0, 2, 0, -1, 0, 1, -1],
  [-1, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1],
  [-1, 0, 0, 2, 0, -1, 0, 2, 0, 0, -1],
  [-1, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1],
  [-1, 1, 0, -1, 0, 2, 0, -1, 0, 0, -1],
  [-1, 0, 1, 0, 0, 0, 0, 0, 1, 0, -1],
  [-1, 0, 0, 0, 0, 0, 0, 1, 0, 0, -1],
  [-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1],
];

/** Seat, row, column, hit points and shield of both, and what happened. */
const TURNS = [
  { players: [['A', 3, 4, 3, 'up'], ['B', 4, 2, 3, 'up']],
    events: [{type: 'moved', seat: 'A', from: [2, 4], to: [3, 4]}] },
  { players: [['A', 3, 4, 3, 'up'], ['B', 4, 3, 3, 'up']],
    events: [{type: 'moved', seat: 'B', from: [4, 2], to: [4, 3]}] },
  { players: [['A', 3, 4, 3, 'up'], ['B', 4, 3, 2, 'up']],
    events: [{type: 'shot', seat: 'A', direction: 'down', entry: [4, 4], beams: [{direction: 'left', from: [4, 4], to: [4, 3], hit: {kind: 'player', seat: 'B', blocked: false, hp: 2}}, {direction: 'right', from: [4, 4], to: [4, 10], hit: {kind: 'wall'}}]}] },
  { players: [['A', 3, 4, 2, 'up'], ['B', 4, 3, 2, 'up']],
    events: [{type: 'shot', seat: 'B', direction: 'right', entry: [4, 4], beams: [{direction: 'up', from: [4, 4], to: [3, 4], hit: {kind: 'player', seat: 'A', blocked: false, hp: 2}}, {direction: 'down', from: [4, 4], to: [10, 4], hit: {kind: 'wall'}}]}] },
  { players: [['A', 3, 4, 2, 'down'], ['B', 4, 3, 2, 'up']],
    events: [{type: 'shielded', seat: 'A', direction: 'down'}] },
  { players: [['A', 3, 4, 2, 'down'], ['B', 4, 3, 2, 'up']],
    events: [{type: 'shot', seat: 'B', direction: 'right', entry: [4, 4], beams: [{direction: 'up', from: [4, 4], to: [3, 4], hit: {kind: 'player', seat: 'A', blocked: true, hp: 2}}, {direction: 'down', from: [4, 4], to: [10, 4], hit: {kind: 'wall'}}]}] },
];
const BEAT = 2200;

const state = ({ players }, turn) => ({
  ruleset: 'cowboy', turn, grid: GRID, to_act: [players[(turn + 1) % 2][0]], outcome: null,
  players: players.map(([seat, row, col, hp, shield]) => ({ seat, row, col, hp, shield, alive: true, kills: 0, place: null })),
});

/** Plays the duel over and over; where no motion is wanted its best shot stands still. */
export function demo(board, page) {
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  let turn = still ? 2 : 0;
  const draw = () => StandoffBoard.draw(board, state(TURNS[turn], turn), { events: TURNS[turn].events, animate: !still, fullHp: 3, label: page.text.home.demo });
  draw();
  if (still) return;
  const timer = setInterval(() => {
    if (document.hidden) return;
    turn = (turn + 1) % TURNS.length;
    draw();
  }, BEAT);
  page.signal.addEventListener('abort', () => clearInterval(timer));
}
