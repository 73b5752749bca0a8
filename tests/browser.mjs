// What the checks in Chromium share: a runner that counts, a server on a store of its own, a browser.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** A package of the folder into which the set-up installs. */
export const installed = (npm, name) => createRequire(join(resolve(npm), 'package.json'))(name);

/** A browser with a profile of its own. */
export const launch = (npm, chromium) => installed(npm, 'playwright-core').chromium.launch({ executablePath: chromium, args: FLAGS });

/** `standoff serve` on a free port and a store that goes with it: its address and how to end it. */
export async function serve(standoff, more = [], env = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'standoff-'));
  const store = join(folder, 'store.db');
  const child = spawn(standoff, ['serve', '--port', '0', '--store', store, ...more], { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...env } });
  const ended = new Promise((done) => { child.on('exit', done); });
  const address = await new Promise((found, failed) => {
    let told = '';
    child.stderr.on('data', (chunk) => {
      told += chunk;
      const at = told.match(/listening on (http:\S+)/);
      if (at) found(at[1].replace('0.0.0.0', '127.0.0.1'));
    });
    child.on('exit', () => failed(new Error(`standoff serve ended: ${told}`)));
  });
  const stop = async () => {
    child.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  return { address, store, stop };
}

/** Runs tests one after the other and counts. `only`: those whose name has this word. */
export function runner(only = '') {
  const results = [];
  const test = async (name, body) => {
    if (!name.includes(only)) return;
    const begun = Date.now();
    try {
      await body();
      results.push(true);
      console.log(`ok   ${name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
    } catch (error) {
      results.push(false);
      console.log(`FAIL ${name}\n     ${String(error.stack || error).split('\n').slice(0, 12).join('\n     ')}`);
    }
  };
  /** Prints the count and ends the program. */
  const finish = () => {
    const failed = results.filter((ok) => !ok).length;
    console.log(`${results.length - failed} passed, ${failed} failed, 0 skipped`);
    process.exit(failed ? 1 : 0);
  };
  return { test, finish };
}
