/** What the house has: rulesets and guests, asked for once, and how a match is opened. */
import { call, keepInvite, keepSeats, kept } from './api.js';
import { svg } from './dom.js';

let rulesetsAsked = null;
let guestsAsked = null;

/** All rulesets, the one to begin with first. */
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

/** A match of this ruleset against bots, ready to be opened. */
export function quick(ruleset, bot, page) {
  const seats = ['me', ...Array(Math.max(1, ruleset.players.default - 1)).fill(bot)];
  return { ruleset: ruleset.name, seats, language: page.language, name: kept.read('name') || page.text.fresh.nobody };
}

/** The opponent to begin with: the second of the bots, which neither throws dice nor thinks for long. */
export const easyBot = (all) => (all.find((one) => one.name === 'greedy') || all.find((one) => one.kind === 'bot') || all[0] || { name: 'greedy' }).name;

/** A small picture of a game: its first position. */
export function glyph(ruleset) {
  const made = svg('svg', {});
  StandoffBoard.draw(made, ruleset.scene, { axes: false });
  made.removeAttribute('role');
  made.setAttribute('aria-hidden', 'true');
  made.setAttribute('focusable', 'false');
  made.classList.add('glyph');
  return made;
}
