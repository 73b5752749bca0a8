/** The rules of a game, word for word as players are told. */
import { call, path, to } from './api.js';
import { fill, h, loading, svg } from './dom.js';
import { glyph, rulesets } from './house.js';
import { markdown } from './markdown.js';

/** Moments of the game, drawn as the engine played them, with what happened. */
const pictures = (one) => (one.illustrations || []).map(({ caption, scene }) => {
  const board = svg('svg', {});
  StandoffBoard.draw(board, scene, { axes: false, label: caption });
  return h('figure', { class: 'illustration' }, h('div', { class: 'board-box' }, board), h('figcaption', {}, caption));
});

/** What models are told about the form of their answers: nobody at a page needs it. */
const ANSWERS = /\n## (?:Your answer|怎样行动)\n[^]*$/;

const brief = (one) => [h('div', { class: 'illustrations' }, pictures(one)), markdown(one.brief.replace(/^# .*\n/, '').replace(ANSWERS, '\n'))];

/** The rules beside a match that goes on. */
export async function rulesPanel(name, page) {
  const text = page.text.rules;
  const before = document.activeElement;
  const body = h('div', { class: 'brief', tabindex: 0, role: 'region', 'aria-label': text.title(name) }, loading(page.text.loading));
  const panel = h('dialog', { class: 'side', 'aria-labelledby': 'rules-title' });
  const close = () => { panel.remove(); if (before && before.isConnected) before.focus(); };
  fill(panel, h('div', { class: 'section-head' }, h('h2', { id: 'rules-title' }, text.title(name)), h('button', { type: 'button', id: 'close-rules', on: { click: close } }, page.text.close)), body);
  for (const other of document.querySelectorAll('dialog.side')) other.remove();
  fill(document.getElementById('dialogs'), panel);
  panel.addEventListener('keydown', (event) => { if (event.key === 'Escape') { event.stopPropagation(); close(); } });
  page.signal.addEventListener('abort', close, { once: true });
  panel.show();
  document.getElementById('close-rules').focus();
  try {
    fill(body, brief(await call(path(['rulesets', name], { lang: page.language }), { signal: page.signal })));
  } catch (error) {
    if (!page.signal.aborted) fill(body, h('p', { class: 'refusal', role: 'alert' }, page.why(error)));
  }
}

export async function show(root, params, page) {
  const text = page.text.rules;
  page.title(text.title(params.name));
  fill(root, h('h1', {}, text.title(params.name)), loading(page.text.loading));
  const [one, all] = await Promise.all([call(path(['rulesets', params.name], { lang: page.language }), { signal: page.signal }), rulesets()]);
  const others = all.filter((other) => other.name !== one.name).map((other) => h('a', { class: 'button quiet', href: to('rules', other.name) }, other.name));
  fill(root,
    h('div', { class: 'rules-head' }, glyph(one), h('div', {}, h('h1', {}, text.title(one.name)), h('p', { class: 'row' }, h('a', { class: 'button primary', href: to('new', one.name) }, text.play), others))),
    h('p', { class: 'soft small' }, text.language), h('article', { class: 'brief' }, brief(one)));
}
