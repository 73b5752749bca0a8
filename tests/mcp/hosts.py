"""Real hosts play whole games with a stub model, on both transports. What counts is what each host hands to its model: a
board that it can read, and the right next call. A host that is not installed is skipped by name.

HOSTS names the folder with their packages: `node_modules` and a Python environment `venv`.
"""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import anyio
from harness import STANDOFF, Skipped, folder, main, serving, test
from stub_model import Player, StubModel

HOSTS = Path(os.environ.get("HOSTS", "target/mcp/hosts")).resolve()
HERE = Path(__file__).resolve().parent
PROMPT = "Play a game of trails against the random bot to its end."
# Words that users say, and for which a host's own tool search must find the game.
QUERIES = ["play cowboy", "play a game against a bot", "board game"]
LONGEST = 600


def program(*names):
    """A program among the hosts' packages."""
    path = next((path for name in names for path in [HOSTS / "node_modules" / ".bin" / name, HOSTS / "venv" / "bin" / name] if path.exists()), None)
    if path is None:
        raise Skipped(f"{names[0]} is not installed")
    return str(path)


async def run(command, home, within="work", **env):
    """Runs a host to its end in an empty folder, with nothing of this machine's settings."""
    work = home / within
    work.mkdir(exist_ok=True)
    clean = {"PATH": os.environ["PATH"], "HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), "XDG_DATA_HOME": str(home / ".local"), "NO_COLOR": "1", "CI": "1"}
    with anyio.fail_after(LONGEST):
        done = await anyio.run_process(command, cwd=work, env={**clean, **env}, check=False, stdin=subprocess.DEVNULL)
    return (done.stdout + done.stderr).decode(errors="replace")


@contextlib.asynccontextmanager
async def server(transport, home):
    """How a host reaches the game: by a command, or at an address."""
    if transport == "stdio":
        yield {"command": STANDOFF, "args": ["mcp", "--store", str(home / "s.db")]}
    else:
        async with serving() as (url, _):
            yield {"url": f"{url}/mcp"}


def judge(model, told=""):
    """Whether the model was handed what it needs, from the first call to the last."""
    player = model.player
    assert player.results, f"the model never saw a result: {told[-1500:]}"
    assert not player.faults, player.faults[:3]
    assert player.results[-1].over, f"no end after {len(player.results)} results: {told[-500:]} {player.results[-1].raw[-500:]}"
    searched = f", found by {len(player.found)} searches" if player.found else ""
    print(f"     {len(player.results)} results{', each next call with its key' if player.key_seen else ''}{searched}", flush=True)


def check_found(model):
    """Whether the host's own tool search finds the game by what users say."""
    assert list(model.player.found) == QUERIES, "the host offered no tool search"
    for query, answer in model.player.found.items():
        assert "new_match" in answer, f"a search for “{query}” does not find new_match: {answer[:500]}"


def host(name, *languages):
    """Registers a host for both transports: a function of the model, the server and a folder that gives what it said. In
    other languages than English it plays on stdio alone."""

    def register(body):
        for transport, language in [("stdio", "en"), ("http", "en"), *(("stdio", language) for language in languages)]:

            def on(transport=transport, language=language):
                @test(f"{name} plays a whole game on {transport}" + ("" if language == "en" else f", in {language}"))
                async def _():
                    with folder() as home, StubModel(Player(QUERIES, language)) as model:
                        async with server(transport, home) as reached:
                            told = await body(model, reached, home)
                        judge(model, told)

            on()
        return body

    return register


@host("openai-agents", "zh")
async def _(model, reached, home):
    return await run([sys.executable, str(HERE / "agents_host.py"), json.dumps(reached), model.url, PROMPT], home)


@host("pydantic-ai")
async def _(model, reached, home):
    return await run([program("python"), str(HERE / "pydantic_host.py"), json.dumps(reached), model.url, PROMPT], home)


def sdk(name, package):
    @host(name)
    async def _(model, reached, home):
        if not (HOSTS / package).is_dir():
            raise Skipped(f"{name} is not installed")
        return await run(["node", str(HERE / "sdk_host.mjs"), str(HOSTS / package), json.dumps(reached), model.url], home)


sdk("the TypeScript SDK 1.12", "ts-old")
sdk("the TypeScript SDK 1.32", "ts-new")
sdk("the TypeScript client 2.4", "ts-client")


@host("Claude Code", "zh")
async def _(model, reached, home):
    entry = reached if "command" in reached else {"type": "http", **reached}
    (home / "mcp.json").write_text(json.dumps({"mcpServers": {"standoff": entry}}))
    command = [program("claude"), "-p", PROMPT, "--mcp-config", str(home / "mcp.json"), "--strict-mcp-config", "--allowedTools", "mcp__standoff", "--max-turns", "300"]
    told = await run(command, home, ANTHROPIC_BASE_URL=model.url, ANTHROPIC_API_KEY="sk-stub", MCP_CONNECTION_NONBLOCKING="0", MCP_TIMEOUT="120000", DISABLE_TELEMETRY="1", DISABLE_AUTOUPDATER="1", ENABLE_TOOL_SEARCH="true", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1")
    check_found(model)
    return told


@host("qwen-code")
async def _(model, reached, home):
    entry = reached if "command" in reached else {"httpUrl": reached["url"]}
    settings = {"mcpServers": {"standoff": {**entry, "trust": True}}, "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}}, "privacy": {"usageStatisticsEnabled": False}}
    (home / ".qwen").mkdir()
    (home / ".qwen" / "settings.json").write_text(json.dumps(settings))
    told = await run([program("qwen"), "-p", PROMPT, "--yolo", "--model", "stub"], home, OPENAI_API_KEY="sk-stub", OPENAI_BASE_URL=f"{model.url}/v1", OPENAI_MODEL="stub")
    check_found(model)
    return told


@host("Gemini CLI")
async def _(model, reached, home):
    entry = reached if "command" in reached else {"httpUrl": reached["url"]}
    settings = {"mcpServers": {"standoff": {**entry, "trust": True}}, "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}, "privacy": {"usageStatisticsEnabled": False}, "general": {"disableAutoUpdate": True}}
    (home / ".gemini").mkdir()
    (home / ".gemini" / "settings.json").write_text(json.dumps(settings))
    return await run([program("gemini"), "-p", PROMPT, "--approval-mode", "yolo", "--model", "gemini-2.5-flash", "--skip-trust"], home, GEMINI_API_KEY="stub", GOOGLE_GEMINI_BASE_URL=model.url)


@host("Codex")
async def _(model, reached, home):
    entry = f"command = {json.dumps(reached['command'])}\nargs = {json.dumps(reached['args'])}" if "command" in reached else f"url = {json.dumps(reached['url'])}"
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text(
        'model = "stub"\nmodel_provider = "stub"\napproval_policy = "never"\nsandbox_mode = "danger-full-access"\n'
        f'[model_providers.stub]\nname = "stub"\nbase_url = "{model.url}/v1"\nwire_api = "responses"\nenv_key = "STUB_KEY"\n'
        f"[mcp_servers.standoff]\nstartup_timeout_sec = 120\n{entry}\n"
    )
    return await run([program("codex"), "exec", "--skip-git-repo-check", PROMPT], home, CODEX_HOME=str(home / ".codex"), STUB_KEY="sk-stub")


@host("opencode", "zh")
async def _(model, reached, home):
    entry = {"type": "local", "command": [reached["command"], *reached["args"]]} if "command" in reached else {"type": "remote", "url": reached["url"]}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "stub", "options": {"baseURL": f"{model.url}/v1", "apiKey": "sk-stub"}, "models": {"stub": {"name": "stub", "tool_call": True}}}
    settings = {"mcp": {"standoff": {**entry, "enabled": True, "timeout": 120_000}}, "provider": {"stub": provider}, "model": "stub/stub", "small_model": "stub/stub", "autoupdate": False, "share": "disabled"}
    (home / "work").mkdir()
    (home / "work" / "opencode.json").write_text(json.dumps(settings))
    return await run([program("opencode"), "run", PROMPT], home, OPENCODE_DISABLE_AUTOUPDATE="1", OPENCODE_DISABLE_MODELS_FETCH="1")


def configured(host, command, is_loaded):
    """Registers a check that a host takes what the program writes for it, for a program and for an address."""
    for transport in ("stdio", "http"):

        def on(transport=transport):
            @test(f"{command} takes what `mcp` writes for {host}, on {transport}")
            async def _():
                listing = [program(command), "mcp", "list"]
                with folder() as home:
                    async with server(transport, home) as reached:
                        more = ["--url", reached["url"], "--header", "X-Check: yes"] if transport == "http" else []
                        trusted = {"GEMINI_CLI_TRUST_WORKSPACE": "true", "PATH": f"{Path(listing[0]).parent}:{os.environ['PATH']}"}
                        if host == "codex" and transport == "http":
                            (home / ".codex").mkdir()
                            done = subprocess.run([STANDOFF, "mcp", "--config", host, *more], capture_output=True, check=True)
                            (home / ".codex" / "config.toml").write_bytes(done.stdout)
                        else:
                            # A second time changes nothing.
                            for _ in range(2):
                                await run([STANDOFF, "mcp", "--install", host, *more], home, **trusted)
                        told = await run(listing, home, within="elsewhere", **trusted)
                        assert "standoff" in told and is_loaded in told.lower(), told

        on()


configured("claude-code", "claude", "connected")
configured("codex", "codex", "enabled")
configured("gemini-cli", "gemini", "connected")
configured("qwen-code", "qwen", "connected")
configured("opencode", "opencode", "connected")


if __name__ == "__main__":
    main(at_once=int(os.environ.get("AT_ONCE", "3")))
