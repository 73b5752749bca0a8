/** What stands in front of the page for a moment: the keys, the question for a token, a question to be sure. */
import { fill, h } from './dom.js';

/** Opens a dialog with this in it; gone when it is closed. Resolves with the value it was closed with. */
function open(label, ...children) {
  const title = h('h2', { id: 'dialog-title' }, label);
  const dialog = h('dialog', { 'aria-labelledby': 'dialog-title' }, title, children);
  fill(document.getElementById('dialogs'), dialog);
  const before = document.activeElement;
  return new Promise((done) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      if (before && before.isConnected) before.focus();
      done(dialog.returnValue);
    });
    dialog.showModal();
  });
}

const closes = (label, value, type) => h('button', { type: 'submit', value, class: type }, label);

/** Which keys do what. */
export function keysDialog(page) {
  const text = page.text;
  const rows = text.keys.list.map(([key, does]) => h('div', {}, h('dt', {}, key.split(' ').map((one) => (one === '…' ? ' … ' : h('kbd', {}, one)))), h('dd', {}, does)));
  return open(text.keys.title, h('dl', { class: 'keylist' }, rows), h('form', { method: 'dialog' }, closes(text.close, '', 'primary')));
}

/** Asks for a token; null if the person has none. */
export async function ask(page, code) {
  const text = page.text.token;
  const field = h('input', { id: 'token', name: 'token', autocomplete: 'off', spellcheck: 'false', required: true });
  const answer = await open(text.title, h('p', {}, code === 'token_unknown' ? text.unknown : text.hint),
    h('form', { method: 'dialog' }, h('label', { for: 'token' }, text.label), field,
      h('div', { class: 'row' }, closes(text.send, 'go', 'primary'), h('button', { type: 'submit', value: '', formnovalidate: true }, page.text.cancel))));
  return answer === 'go' ? field.value.trim() || null : null;
}

/** Whether the person is sure. */
export async function sure(page, question, yes) {
  return (await open(question, h('form', { method: 'dialog', class: 'row' }, closes(yes, 'yes', 'danger'), closes(page.text.cancel, '', '')))) === 'yes';
}
