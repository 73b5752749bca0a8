// Plays short matches over every wire format against aimock, whole and in pieces, and looks at their records.
import { LLMock } from "@copilotkit/aimock";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const program = process.argv[2];
const run = promisify(execFile);
const KEY = "sk-for-aimock-alone";
const APIS = { chat: "/v1", responses: "/v1", anthropic: "/v1", gemini: "/v1beta" };
const home = mkdtempSync(join(tmpdir(), "wire-"));
let passed = 0;
let failed = 0;

/** A model that looks first, and then acts; it thinks before either. */
async function start() {
  const mock = new LLMock({ port: 0 });
  const says = (name, args) => ({
    reasoning: "North is as good as any.",
    reasoningSignature: "c2lnbmVk",
    toolCalls: [{ name, arguments: JSON.stringify(args) }],
    usage: { prompt_tokens: 900, completion_tokens: 30, input_tokens: 900, output_tokens: 30 },
  });
  mock.on({ hasToolResult: true }, says("act", { action: "shoot north" }));
  mock.on({ hasToolResult: false }, says("get_state", {}));
  await mock.start();
  return mock;
}

function check(name, truths) {
  const wrong = Object.entries(truths).filter(([, is]) => !is).map(([what]) => what);
  if (wrong.length === 0) {
    passed += 1;
    console.log(`ok ${name}`);
  } else {
    failed += 1;
    console.log(`FAILED ${name}: ${wrong.join(", ")}`);
  }
}

/** Plays a match and gives the turns of its record, or what the program said instead. */
async function play(mock, api, stream, before) {
  const config = join(home, "standoff.toml");
  const record = join(home, `${api}-${stream}-${mock.getRequests().length}.jsonl`);
  writeFileSync(
    config,
    `[players.wire]\napi = "${api}"\nmodel = "wire"\nbase_url = "${mock.url}${APIS[api]}"\n` +
      `api_key_env = "WIRE_KEY"\nstream = ${stream}\nprice = { input = 1.0, output = 2.0 }\n`,
  );
  before?.();
  const args = ["play", "--ruleset", "paint", "--set", "turns=2", "--seed", "7", "--json", "--config", config];
  try {
    await run(program, [...args, "--players", "wire,greedy", "--record", record], {
      env: { ...process.env, HOME: home, WIRE_KEY: KEY },
      timeout: 60_000,
    });
  } catch (error) {
    return { said: error.stderr };
  }
  const text = readFileSync(record, "utf8");
  const turns = text.split("\n").filter(Boolean).map((line) => JSON.parse(line)).filter((line) => line.type === "turn");
  return { text, turns, record };
}

for (const api of Object.keys(APIS)) {
  for (const stream of [false, true]) {
    const name = `${api}, ${stream ? "in pieces" : "whole"}`;
    const mock = await start();
    try {
      const { text, turns, said, record } = await play(mock, api, stream);
      if (turns === undefined) {
        check(`${name}: ${said}`, { "it is played": false });
        continue;
      }
      const calls = turns.flatMap((turn) => turn.calls?.A ?? []);
      check(name, {
        "two turns": turns.length === 2,
        "its own actions": turns.every((turn) => turn.actions.A === "shoot north"),
        "nothing refused": turns.every((turn) => !turn.refused?.some((one) => one.seat === "A") && !turn.lapses?.A),
        "two calls a turn": calls.length === 4 && mock.getRequests().length === 4,
        "tokens and money": calls.every((call) => call.input_tokens > 0 && call.output_tokens > 0 && call.usd > 0),
        "the time to the first token, where it is streamed": calls.every((call) => !stream || call.first_token_millis >= 0),
        "no key in the record": !text.includes(KEY),
      });
      const verified = await run(program, ["replay", record, "--verify"]).then(() => true, () => false);
      check(`${name}, verified`, { "the record verifies": verified });
    } finally {
      await mock.stop();
    }
  }
  const mock = await start();
  try {
    const busy = () => mock.nextRequestError(429, { message: "slow down", type: "rate_limit_error" });
    const { turns, said } = await play(mock, api, true, busy);
    const retries = turns?.[0].calls?.A?.[0].retries ?? [];
    check(`${api}, told to slow down ${said ?? ""}`, { "asked again": retries.some((retry) => retry.startsWith("429")) });
  } finally {
    await mock.stop();
  }
}
rmSync(home, { recursive: true });
console.log(`\n${passed} passed, ${failed} failed, 0 skipped`);
process.exit(failed === 0 ? 0 : 1);
