/** A match by rules that the server does not know: who played, what they did, what happened and how it ended, as text. */
import { call, download, path } from './api.js';
import { chip, fill, h } from './dom.js';
import { lines } from './log.js';

const PAGE = 250;

/** Shows the record of a match whose positions cannot be drawn, a page of turns at a time. */
export async function showTranscript(root, id, page) {
  const text = page.text.match;
  const turns = (from) => call(path(['matches', id, 'turns'], { from, limit: PAGE, lang: page.language }), { match: id, signal: page.signal });
  const first = await turns(0);
  if (page.signal.aborted) return;
  page.title(first.ruleset);
  const list = h('ol', { class: 'transcript log', tabindex: 0, 'aria-label': text.log });
  const trouble = h('p', { class: 'refusal', role: 'alert' });
  let shown = 0;
  const add = (answer) => {
    list.append(...answer.turns.map((turn) => entry(turn, page)));
    shown += PAGE;
    more.hidden = shown >= answer.turns_played;
  };
  const more = h('button', { type: 'button', class: 'quiet', id: 'more-turns', on: { click: () => turns(shown).then(add, (error) => { trouble.textContent = page.why(error); }) } }, text.more_turns);
  const save = h('button', { type: 'button', class: 'quiet', id: 'record', on: { click: () => download(path(['matches', id, 'record']), `${id}.jsonl`, { match: id }).catch((error) => { trouble.textContent = page.why(error); }) } }, text.save);
  add(first);
  fill(root, h('div', { class: 'match-head' }, h('h1', {}, first.ruleset)),
    h('p', { class: 'note', id: 'no-positions', role: 'status' }, text.no_positions), h('p', { class: 'soft small' }, first.no_positions),
    ended(first, page), h('p', { class: 'row' }, save),
    h('section', { class: 'panel log-panel' }, h('h2', {}, text.log), list, more, trouble));
}

/** The players in seat order, with their places once there is a result. */
function ended({ seats, result }, page) {
  const text = page.text.match;
  const places = result ? result.places : {};
  const first = Object.keys(places).filter((seat) => places[seat] === 1);
  const verdict = result ? [first.length === 1 ? text.wins(first[0]) : text.drawn, text.dash, text.reasons[result.reason] || result.reason] : null;
  return h('section', { class: 'panel' }, h('h2', {}, text.players),
    h('ul', { class: 'people' }, seats.map((one) => h('li', { class: 'person' }, chip(one.seat), h('span', { class: 'name' }, one.player || text.free), h('span', { class: 'amount' }, places[one.seat] ? text.place(places[one.seat]) : '')))),
    verdict ? h('p', { id: 'result' }, h('strong', {}, verdict)) : null);
}

/** A turn: the actions in notation, then what happened; events that nobody here has words for as they are written. */
function entry(turn, page) {
  const actions = Object.entries(turn.actions || {}).map(([seat, action]) => h('p', {}, chip(seat), h('code', {}, action)));
  const told = lines(turn, page);
  const happened = told.length ? told.map((line) => h('p', { class: line.kind }, line.lead ? [chip(line.seat), h('strong', {}, line.lead), ' '] : null, line.text))
    : (turn.events || []).map((event) => h('p', {}, h('code', {}, JSON.stringify(event))));
  return h('li', { 'data-turn': turn.turn }, h('span', { class: 'turn-number', 'aria-label': page.text.match.turn(turn.turn) }, turn.turn), h('div', {}, actions, happened));
}
