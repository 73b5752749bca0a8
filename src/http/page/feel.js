/** What one feels of a match: where it hurts, a tone when it is one's turn, the title of the tab. Tones are optional. */
import { kept } from './api.js';
import { h } from './dom.js';

/** Hertz and seconds, one after another. */
const TONES = { turn: [[660, 0.08], [880, 0.12]], hurt: [[196, 0.12], [147, 0.2]], struck: [[988, 0.07]], won: [[523, 0.1], [659, 0.1], [784, 0.22]], lost: [[330, 0.14], [262, 0.26]] };
const STRIKES = ['hit', 'killed', 'scorched'];

export const wants = (name) => kept.read(name) === true;

let sound = null;

/** Plays a tone, if the person wants any. */
export function tone(name) {
  if (!wants('sound')) return;
  try {
    sound = sound || new AudioContext();
    let at = sound.currentTime;
    for (const [pitch, lasts] of TONES[name]) {
      const [source, volume] = [sound.createOscillator(), sound.createGain()];
      source.frequency.value = pitch;
      volume.gain.setValueAtTime(0.12, at);
      volume.gain.exponentialRampToValueAtTime(0.001, at + lasts);
      source.connect(volume).connect(sound.destination);
      source.start(at);
      source.stop(at + lasts);
      at += lasts;
    }
  } catch { /* A browser without sound is silent. */ }
}

/** Who lost how much in the turn that led to a scene, of those who were struck on the board, and who else fell. */
export function losses(before, scene) {
  if (!before || before.turn >= scene.turn) return [];
  const struck = (at) => ((scene.board.traces || {}).marks || []).some((mark) => STRIKES.includes(mark.effect) && mark.at[0] === at[0] && mark.at[1] === at[1]);
  return scene.standings.flatMap((one) => {
    const was = before.standings.find((other) => other.seat === one.seat);
    const piece = scene.board.pieces.find((other) => other.seat === one.seat) || before.board.pieces.find((other) => other.seat === one.seat);
    const lost = was ? was.meter.value - one.meter.value : 0;
    return lost > 0 && piece && (struck(piece.at) || (was.alive && !one.alive)) ? [{ seat: one.seat, at: piece.at, told: struck(piece.at) ? `−${lost}` : '✕' }] : [];
  });
}

/** How taps and tones are to be. */
export function preferences(page) {
  const text = page.text.match;
  const box = (name, label) => {
    const field = h('input', { type: 'checkbox', id: `wants-${name}`, checked: wants(name), on: { change: () => kept.write(name, field.checked) } });
    return h('label', { class: 'check', for: field.id }, field, label);
  };
  return h('section', { class: 'panel preferences' }, h('h2', {}, text.preferences), box('confirm', text.confirm_taps), box('sound', text.sound));
}
