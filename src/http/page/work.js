/** Who works for the store on many machines, which runs have jobs, and what calls wait for. */
import { call, to } from './api.js';
import { ago } from './cards.js';
import { fill, h } from './dom.js';

/** How often it is looked at again, in milliseconds. */
const AGAIN = 4000;

/** A panel that shows itself as soon as somebody works or something waits to be played. */
export function panel(page) {
  const box = h('section', { id: 'work', hidden: true });
  const load = async () => {
    if (page.signal.aborted) return;
    const work = await call('work', { signal: page.signal }).catch(() => null);
    if (work) show(box, work, page);
    // Without workers somebody may come; they are not looked for as often.
    if (!page.signal.aborted) setTimeout(load, box.hidden ? 5 * AGAIN : AGAIN);
  };
  load();
  return box;
}

function show(box, work, page) {
  const text = page.text.work;
  box.hidden = !work.workers.length && !work.runs.length;
  if (box.hidden) return;
  const number = (value) => h('td', { class: 'number' }, value);
  const table = (columns, rows) => h('div', { class: 'wide', tabindex: 0 }, h('table', {}, h('thead', {}, h('tr', {}, columns.map((name, at) => h('th', { scope: 'col', class: at ? 'number' : null }, name)))), h('tbody', {}, rows)));
  const runs = work.runs.map((one) => h('tr', {}, h('th', { scope: 'row' }, h('a', { href: to('t', one.run) }, one.run)), number(one.waiting), number(one.under_way), number(one.set_aside),
    number(one.max_usd === null ? `$${one.usd.toFixed(2)}` : `$${one.usd.toFixed(2)} / $${one.max_usd.toFixed(2)}`), number(one.max_calls === null ? one.calls : `${one.calls} / ${one.max_calls}`)));
  const workers = work.workers.map((one, at) => h('tr', {}, h('th', { scope: 'row' }, one.name || text.worker(at + 1), one.lost ? h('span', { class: 'soft' }, ` ${text.lost(ago(one.heard, page.text))}`) : null), number(one.jobs), number(one.jobs_over), number(one.games_per_second.toFixed(1)), number(one.answers_per_second.toFixed(1))));
  const waiting = work.waiting.map((one) => h('li', {}, text.waits(one.calls, one.games), text.limits[one.limit] || one.limit, one.run || one.endpoint ? ` (${one.run || one.endpoint})` : '', ' ', h('span', { class: 'soft' }, text.since(Math.max(0, Math.round((Date.now() - one.since) / 1000))))));
  fill(box, h('h2', {}, text.title), work.workers.length ? null : h('p', { class: 'soft' }, text.nobody),
    runs.length ? table([text.run, text.waiting, text.under_way, text.set_aside, text.spent, text.calls], runs) : null,
    waiting.length ? [h('h3', {}, text.limits_title), h('ul', {}, waiting)] : null,
    workers.length ? table([text.name(work.worker_count), text.jobs, text.over, text.games, text.answers], workers) : null);
}
