/** Many matches at once: a small live board each. */
import { call, events } from './api.js';
import { boardCard } from './cards.js';
import { empty, fill, h, loading } from './dom.js';
import { openMatch, rulesets } from './house.js';

/** More boards than this on one screen nobody follows. */
const MOST = 24;

export async function show(root, params, page) {
  const text = page.text.boards;
  page.title(text.title);
  const lead = h('p', { class: 'lead' });
  const grid = h('div', { class: 'cards' });
  const rest = h('p', { class: 'soft' });
  fill(root, h('h1', {}, text.title), lead, loading(page.text.loading));
  const cards = new Map();
  const over = new Set();
  const begin = async (event) => {
    const watch = async () => openMatch({ ruleset: (await rulesets())[0].name, seats: ['greedy', 'search'], language: page.language });
    const opened = await watch().catch((error) => { event.target.after(page.why(error)); });
    if (opened) page.go(`#/m/${encodeURIComponent(opened.match_id)}`);
  };

  function count() {
    const live = [...cards.keys()].filter((id) => !over.has(id)).length;
    lead.textContent = live ? text.lead(live) : '';
    if (!cards.size) fill(grid, empty(text.none, h('button', { type: 'button', class: 'primary', on: { click: begin } }, text.start)));
  }
  function take(summary) {
    const known = cards.get(summary.match_id);
    if (summary.status === 'over') over.add(summary.match_id);
    if (known) { known.update(summary); return; }
    if (summary.status === 'over' || cards.size >= MOST) return;
    if (!cards.size) fill(grid);
    const card = boardCard(summary, page);
    cards.set(summary.match_id, card);
    grid.prepend(card.element);
  }

  const { matches, next } = await call(`matches?status=playing&boards=1&limit=${MOST}`, { signal: page.signal });
  const { matches: open } = await call('matches?status=open&boards=1&limit=6', { signal: page.signal });
  for (const summary of [...open, ...matches].reverse()) take(summary);
  fill(root, h('h1', {}, text.title), lead, grid, rest);
  if (next) rest.textContent = text.more('…');
  count();
  (async () => {
    for await (const { event, data } of events('events', { signal: page.signal })) {
      if (event === 'connection') page.away(data === 'lost');
      if (event !== 'matches') continue;
      for (const summary of data.matches) take(summary);
      count();
    }
  })().catch((error) => { if (!page.signal.aborted) rest.textContent = page.why(error); });
}
