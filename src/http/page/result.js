/** How a match ended, and what can be done next. */
import { kept, to } from './api.js';
import { chip, h } from './dom.js';
import { openMatch } from './house.js';

/** The result as a text and as a panel. */
export function result(view, page, id) {
  const { text } = page;
  const { outcome } = view;
  if (!outcome) return { text: text.match.over, head: text.match.over, won: false, element: h('div', {}) };
  const first = Object.keys(outcome.places).filter((seat) => outcome.places[seat] === 1);
  const names = Object.fromEntries(view.seats.map((one) => [one.seat, one.player]));
  const called = first.map((seat) => `${seat} ${names[seat] || ''}`.trim());
  const everybody = first.length === Object.keys(outcome.places).length;
  const winner = first.length === 1 ? text.match.wins(called[0]) : everybody ? text.match.drawn : text.match.shared(text.match.list(called));
  const won = Boolean(view.seat && first.includes(view.seat));
  const own = view.seat ? (won ? (first.length === 1 ? text.match.you_won : text.match.you_drew) : text.match.you_lost) : null;
  const told = own || winner;
  const reason = [own && !won ? winner : null, text.match.reasons[outcome.reason] || outcome.reason].filter(Boolean).join(' · ');
  const trouble = h('p', { class: 'refusal', role: 'alert' });
  const again = h('button', { type: 'button', class: 'primary', id: 'again' }, text.match.again);
  again.addEventListener('click', async () => {
    again.setAttribute('aria-busy', 'true');
    try {
      const opened = await openMatch(likeIt(view, id, page.language));
      page.go(to('m', opened.match_id));
    } catch (error) {
      again.removeAttribute('aria-busy');
      trouble.textContent = page.why(error);
    }
  });
  const ranked = Object.entries(outcome.places).sort((one, other) => one[1] - other[1]).slice(0, 8);
  return {
    head: told, won,
    text: `${told}. ${reason}.`,
    element: h('section', { class: 'panel result', id: 'result' }, h('p', { class: 'result-head' }, first.length === 1 ? chip(first[0]) : null, h('strong', {}, told), h('span', { class: 'soft' }, reason)),
      h('ol', { class: 'places' }, ranked.map(([seat, place]) => h('li', {}, h('span', { class: 'place' }, place), chip(seat), names[seat] || '', seat === view.seat ? h('span', { class: 'badge you' }, text.match.you) : null))),
      h('p', { class: 'row' }, again, h('a', { class: 'button quiet', href: to('new') }, text.match.fresh)), trouble),
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
