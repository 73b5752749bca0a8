/** What begins, moves on or ends anywhere: the one subscription behind the first screen, the live boards and the lists. */
import { events } from './api.js';

/** Hands every newer summary to `take`, as long as the screen is shown. */
export function follow(page, take) {
  const { signal } = page;
  (async () => {
    for await (const { event, data } of events('events', { signal })) {
      if (event === 'connection') page.away(data === 'lost');
      if (event === 'matches') take(data.matches);
    }
  })().catch((error) => { if (!signal.aborted) console.warn(error.message); });
}
