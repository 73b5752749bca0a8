/** What the house has: rulesets and guests, asked for once, and how a match is opened. */
import { call, keepInvite, keepSeats, kept } from './api.js';
import { svg } from './dom.js';

let rulesetsAsked = null;
let guestsAsked = null;

/** All rulesets, in the house's order. */
export function rulesets() {
  rulesetsAsked = rulesetsAsked || call('rulesets').then((answer) => answer.rulesets).catch((error) => { rulesetsAsked = null; throw error; });
  return rulesetsAsked;
}

/** Whom the house can seat. */
export function guests() {
  guestsAsked = guestsAsked || call('guests').then((answer) => answer.guests).catch((error) => { guestsAsked = null; throw error; });
  return guestsAsked;
}

/** The ruleset of that name, or nothing for one that somebody made up. */
export const rulesetNamed = async (name) => (await rulesets()).find((one) => one.name === name) || null;

/** Opens a match and keeps what it hands out: keys, an invitation, and how to open another like it. */
export async function openMatch(wanted, signal) {
  const opened = await call('matches', { body: wanted, signal });
  if (opened.mine && opened.mine.length) keepSeats(opened.match_id, opened.mine);
  if (opened.invite) keepInvite(opened.match_id, opened.invite);
  kept.write('last', { match: opened.match_id, wanted });
  return opened;
}

/** Seconds a turn that a person needs where programs need fewer. */
export const HUMAN_SECONDS = 20;

/** A match of this ruleset against bots, ready to be opened. */
export function quick(ruleset, bot, page) {
  const seats = ['me', ...Array(Math.max(1, ruleset.players.default - 1)).fill(bot)];
  const wanted = { ruleset: ruleset.name, seats, language: page.language, name: kept.read('name') || page.text.fresh.nobody };
  if (ruleset.turn_seconds > 0 && ruleset.turn_seconds < HUMAN_SECONDS) wanted.turn_seconds = HUMAN_SECONDS;
  return wanted;
}

/** The opponent to begin with: the second of the bots, which neither throws dice nor thinks for long. */
export const easyBot = (all) => (all.find((one) => one.name === 'greedy') || all.find((one) => one.kind === 'bot') || all[0] || { name: 'greedy' }).name;

const GLYPHS = {
  cowboy: ['M8 32H26M26 10V54', [[12, 32, 0], [52, 20, 1]]],
  'cowboy-duel': ['M32 54V38M10 38H54', [[32, 54, 0], [32, 10, 1]]],
  'cowboy-classic': ['M12 32H44', [[12, 32, 0], [50, 32, 1]]],
  'grid-royale': ['M24 42H40', [[20, 42, 0], [44, 42, 1], [22, 22, 2], [42, 24, 3]]],
};

/** A small picture of a game. */
export function glyph(name) {
  if (name === 'paint') {
    const squares = [[8, 8, 0], [24, 8, 0], [40, 8, 0], [8, 24, 0], [24, 24, 1], [40, 24, 1], [24, 40, 1], [40, 40, 1]];
    return picture(squares.map(([x, y, hue]) => svg('rect', { class: `glyph-square g${hue}`, x, y, width: 15, height: 15, rx: 2 })));
  }
  const [beam, pieces] = GLYPHS[name] || GLYPHS.cowboy;
  const zone = name === 'grid-royale' ? svg('rect', { class: 'glyph-zone', x: 10, y: 10, width: 44, height: 44, rx: 2 }) : null;
  return picture([zone, svg('path', { class: 'glyph-beam', d: beam }), pieces.map(([cx, cy, hue]) => svg('circle', { class: `glyph-piece g${hue}`, cx, cy, r: 6.5 }))]);
}

const picture = (children) => svg('svg', { class: 'glyph', viewBox: '0 0 64 64', 'aria-hidden': 'true', focusable: 'false' }, children);
