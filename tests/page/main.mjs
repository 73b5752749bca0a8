// The web page in Chromium, on a real `standoff serve`.
// node main.mjs STANDOFF NPM_FOLDER CHROMIUM OUT_FOLDER [ONLY]
import { launch, runner, serve } from '../browser.mjs';
import { Kit } from './kit.mjs';
import abroad from './abroad.mjs';
import feel from './feel.mjs';
import long from './long.mjs';
import play from './play.mjs';
import replay from './replay.mjs';
import share from './share.mjs';
import screens from './screens.mjs';
import watch from './watch.mjs';
import words from './words.mjs';

const [standoff, npm, chromium, out, only] = process.argv.slice(2);
const serving = await serve(standoff);
const browser = await launch(npm, chromium);
const { test, finish } = runner(only);
const kit = new Kit({ browser, address: serving.address, store: serving.store, standoff, npm, out, test });
for (const part of [words, play, feel, watch, replay, abroad, share, long, screens]) await part(kit);
await browser.close();
await serving.stop();
finish();
