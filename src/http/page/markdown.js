/** The little of Markdown that briefs use, as elements: headings, paragraphs, lists, tables, fences, code, bold, emphasis. */
import { h } from './dom.js';

export function markdown(source) {
  const lines = String(source).replace(/\r/g, '').split('\n');
  const out = [];
  let at = 0;
  const item = /^\s*(?:[-*]|\d+\.)\s+/;
  while (at < lines.length) {
    const line = lines[at];
    if (!line.trim()) at += 1;
    else if (line.startsWith('```')) {
      const end = lines.findIndex((other, index) => index > at && other.startsWith('```'));
      const stop = end < 0 ? lines.length : end;
      out.push(h('pre', { tabindex: 0 }, lines.slice(at + 1, stop).join('\n')));
      at = stop + 1;
    } else if (/^#{1,6} /.test(line)) {
      // The page has its own first heading.
      const level = Math.max(2, line.indexOf(' '));
      out.push(h(`h${level}`, {}, inline(line.slice(line.indexOf(' ') + 1))));
      at += 1;
    } else if (line.startsWith('|')) {
      const rows = [];
      while (at < lines.length && lines[at].startsWith('|')) rows.push(lines[at++].slice(1).replace(/\|\s*$/, '').split('|').map((cell) => cell.trim()));
      const [head, ...body] = rows.filter((row) => !row.every((cell) => /^:?-+:?$/.test(cell)));
      out.push(h('div', { class: 'wide', tabindex: 0 }, h('table', {}, h('thead', {}, h('tr', {}, head.map((cell) => h('th', { scope: 'col' }, inline(cell))))), h('tbody', {}, body.map((row) => h('tr', {}, row.map((cell) => h('td', {}, inline(cell)))))))));
    } else if (item.test(line)) {
      const ordered = /^\s*\d+\./.test(line);
      const items = [];
      while (at < lines.length && (item.test(lines[at]) || (/^\s+\S/.test(lines[at]) && items.length) || (!lines[at].trim() && item.test(lines[at + 1] || '')))) {
        if (item.test(lines[at])) items.push(lines[at].replace(item, ''));
        else if (lines[at].trim()) items[items.length - 1] += ` ${lines[at].trim()}`;
        at += 1;
      }
      out.push(h(ordered ? 'ol' : 'ul', {}, items.map((one) => h('li', {}, inline(one)))));
    } else {
      const part = [];
      while (at < lines.length && lines[at].trim() && !/^(#{1,6} |```|\|)/.test(lines[at]) && !item.test(lines[at])) part.push(lines[at++].trim());
      out.push(h('p', {}, inline(part.join(' '))));
    }
  }
  return out;
}

function inline(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*\s][^*]*\*)/).map((part) => {
    if (/^`[^`]+`$/.test(part)) return h('code', {}, part.slice(1, -1));
    if (/^\*\*.+\*\*$/.test(part)) return h('strong', {}, inline(part.slice(2, -2)));
    if (/^\*.+\*$/.test(part)) return h('em', {}, part.slice(1, -1));
    return part;
  });
}
