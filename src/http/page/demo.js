/** A short duel for the first screen, as the engine played it. */

const _ = null;
const GRID = [
  ['#', '#', '#', '#', '#', '#', '#', '#', '#', '#', '#'],
  ['#', _, _, 1, _, _, _, _, _, _, '#'],
  ['#', _, 1, _, _, _, _, _, 1, _, '#'],
  ['#', _, _, '#', _, 2, _, '#', _, 1, '#'],
  ['#', _, _, _, _, _, _, _, _, _, '#'],
  ['#', _, _, 2, _, '#', _, 2, _, _, '#'],
  ['#', _, _, _, _, _, _, _, _, _, '#'],
  ['#', 1, _, '#', _, 2, _, '#', _, _, '#'],
  ['#', _, 1, _, _, _, _, _, 1, _, '#'],
  ['#', _, _, _, _, _, _, 1, _, _, '#'],
  ['#', '#', '#', '#', '#', '#', '#', '#', '#', '#', '#'],
];

/** Seat, square, hit points and facing of both, and what happened. */
const TURNS = [
  { pieces: [['A', [3, 4], 3, 'north'], ['B', [4, 2], 3, 'north']], steps: [['A', [2, 4], [3, 4]]] },
  { pieces: [['A', [3, 4], 3, 'north'], ['B', [4, 3], 3, 'north']], steps: [['B', [4, 2], [4, 3]]] },
  { pieces: [['A', [3, 4], 3, 'north'], ['B', [4, 3], 2, 'north']],
    beams: [['A', [3, 4], [4, 4], 'spent'], ['A', [4, 4], [4, 3], 'face'], ['A', [4, 4], [4, 10], 'face']], marks: [[[4, 3], 'hit']] },
  { pieces: [['A', [3, 4], 2, 'north'], ['B', [4, 3], 2, 'north']],
    beams: [['B', [4, 3], [4, 4], 'spent'], ['B', [4, 4], [3, 4], 'face'], ['B', [4, 4], [10, 4], 'face']], marks: [[[3, 4], 'hit']] },
  { pieces: [['A', [3, 4], 2, 'south'], ['B', [4, 3], 2, 'north']] },
  { pieces: [['A', [3, 4], 2, 'south'], ['B', [4, 3], 2, 'north']],
    beams: [['B', [4, 3], [4, 4], 'spent'], ['B', [4, 4], [3, 4], 'face'], ['B', [4, 4], [10, 4], 'face']], marks: [[[3, 4], 'blocked']] },
];
const BEAT = 2200;

const LABELS = GRID.map((_row, at) => String(at));

const scene = ({ pieces, steps = [], beams = [], marks = [] }, turn) => ({
  turn,
  board: {
    row_labels: LABELS, col_labels: LABELS, origin: 'top_left', ground: GRID,
    pieces: pieces.map(([seat, at, value, facing], index) => ({ seat, at, alive: true, facing, meter: { value, of: 3 }, to_act: index === (turn + 1) % 2 })),
    traces: {
      steps: steps.map(([seat, from, to]) => ({ seat, from, to, beat: 0 })),
      beams: beams.map(([seat, from, to, end]) => ({ seat, from, to, end, beat: 0 })),
      marks: marks.map(([at, effect]) => ({ at, effect, beat: 0 })),
    },
  },
});

/** Plays the duel over and over; where no motion is wanted its best shot stands still. */
export function demo(board, page) {
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  let turn = still ? 2 : 0;
  const draw = () => StandoffBoard.draw(board, scene(TURNS[turn], turn), { animate: !still, label: page.text.home.demo });
  draw();
  if (still) return;
  const timer = setInterval(() => {
    if (document.hidden) return;
    turn = (turn + 1) % TURNS.length;
    draw();
  }, BEAT);
  page.signal.addEventListener('abort', () => clearInterval(timer));
}
