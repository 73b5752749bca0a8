/** Elements from names and texts. Nothing here takes markup: what players write stays text. */

/**
 * An element. `attributes`: `class`, `on` (listeners by event), `props` (DOM properties), all others as attributes;
 * what is null, undefined or false is left out. Children may be nodes, texts, lists of them, or nothing.
 */
export function h(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === 'on') for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    else if (key === 'props') Object.assign(made, value);
    else made.setAttribute(key, value === true ? '' : value);
  }
  append(made, children);
  return made;
}

/** Puts children at the end, lists flattened, nothing for nothing. */
export function append(parent, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : String(child));
  }
  return parent;
}

/** Everything in an element replaced. */
export function fill(parent, ...children) {
  parent.replaceChildren();
  return append(parent, children);
}

const SVG = 'http://www.w3.org/2000/svg';

/** An SVG element. */
export function svg(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes || {})) if (value !== null && value !== undefined) made.setAttribute(key, value);
  return append(made, children);
}

const ICONS = {
  arrow: 'M-7 0H7M1 -6L7 0L1 6',
  dot: 'M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0',
  play: 'M-4 -7L7 0L-4 7Z', pause: 'M-4 -6V6M4 -6V6',
  first: 'M-6 -6V6M6 -6L-1 0L6 6', back: 'M3 -6L-4 0L3 6', next: 'M-3 -6L4 0L-3 6', last: 'M6 -6V6M-6 -6L1 0L-6 6',
  check: 'M-6 0L-2 5L7 -5', cross: 'M-5 -5L5 5M-5 5L5 -5', add: 'M-6 0H6M0 -6V6',
};

/** A small drawing for a button; the button has the name. */
export function icon(name, turn) {
  const path = svg('path', { d: ICONS[name], transform: turn === undefined ? null : `rotate(${turn})` });
  return svg('svg', { class: 'icon', viewBox: '-12 -12 24 24', 'aria-hidden': 'true', focusable: 'false' }, path);
}

/** A seat's letter in its colour. */
export const chip = (seat) => h('span', { class: `standoff-chip h${StandoffBoard.hue(seat)}` }, seat);

/** A bar that is filled so far, from 0 to 1, in a seat's colour. */
export function bar(seat, share) {
  const filled = h('span', { class: 'fill' });
  filled.style.width = `${Math.round(100 * Math.min(1, Math.max(0, share)))}%`;
  return h('span', { class: `bar standoff-chip-bar h${StandoffBoard.hue(seat)}`, 'aria-hidden': 'true' }, filled);
}

/** Minutes and seconds, or seconds with a tenth when they run out. */
export function clock(millis) {
  const left = Math.max(0, millis);
  if (left < 10_000) return (left / 1000).toFixed(1);
  const seconds = Math.ceil(left / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** What is shown while something is fetched. */
export const loading = (text) => h('p', { class: 'state loading', role: 'status' }, h('span', { class: 'spin', 'aria-hidden': 'true' }), text);

/** What is shown where there is nothing: a sentence and a way on. */
export const empty = (text, ...more) => h('div', { class: 'state' }, h('p', {}, text), more);

/** Puts a text on the clipboard and says so on the button. Without a clipboard the text is shown to be copied by hand. */
export async function copy(button, text, done) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = done;
    setTimeout(() => { button.textContent = label; }, 1600);
  } catch {
    const field = h('input', { class: 'copied', readonly: true, value: text, 'aria-label': label });
    button.after(field);
    field.select();
  }
}
