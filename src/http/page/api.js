/** The only file that asks the server: calls, live events, and the keys that they are made with. */

/** Where the page is: all its addresses begin with it. */
export const ROOT = new URL('.', import.meta.url).pathname;
const BASE = `${ROOT}api/v1/`;

/** The address of a screen: `to('m', id, 'turn', 3)`. */
export const to = (...parts) => ROOT + parts.map((part) => encodeURIComponent(part)).join('/');
const PATIENCE = [1, 2, 4, 8, 15];

/** What the server refused, or that it could not be reached (`status` 0). `message` is for people. */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail || body.title || String(status));
    this.status = status;
    this.code = body.code || '';
    this.body = body;
  }
}

/** What this browser keeps: keys of seats by match, invitations, a token. */
export const kept = {
  read(name) {
    try { return JSON.parse(localStorage.getItem(`standoff:${name}`)); } catch { return null; }
  },
  write(name, value) {
    try {
      if (value === null || value === undefined) localStorage.removeItem(`standoff:${name}`);
      else localStorage.setItem(`standoff:${name}`, JSON.stringify(value));
    } catch { /* A browser that keeps nothing can still watch. */ }
  },
};

const MOST_KEYS = 200;

/** The seats of a match that this browser holds: `[{seat, seat_key}]`. */
export const seatsOf = (match) => (kept.read('seats') || {})[match] || [];

/** Keeps the keys of seats. Those of the oldest matches make room. */
export function keepSeats(match, seats) {
  const all = kept.read('seats') || {};
  const known = (all[match] || []).filter((one) => !seats.some((other) => other.seat === one.seat));
  delete all[match];
  all[match] = [...known, ...seats];
  for (const old of Object.keys(all).slice(0, -MOST_KEYS)) delete all[old];
  kept.write('seats', all);
}

/** The invitation to a match that this browser opened. */
export const inviteOf = (match) => (kept.read('invites') || {})[match] || null;

export function keepInvite(match, invite) {
  const all = kept.read('invites') || {};
  all[match] = invite;
  for (const old of Object.keys(all).slice(0, -MOST_KEYS)) delete all[old];
  kept.write('invites', all);
}

let askForToken = async () => null;
let unreachable = () => 'The server cannot be reached.';

/** How to ask the person for a token, and what to say when nobody answers. */
export function onTrouble(ask, away) {
  askForToken = ask;
  unreachable = away;
}

/** Whose word a request is: the key of a seat in its match, else the token. */
function bearer(options) {
  const seats = options.match ? seatsOf(options.match) : [];
  const held = seats.find((one) => one.seat === options.seat) || seats[0];
  return held ? held.seat_key : kept.read('token');
}

/** Forgets a key that the server does not know: of another server on this address, or of a store that is gone. */
function forget(key) {
  if (kept.read('token') === key) kept.write('token', null);
  const all = kept.read('seats') || {};
  for (const match of Object.keys(all)) all[match] = all[match].filter((one) => one.seat_key !== key);
  kept.write('seats', all);
}

let asking = null;

async function request(path, options) {
  const headers = { accept: options.accept || 'application/json' };
  const key = options.key || bearer(options);
  if (key) headers.authorization = `Bearer ${key}`;
  if (options.body !== undefined) headers['content-type'] = 'application/json';
  if (options.lastId !== undefined) headers['last-event-id'] = String(options.lastId);
  const init = { method: options.method || 'GET', headers, signal: options.signal, cache: 'no-store' };
  if (options.body !== undefined) init.body = JSON.stringify(options.body);
  let response;
  try {
    response = await fetch(BASE + path, init);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Problem(0, { detail: unreachable(), code: 'unreachable' });
  }
  if (response.ok) return response;
  const body = await response.json().catch(() => ({ title: response.statusText }));
  if (response.status === 401 && body.code === 'token_unknown' && key) {
    forget(key);
    return request(path, { ...options, key: undefined, unknown: true });
  }
  if (response.status === 401 && !options.quiet) {
    // A server that wants to know everybody takes the key of any seat; only who has none is asked.
    const spare = Object.values(kept.read('seats') || {}).flat().pop();
    if (!key && spare) return request(path, { ...options, key: spare.seat_key });
    asking = asking || askForToken(options.unknown ? 'token_unknown' : body.code).finally(() => { asking = null; });
    const token = await asking;
    if (token) {
      kept.write('token', token);
      return request(path, { ...options, key: token, unknown: false });
    }
  }
  throw new Problem(response.status, body);
}

/**
 * A call and its JSON answer. `match` and `seat` say which key to show; `body` makes it a POST unless said otherwise;
 * `quiet`: the person is not asked for a token.
 */
export async function call(path, options = {}) {
  const method = options.method || (options.body === undefined ? 'GET' : 'POST');
  const response = await request(path, { ...options, method });
  const answer = response.status === 204 ? {} : await response.json();
  if (response.status === 202) answer.pending = true;
  return answer;
}

/** A call whose answer is a text. */
export const text = async (from, options = {}) => (await request(from, { ...options, accept: '*/*' })).text();

/** A path with its parts quoted and its query, without what is empty. */
export function path(parts, query = {}) {
  const asked = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const text = asked.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&');
  return parts.map(encodeURIComponent).join('/') + (text ? `?${text}` : '');
}

/** Fetches a file with the key that it needs and hands it to the person. */
export async function download(from, name, options = {}) {
  const response = await request(from, { ...options, accept: '*/*' });
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

const pause = (seconds, signal) => new Promise((done) => {
  const timer = setTimeout(done, seconds * 1000);
  if (signal) signal.addEventListener('abort', () => { clearTimeout(timer); done(); }, { once: true });
});

/**
 * Live events until the signal says stop or the stream says `end`. Yields `{event, id, data}`; a stream that breaks off is
 * taken up again after its last event, and `{event: 'connection', data: 'lost' | 'back'}` tells of it.
 */
export async function* events(from, options = {}) {
  let lastId = options.lastId;
  let tries = 0;
  while (!options.signal.aborted) {
    try {
      const response = await request(from, { ...options, lastId, accept: 'text/event-stream' });
      if (tries > 0) yield { event: 'connection', data: 'back' };
      for await (const event of parse(response.body, options.signal)) {
        tries = 0;
        if (event.id !== undefined) lastId = event.id;
        yield event;
        if (event.event === 'end') return;
      }
    } catch (error) {
      if (options.signal.aborted || error.name === 'AbortError') return;
      if (error instanceof Problem && error.status >= 400 && error.status < 500 && error.status !== 429) throw error;
    }
    if (options.signal.aborted) return;
    if (tries === 0) yield { event: 'connection', data: 'lost' };
    await pause(PATIENCE[Math.min(tries, PATIENCE.length - 1)], options.signal);
    tries += 1;
  }
}

async function* parse(body, signal) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  signal.addEventListener('abort', () => reader.cancel().catch(() => {}), { once: true });
  let rest = '';
  let event = { event: 'message', data: [] };
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split(/\r?\n/);
    rest = lines.pop();
    for (const line of lines) {
      if (line === '') {
        if (event.data.length) yield { ...event, data: JSON.parse(event.data.join('\n')) };
        event = { event: 'message', data: [] };
        continue;
      }
      const colon = line.indexOf(':');
      if (colon === 0) continue;
      const field = colon < 0 ? line : line.slice(0, colon);
      const text = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'event') event.event = text;
      else if (field === 'data') event.data.push(text);
      else if (field === 'id') event.id = text;
    }
  }
}
