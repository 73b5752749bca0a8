// The page speaks as the briefs do, and has the same texts in both languages.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const source = (path) => readFileSync(join(root, path), 'utf8');

/** The texts of a language; what a browser takes for a module Node does not. */
const textsOf = async (language) => (await import(`data:text/javascript,${encodeURIComponent(source(`src/http/page/text.${language}.js`))}`)).default;

/** Tables of plain texts out of a TOML file. */
function tables(text) {
  const found = {};
  let table = null;
  for (const line of text.split('\n')) {
    const head = line.match(/^\[([\w.]+)\]$/);
    if (head) { table = found[head[1]] = {}; continue; }
    const entry = line.match(/^([\w-]+) = "([^"{]*)"$/);
    if (table && entry) table[entry[1]] = entry[2];
  }
  return found;
}

/** The names of all texts, and whether each is a text, a list or a function of how many. */
function shape(value, name = '') {
  if (typeof value === 'function') return [`${name}(${value.length})`];
  if (Array.isArray(value)) return [`${name}[${value.length}]`];
  if (typeof value === 'object') return Object.entries(value).flatMap(([key, inner]) => shape(inner, `${name}.${key}`));
  return [name];
}

export default async function words({ test }) {
  await test('what the page says of a result are the words of the briefs', async () => {
    for (const language of ['en', 'zh']) {
      const terms = tables(source(`prompts/${language}/terms.toml`));
      const { match } = await textsOf(language);
      assert.deepEqual(match.reasons, terms.reason);
      assert.equal(match.out, terms.words.out);
    }
  });

  await test('both languages have the same texts, and every text is used', async () => {
    const texts = {};
    for (const language of ['en', 'zh']) texts[language] = await textsOf(language);
    assert.deepEqual(shape(texts.en).sort(), shape(texts.zh).sort());
    const code = readdirSync(join(root, 'src/http/page')).filter((name) => name.endsWith('.js') && !name.startsWith('text.')).map((name) => source(`src/http/page/${name}`)).join('\n');
    const unused = shape(texts.en).map((name) => name.replace(/[([].*/, '').split('.').pop()).filter((name) => !new RegExp(`\\.${name}\\b|'${name}'`).test(code));
    // These are found by what the server says.
    const asked = ['turn_past', 'turn_not_reached', 'already_acted', 'not_to_act', 'match_over', 'gathering', 'not_your_seat', 'illegal', 'unreadable', 'truncated', 'refused', 'too_slow', 'crashed', 'resigned', 'experiment', 'last_alive', 'round_limit', 'turn_limit', 'all_dead', 'forfeit', 'east', 'west', 'bad_name', 'name_taken', 'no_open_seat', 'seat_taken', 'not_invited', 'no_match', 'no_player', 'no_ruleset', 'no_tournament', 'bad_ruleset', 'bad_request', 'too_many_matches', 'hall_full', 'internal', 'further_blocks', 'lot', 'seeding', 'requests', 'concurrency', 'money', 'provider'];
    assert.deepEqual(unused.filter((name) => !asked.includes(name)), []);
  });

  await test('no Chinese text is left in English', async () => {
    const zh = await textsOf('zh');
    const left = [];
    const walk = (value, name) => {
      if (value && typeof value === 'object') Object.entries(value).forEach(([key, inner]) => walk(inner, `${name}.${key}`));
      else if (!/[\u3000-\u9fff\uff00-\uffef]/.test(String(value))) left.push(name);
    };
    walk({ ...zh, keys: { title: zh.keys.title, list: zh.keys.list.map(([, does]) => does) } }, '');
    // Names, abbreviations, and a space that Chinese does not need.
    assert.deepEqual(left, ['.language', '.html', '.switch_language', '.home.title', '.match.join']);
  });
}
