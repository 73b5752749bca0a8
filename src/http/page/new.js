/** A new match: which game, which map, who sits where. */
import { call, kept, path, to } from './api.js';
import { append, chip, fill, h, icon, loading } from './dom.js';
import { easyBot, glyph, guests, openMatch, rulesets } from './house.js';

/** The fields of a ruleset that can be set here, where the ruleset has them: least and most. */
const FIELDS = [['hp', 1, 10_000], ['max_rounds', 1, 100_000], ['turns', 1, 100_000], ['max_ticks', 1, 100_000], ['opening', 0, 64]];

const letter = (at) => (at < 26 ? String.fromCharCode(65 + at) : letter(Math.floor(at / 26) - 1) + letter(at % 26));

export async function show(root, params, page) {
  const { text, language } = page;
  const words = text.fresh;
  page.title(words.title);
  fill(root, h('h1', {}, words.title), loading(text.loading));
  const [all, house] = await Promise.all([rulesets(), guests()]);
  const bot = easyBot(house);
  let ruleset = all.find((one) => one.name === params.ruleset) || all[0];
  let seats = [];
  let edited = false;

  const usual = () => ['me', ...Array(Math.max(0, ruleset.players.default - 1)).fill(bot)];
  const cards = h('div', { class: 'choices' }, all.map((one) => choice(one, language, one === ruleset)));
  const maps = h('select', { id: 'map', name: 'map' });
  const list = h('ol', { class: 'seats' });
  const note = h('p', { class: 'soft small', id: 'seats-note' });
  const limits = h('p', { class: 'refusal', role: 'alert' });
  const add = h('button', { type: 'button', id: 'add-seat' }, icon('add'), words.add);
  const fields = h('div', { class: 'fields' });
  const trouble = h('p', { class: 'refusal', role: 'alert', id: 'new-refusal' });
  const start = h('button', { type: 'submit', class: 'primary huge', id: 'start' }, words.start);
  const name = h('input', { id: 'your-name', maxlength: 40, autocomplete: 'nickname', value: kept.read('name') || '' });
  const briefs = h('select', { id: 'briefs' }, h('option', { value: 'en', selected: language === 'en' }, 'English'), h('option', { value: 'zh', selected: language === 'zh' }, '中文'));
  const seed = h('input', { id: 'seed', inputmode: 'numeric', autocomplete: 'off', placeholder: words.seed_hint });
  const seconds = h('input', { id: 'seconds', type: 'number', min: 0, max: 86_400 });
  const live = h('input', { id: 'live', type: 'checkbox' });
  const liveLabel = h('label', { for: 'live' });
  const secondsHint = h('span', { class: 'soft small' });
  const form = h('form', { class: 'setup', novalidate: true },
    h('fieldset', {}, h('legend', {}, words.game), cards),
    h('div', { class: 'columns' },
      h('fieldset', {}, h('legend', {}, words.seats), list, h('div', { class: 'row' }, add), limits, note),
      h('div', {}, field('map', words.map, maps), field('your-name', words.your_name, name),
        h('details', {}, h('summary', {}, words.more), fields, field('seconds', words.seconds, seconds, secondsHint), field('seed', words.seed, seed), field('briefs', words.language, briefs),
          h('p', { class: 'check', id: 'live-line' }, live, liveLabel)))),
    h('div', { class: 'row end' }, start), trouble);
  fill(root, h('h1', {}, words.title), form);

  function drawSeats() {
    fill(list, seats.map((who, at) => {
      const seat = letter(at);
      const select = h('select', { 'aria-label': words.seat(seat), 'data-seat': seat, on: { change: (event) => { seats[at] = event.target.value; edited = true; notes(); } } },
        option('me', words.me, who), option('open', words.open, who), group(words.bots, 'bot', who), group(words.models, 'model', who));
      const remove = h('button', { type: 'button', class: 'quiet', 'aria-label': words.remove(seat), title: words.remove(seat), on: { click: () => drop(at) } }, icon('cross'));
      return h('li', {}, chip(seat), select, remove);
    }));
    notes();
  }
  const option = (value, label, chosen) => h('option', { value, selected: value === chosen }, label);
  function group(label, kind, chosen) {
    const some = house.filter((one) => one.kind === kind);
    return some.length ? h('optgroup', { label }, some.map((one) => h('option', { value: one.name, selected: one.name === chosen, title: one.summary && (one.summary[language] || one.summary.en) }, (kind === 'bot' && words.strength[one.name]) || one.name))) : null;
  }
  function notes() {
    limits.textContent = '';
    note.textContent = [seats.includes('open') ? words.open_hint : '', seats.includes('me') ? '' : words.watch_hint].filter(Boolean).join(' ');
    // Whoever only watches wants to see something.
    live.checked = hasLiveClocks() && seats.every((who) => who !== 'me' && who !== 'open');
  }
  const hasLiveClocks = () => ruleset.live.turn_seconds !== ruleset.turn_seconds || ruleset.live.tick_seconds !== ruleset.tick_seconds;
  function drop(at) {
    if (seats.length <= Math.max(1, ruleset.players.min)) { limits.textContent = words.least(Math.max(1, ruleset.players.min)); return; }
    seats.splice(at, 1);
    edited = true;
    drawSeats();
    list.querySelectorAll('select')[Math.min(at, seats.length - 1)].focus();
  }
  add.addEventListener('click', () => {
    if (seats.length >= ruleset.players.max) { limits.textContent = words.most(ruleset.players.max); return; }
    seats.push(bot);
    edited = true;
    drawSeats();
    list.lastElementChild.querySelector('select').focus();
  });

  async function choose(one) {
    ruleset = one;
    if (!edited || seats.length < one.players.min || seats.length > one.players.max) { seats = usual(); edited = false; }
    seconds.value = '';
    secondsHint.textContent = words.seconds_hint(one.turn_seconds);
    liveLabel.textContent = words.live(one.live.turn_seconds, one.live.tick_seconds);
    form.querySelector('#live-line').hidden = !hasLiveClocks();
    const own = one.map || 'none';
    const names = [...new Set([own, ...one.maps])];
    fill(maps, names.map((map) => option(map, map === 'none' ? words.map_none : map, own)));
    fill(fields);
    drawSeats();
    try {
      const full = await call(path(['rulesets', one.name], { lang: language }), { signal: page.signal });
      if (ruleset !== one) return;
      append(fill(fields), FIELDS.filter(([key]) => typeof (full.fields || {})[key] === 'number').map(([key, min, max]) => field(`field-${key}`, words.length[key] || words[key],
        h('input', { id: `field-${key}`, type: 'number', min, max, 'data-field': key, placeholder: words.usual(full.fields[key]) }))));
    } catch { /* The match can be opened without these. */ }
  }
  cards.addEventListener('change', (event) => choose(all.find((one) => one.name === event.target.value)));
  choose(ruleset);

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const wrong = [...form.querySelectorAll('input')].find((input) => !input.checkValidity());
    if (wrong) {
      // What is folded away cannot be pointed at.
      const folded = wrong.closest('details');
      if (folded) folded.open = true;
      wrong.reportValidity();
      return;
    }
    trouble.textContent = '';
    start.setAttribute('aria-busy', 'true');
    start.textContent = words.starting;
    const changed = {};
    for (const input of fields.querySelectorAll('input')) if (input.value !== '') changed[input.dataset.field] = Number(input.value);
    const wanted = { ruleset: Object.keys(changed).length ? { base: ruleset.name, ...changed } : ruleset.name, seats, language: briefs.value };
    if (maps.value && maps.value !== (ruleset.map || 'none')) wanted.map = maps.value;
    if (seed.value.trim()) wanted.seed = /^\d{1,15}$/.test(seed.value.trim()) ? Number(seed.value) : seed.value.trim();
    if (seconds.value !== '') wanted.turn_seconds = Number(seconds.value);
    if (live.checked) wanted.live = true;
    kept.write('name', name.value.trim() || null);
    if (seats.includes('me')) wanted.name = name.value.trim() || words.nobody;
    try {
      const opened = await openMatch(wanted);
      page.go(to('m', opened.match_id));
    } catch (error) {
      trouble.textContent = page.why(error);
      start.removeAttribute('aria-busy');
      start.textContent = words.start;
      start.focus();
    }
  });
}

const field = (id, label, input, hint) => h('p', { class: 'field' }, h('label', { for: id }, label), input, hint ? h('span', { class: 'soft small' }, hint) : null);

function choice(one, language, chosen) {
  const radio = h('input', { type: 'radio', name: 'ruleset', value: one.name, checked: chosen });
  return h('label', { class: 'choice' }, radio, glyph(one), h('span', {}, h('strong', {}, one.name), h('span', { class: 'small soft' }, one.summary[language] || one.summary.en)));
}
