/** How a match ended, and what can be done next. */
import { kept } from './api.js';
import { chip, h } from './dom.js';
import { openMatch } from './house.js';

/** The result as a text and as a panel. */
export function result(view, page, id) {
  const { text } = page;
  const { outcome } = view;
  if (!outcome) return { text: text.match.over, element: h('div', {}) };
  const first = Object.keys(outcome.places).filter((seat) => outcome.places[seat] === 1);
  const told = first.length === 1 ? text.match.wins(first[0]) : text.match.drawn;
  const trouble = h('p', { class: 'refusal', role: 'alert' });
  const again = h('button', { type: 'button', class: 'primary', id: 'again' }, text.match.again);
  again.addEventListener('click', async () => {
    again.setAttribute('aria-busy', 'true');
    try {
      const opened = await openMatch(likeIt(view, id, page.language));
      page.go(`#/m/${encodeURIComponent(opened.match_id)}`);
    } catch (error) {
      again.removeAttribute('aria-busy');
      trouble.textContent = page.why(error);
    }
  });
  const ranked = Object.entries(outcome.places).sort((one, other) => one[1] - other[1]).slice(0, 8);
  const names = Object.fromEntries(view.seats.map((one) => [one.seat, one.player]));
  return {
    text: `${told}. ${(text.match.reasons[outcome.reason] || outcome.reason)}.`,
    element: h('section', { class: 'panel result', id: 'result' }, h('p', { class: 'result-head' }, first.length === 1 ? chip(first[0]) : null, h('strong', {}, told), h('span', { class: 'soft' }, (text.match.reasons[outcome.reason] || outcome.reason))),
      h('ol', { class: 'places' }, ranked.map(([seat, place]) => h('li', {}, h('span', { class: 'place' }, place), chip(seat), names[seat] || ''))),
      h('p', { class: 'row' }, again, h('a', { class: 'button quiet', href: '#/new' }, text.match.fresh)), trouble),
  };
}

/** Another match like this one: as it was opened here, or with the same players as far as they can be had. */
function likeIt(view, id, language) {
  const last = kept.read('last');
  if (last && last.match === id) {
    const { seed, ...wanted } = last.wanted;
    return wanted;
  }
  const seats = view.seats.map((one) => (one.kind === 'house' ? one.player : one.seat === view.seat ? 'me' : 'open'));
  return { ruleset: view.ruleset, seats, language };
}
