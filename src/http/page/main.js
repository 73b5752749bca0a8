/** The frame of the page: routes, language, colours, keys, and what every screen is given. */
import { ROOT, kept, onTrouble, to } from './api.js';
import { fill, h, empty } from './dom.js';
import { ask, keysDialog } from './dialogs.js';
import en from './text.en.js';
import zh from './text.zh.js';

const TEXTS = { en, zh };
const $ = (id) => document.getElementById(id);

/** Screens by the form of the address. Each is a module with `show(root, params, page)`. */
const ROUTES = [
  [/^$/, 'home', []],
  [/^new(?:\/([^/]+))?$/, 'new', ['ruleset']],
  [/^m\/([^/]+)(?:\/turn\/(\d+))?$/, 'match', ['id', 'turn']],
  [/^join\/([^/]+)(?:\/([^/]+))?$/, 'join', ['id', 'invite']],
  [/^boards$/, 'boards', []],
  [/^matches$/, 'matches', []],
  [/^ladder$/, 'ladder', []],
  [/^tournaments$/, 'tournaments', []],
  [/^t\/([^/]+)$/, 'tournament', ['id']],
  [/^p\/([^/]+)$/, 'player', ['name']],
  [/^rules\/([^/]+)$/, 'rules', ['name']],
];

const preferred = () => (/^zh\b/i.test(navigator.language || '') ? 'zh' : 'en');
let language = TEXTS[kept.read('language')] ? kept.read('language') : preferred();
let theme = kept.read('theme') || 'auto';
let leaving = null;
let shown = null;

/** What a screen is given. */
const page = {
  get text() { return TEXTS[language]; },
  get language() { return language; },
  signal: null,
  /** Tells those who cannot see the page. */
  announce(text) {
    const box = $('announcer');
    box.textContent = '';
    // A text that is set again in the same breath is not read again.
    setTimeout(() => { box.textContent = text; }, 40);
  },
  title(text) { document.title = text && text !== 'Standoff' ? `${text} · Standoff` : 'Standoff'; },
  go(address) {
    history.pushState(null, '', address);
    route(true);
  },
  /** Changes the address without leaving the screen. */
  rename(address) {
    history.replaceState(null, '', address);
    shown = address.split('?')[0];
  },
  /** Why something did not work, in the page's language where the reason is known. */
  why(error) {
    const told = page.text.codes[error.code] || error.message;
    return typeof told === 'function' ? told(error.message) : told;
  },
  away(lost) {
    $('away').hidden = !lost;
    $('away').textContent = lost ? page.text.away : '';
  },
};

async function route(moveFocus) {
  // Addresses once stood behind a `#`: those that somebody kept still lead here.
  if (location.hash.startsWith('#/')) history.replaceState(null, '', ROOT + location.hash.slice(2));
  const address = location.pathname;
  // A link inside the page, like the one that skips the head.
  if (location.hash && address === shown) { $('main').focus(); history.replaceState(null, '', address); return; }
  if (leaving) leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  page.signal = signal;
  shown = address;
  page.away(false);
  const root = $('main');
  const found = ROUTES.map(([form, name, params]) => ({ name, params, match: address.slice(ROOT.length).replace(/\/$/, '').match(form) })).find((one) => one.match);
  marks(found ? found.name : '');
  if (!found) {
    page.title('');
    fill(root, h('h1', {}, page.text.nothing), h('p', { class: 'lead' }, h('a', { href: ROOT }, page.text.home_link)));
    return;
  }
  const params = Object.fromEntries(found.params.map((name, at) => [name, found.match[at + 1] && decodeURIComponent(found.match[at + 1])]));
  fill(root);
  root.dataset.screen = found.name;
  window.scrollTo(0, 0);
  try {
    const screen = await import(`./${found.name}.js`);
    if (signal.aborted) return;
    await screen.show(root, params, page);
  } catch (error) {
    if (signal.aborted) return;
    if (!error.status && error.status !== 0) console.error(error);
    failed(root, error);
  }
  if (moveFocus && !signal.aborted && !root.contains(document.activeElement)) heading(root).focus({ preventScroll: true });
}

/** Where a reader begins on a new screen. */
function heading(root) {
  const title = root.querySelector('h1');
  if (!title) return root;
  title.tabIndex = -1;
  return title;
}

/** A screen that could not be shown says why and offers to try again. */
function failed(root, error) {
  const text = page.text;
  const again = h('button', { type: 'button', on: { click: () => route(true) } }, text.retry);
  const why = error.status === 404 ? text.codes[error.code] || text.nothing : page.why(error);
  fill(root, h('div', { class: 'state', role: 'alert' }, h('h1', { class: 'why' }, why), again, h('a', { class: 'button quiet', href: ROOT }, text.home_link)));
}

const SECTION = { home: 'home', new: 'home', boards: 'boards', matches: 'matches', match: 'matches', ladder: 'ladder', tournaments: 'tournaments', tournament: 'tournaments' };

function marks(name) {
  for (const link of $('nav').querySelectorAll('a')) {
    if (link.dataset.section === SECTION[name]) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

function frame() {
  const text = page.text;
  document.documentElement.lang = text.html;
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  document.querySelector('.mark').href = ROOT;
  document.querySelector('link[rel=icon]').href = `${ROOT}icon.svg`;
  $('skip').textContent = text.skip;
  $('nav').setAttribute('aria-label', text.nav.label);
  const links = [['home', ROOT], ...['boards', 'matches', 'ladder', 'tournaments'].map((name) => [name, to(name)])];
  fill($('nav'), links.map(([name, href]) => h('a', { href, 'data-section': name }, text.nav[name])));
  const themes = h('select', { id: 'theme', 'aria-label': text.theme.label, on: { change: (event) => { theme = event.target.value; kept.write('theme', theme); frame(); marks($('main').dataset.screen); $('theme').focus(); } } },
    ['auto', 'light', 'dark'].map((name) => h('option', { value: name, selected: name === theme }, text.theme[name])));
  const other = h('button', { id: 'language', class: 'quiet', type: 'button', lang: language === 'en' ? 'zh-CN' : 'en', on: { click: switchLanguage } }, text.switch_language);
  const keys = h('button', { id: 'keys', class: 'quiet', type: 'button', 'aria-keyshortcuts': '?', on: { click: () => keysDialog(page) } }, text.keys_button);
  fill($('tools'), keys, other, themes);
}

async function switchLanguage() {
  language = language === 'en' ? 'zh' : 'en';
  kept.write('language', language);
  frame();
  await route(false);
  $('language').focus();
}

document.addEventListener('keydown', (event) => {
  const writing = event.target.closest('input:not([type=range]), textarea, select');
  if (event.key !== '?' || writing || event.ctrlKey || event.metaKey || document.querySelector('dialog[open]:not(.side)')) return;
  event.preventDefault();
  keysDialog(page);
});
window.addEventListener('popstate', () => route(true));
document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href]');
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  if (link.target || link.hasAttribute('download') || link.origin !== location.origin || link.hash) return;
  const rest = link.pathname.startsWith(ROOT) ? link.pathname.slice(ROOT.length) : null;
  // Pictures and files are the browser's own business.
  if (rest === null || /^api\/|\.(svg|png|gif)$|\/embed$/.test(rest)) return;
  event.preventDefault();
  page.go(link.pathname);
});
onTrouble((code) => ask(page, code), () => page.text.unreachable);
frame();
route(false);
