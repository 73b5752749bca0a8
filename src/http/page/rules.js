/** The rules of a game, word for word as players are told. */
import { call, path } from './api.js';
import { fill, h, loading } from './dom.js';
import { glyph, rulesets } from './house.js';
import { markdown } from './markdown.js';

export async function show(root, params, page) {
  const text = page.text.rules;
  page.title(text.title(params.name));
  fill(root, h('h1', {}, text.title(params.name)), loading(page.text.loading));
  const [one, all] = await Promise.all([call(path(['rulesets', params.name], { lang: page.language }), { signal: page.signal }), rulesets()]);
  const others = all.filter((other) => other.name !== one.name).map((other) => h('a', { class: 'button quiet', href: `#/rules/${encodeURIComponent(other.name)}` }, other.name));
  fill(root,
    h('div', { class: 'rules-head' }, glyph(one), h('div', {}, h('h1', {}, text.title(one.name)), h('p', { class: 'row' }, h('a', { class: 'button primary', href: `#/new/${encodeURIComponent(one.name)}` }, text.play), others))),
    h('p', { class: 'soft small' }, text.language), h('article', { class: 'brief' }, markdown(one.brief.replace(/^# .*\n/, ''))));
}
