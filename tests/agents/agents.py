"""Real agents play with a stub model behind them: each preset a match, two of them a tournament with kills in between.

HOSTS names the folder with their packages.
"""

import json
import os
import re
import signal
import subprocess
from pathlib import Path

import anyio
import harness
from harness import STANDOFF, Skipped, folder, main, test
from stub_model import SeatPlayer, StubModel

# Agents start slowly, and many of them are started.
harness.PATIENCE = 1500
HOSTS = Path(os.environ.get("HOSTS", "target/mcp/hosts")).resolve()
# The tools of a seat, and those of Codex that can only be left alone: they read resources, and the seat has none.
OFFERED = re.compile(r"(^|_)(act|get_state|list_legal_actions|speak)$|^(list_mcp_resources|list_mcp_resource_templates|read_mcp_resource|request_user_input)$")
# Without a clock: what is slow here is the machine.
BRIEF = 'base = "cowboy"\nname = "brief"\nmax_rounds = 3\npolicy = { turn_seconds = 0 }\n'
ROUNDS = 3
PROGRAMS = {"claude-code": "claude", "codex": "codex", "gemini-cli": "gemini", "opencode": "opencode"}


def profile(name, preset, protocol, home, model, **environment):
    """An agent as people configure it, with the stub as its model."""
    program = HOSTS / "node_modules" / ".bin" / PROGRAMS[preset]
    if not program.exists():
        raise Skipped(f"{preset} is not installed")
    path = f"{program.parent}:{os.environ['PATH']}"
    environment = {"HOME": str(home), "PATH": path, "NO_COLOR": "1", "CI": "1", **environment}
    options, files = "", {}
    if preset == "claude-code":
        environment |= {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "sk-stub", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
    elif preset == "codex":
        environment["STUB_KEY"] = "sk-stub"
        provider = f'model_providers.stub={{name="stub",base_url="{model.url}/v1",wire_api="responses",env_key="STUB_KEY"}}'
        options = f"-m stub -c model_provider=stub -c '{provider}'"
    elif preset == "gemini-cli":
        environment |= {"GEMINI_API_KEY": "stub", "GOOGLE_GEMINI_BASE_URL": model.url}
        files[".gemini/settings.json"] = json.dumps({"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False}, "general": {"disableAutoUpdate": True}, "model": {"name": "gemini-2.5-flash"}})
    else:
        environment |= {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}
        stub = {"npm": "@ai-sdk/openai-compatible", "name": "stub", "options": {"baseURL": f"{model.url}/v1", "apiKey": "sk-stub"}, "models": {"stub": {"name": "stub", "tool_call": True}}}
        files["opencode.json"] = json.dumps({"provider": {"stub": stub}, "model": "stub/stub", "small_model": "stub/stub", "autoupdate": False, "share": "disabled"})
    # A string of TOML without control characters is one of JSON.
    table = lambda values: "{ " + ", ".join(f"{json.dumps(key)} = {json.dumps(value)}" for key, value in values.items()) + " }"
    lines = [f"[agents.{name}]", f'protocol = "{protocol}"', f'preset = "{preset}"', f"environment = {table(environment)}", f"files = {table(files)}"]
    return "\n".join(lines + ([f"options = {json.dumps(options)}"] if options else [])) + "\n"


def surroundings(home):
    """The environment of the program itself: nothing of this machine's settings."""
    return {"PATH": os.environ["PATH"], "HOME": str(home), "XDG_DATA_HOME": str(home), "XDG_STATE_HOME": str(home), "XDG_CONFIG_HOME": str(home)}


async def standoff(home, *args):
    done = await anyio.run_process([STANDOFF, *args], cwd=home, env=surroundings(home), check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, f"{args}: {(done.stdout + done.stderr).decode()[-2000:]}"
    return done.stdout.decode()


def turns(record, seat):
    """The turns of a seat in a record."""
    lines = [json.loads(line) for line in record.splitlines()]
    return [line for line in lines if line["type"] == "turn" and seat in line["actions"]]


def preset_plays(preset, protocol, language):
    @test(f"{preset} plays a match over {protocol}, in {language}")
    async def _():
        with folder() as home, StubModel(SeatPlayer()) as model:
            (home / "standoff.toml").write_text(profile("it", preset, protocol, home, model))
            (home / "brief.toml").write_text(BRIEF)
            await standoff(home, "play", "--ruleset", "brief.toml", "--players", "agent:it,greedy", "--seed", "7", "--lang", language, "--record", "m.jsonl", "--json")
            assert "verified" in await standoff(home, "replay", "m.jsonl", "--verify")
            played = turns((home / "m.jsonl").read_text(), "A")
            assert len(played) == ROUNDS, played
            for turn in played:
                assert not turn.get("lapses") and not turn.get("refused"), turn
                assert "get_state {}" in turn["reasoning"]["A"] and "a throw of the dice" in turn["reasoning"]["A"], turn
                # Over ACP Gemini CLI does not tell what it used.
                assert (preset, protocol) == ("gemini-cli", "acp") or turn["calls"]["A"][0]["output_tokens"] > 0, turn
            offered = {tool for asked in model.asked for tool in asked["tools"]}
            strange = [tool for tool in offered if not OFFERED.search(tool)]
            assert not strange, f"the model was offered more than the seat: {strange}"


for preset in PROGRAMS:
    preset_plays(preset, "mcp", "en")
preset_plays("claude-code", "mcp", "zh")
preset_plays("opencode", "acp", "en")
preset_plays("opencode", "acp", "zh")
preset_plays("gemini-cli", "acp", "en")


def processes():
    """Every process: what it is, whose child it is, and when it began."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text().rsplit(")", 1)[1].split()
                words = (entry / "cmdline").read_text().split("\0")
            except OSError:
                continue
            if stat[0] != "Z":
                found[int(entry.name)] = (int(stat[1]), stat[19], words)
    return found


def descendants(of):
    """What a process has started, and what that has: (process, when it began) with its words."""
    all_of_them = processes()
    family = {of}
    while more := {pid for pid, (parent, _, _) in all_of_them.items() if parent in family} - family:
        family |= more
    return {(pid, all_of_them[pid][1]): all_of_them[pid][2] for pid in family - {of} if pid in all_of_them}


async def until(what, is_so, seconds=600):
    """Waits for a condition."""
    with anyio.move_on_after(seconds):
        while not is_so():
            await anyio.sleep(0.05)
        return
    raise AssertionError(f"in vain for {seconds} s: {what}")


@test("two agents and a bot play a tournament of twelve games through kills, and the leaderboard comes out")
async def _():
    with folder() as home, StubModel(SeatPlayer()) as model:
        first = profile("opencode", "opencode", "acp", home, model)
        second = profile("claude", "claude-code", "mcp", home, model) if (HOSTS / "node_modules/.bin/claude").exists() else profile("claude", "codex", "mcp", home, model)
        (home / "standoff.toml").write_text(first + second)
        (home / "brief.toml").write_text(BRIEF)
        (home / "cup.toml").write_text(
            'name = "agents"\nplayers = ["agent:opencode", "agent:claude", "greedy"]\nrulesets = ["brief.toml"]\n'
            'format = "round-robin"\nseats = 2\nblocks = 2\nseed = 1\nanchor = "greedy"\nconcurrency = 2\n'
        )
        store = ("--store", str(home / "cup.db"))

        def begin(*more):
            return subprocess.Popen([STANDOFF, "tournament", "cup.toml", *store, "--json", *more], cwd=home, env=surroundings(home), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

        # The program is killed in the middle of its games, and everything that it started goes with it.
        running = begin()
        try:
            left = {}
            def in_the_middle():
                left.update(descendants(running.pid))
                return running.poll() is not None or (model.player.acts >= 8 and any("acp" in words for words in left.values()))
            await until("the first acts", in_the_middle)
            assert running.poll() is None, running.communicate()
        finally:
            running.kill()
            running.communicate()
        def alive():
            now = processes()
            return {key: words for key, words in left.items() if now.get(key[0], (0, None))[1] == key[1]}
        await until("the agents of a program that was killed are gone", lambda: not alive())

        # Resumed, it loses an agent in the middle of a turn, and plays on to the end.
        running = begin("--resume")
        try:
            model.player.held = "standoff_act"
            await until("an agent at work", lambda: running.poll() is not None or model.player.holding.is_set())
            for (pid, _), words in descendants(running.pid).items():
                if "acp" in words:
                    os.kill(pid, signal.SIGKILL)
            model.player.held = None
            model.player.let_go.set()
            told = await anyio.to_thread.run_sync(lambda: running.communicate(timeout=1200))
        finally:
            running.kill()
            running.wait()
        assert running.returncode == 0, told[1].decode()[-2000:]
        games = [json.loads(line) for line in told[0].decode().splitlines()]
        assert games, told

        board = json.loads(await standoff(home, "leaderboard", *store, "--json"))["players"]
        print("     " + ", ".join(f"{player['name']} {player['rating']:.0f} ({player['games']} games)" for player in board), flush=True)
        assert sorted(player["name"] for player in board) == ["agent:claude", "agent:opencode", "greedy"], board
        assert all(player["games"] == 8 for player in board), board
        await standoff(home, "store", "check", *store)
        await standoff(home, "export", *store, "--format", "records", "--out", "records")
        crashes = sum(record.read_text().count('"fault":"crashed"') for record in (home / "records").iterdir())
        assert 1 <= crashes <= 4, f"{crashes} turns of an agent that was killed"
        kept = [json.loads(line) for line in (await standoff(home, "matches", *store, "--limit", "100", "--json")).splitlines()]
        assert len(kept) == 12 and all(match["status"] == "finished" for match in kept), kept


if __name__ == "__main__":
    main(at_once=int(os.environ.get("AT_ONCE", "2")))
