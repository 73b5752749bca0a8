/** Many matches at once: a small live board each. */
import { call, path, to } from './api.js';
import { Boards, idle } from './cards.js';
import { empty, fill, h, loading } from './dom.js';
import { follow } from './feed.js';
import { openMatch, rulesets } from './house.js';

/** More boards than this on one screen nobody follows. */
const MOST = 24;

export async function show(root, params, page) {
  const text = page.text.boards;
  page.title(text.title);
  const lead = h('p', { class: 'lead' });
  const rest = h('p', { class: 'soft' });
  fill(root, h('h1', {}, text.title), lead, loading(page.text.loading));
  const box = h('div', {});
  const boards = new Boards(page, box, MOST, 'cards');
  const playing = new Set();
  const begin = async (event) => {
    const watch = async () => openMatch({ ruleset: (await rulesets())[0].name, seats: ['greedy', 'search'], language: page.language });
    const opened = await watch().catch((error) => { event.target.after(page.why(error)); });
    if (opened) page.go(`${to('m', opened.match_id)}?play`);
  };

  function count() {
    lead.textContent = playing.size ? text.lead(playing.size) : '';
    rest.textContent = playing.size > boards.size ? text.more(playing.size - boards.size) : '';
    if (!boards.size) fill(box, empty(text.none, h('button', { type: 'button', class: 'primary', on: { click: begin } }, text.start)));
  }
  function take(summaries) {
    for (const { match_id: id, status } of summaries) {
      if (status === 'playing') playing.add(id);
      else playing.delete(id);
    }
    boards.take(summaries);
    count();
  }

  // Followed before it is counted: nothing that begins in between is missed.
  follow(page, take);
  const { matches, next } = await call(`matches?status=playing&boards=1&limit=${MOST}`, { signal: page.signal });
  const { matches: open } = await call('matches?status=open&boards=1&limit=6', { signal: page.signal });
  fill(root, h('h1', {}, text.title), lead, box, rest);
  // What nobody plays any more comes when it moves on.
  take([...open, ...matches.filter((one) => !idle(one))].reverse());
  for (let before = next; before;) {
    const more = await call(path(['matches'], { status: 'playing', limit: 100, before }), { signal: page.signal });
    for (const one of more.matches) if (!idle(one)) playing.add(one.match_id);
    before = more.next;
  }
  count();
}
