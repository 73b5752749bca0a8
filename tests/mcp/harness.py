"""What the checks of the MCP server share: a runner, servers to talk to, and a player."""

import contextlib
import json
import logging
import os
import random
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPDeprecationWarning

STANDOFF = os.environ.get("STANDOFF", "standoff")
RULESETS = ["cowboy", "cowboy-duel", "cowboy-classic", "paint", "grid-royale", "trails"]
ERAS = {"legacy": "legacy", "modern": "2026-07-28"}
# Generous: the checks are to find faults, not slow machines.
PATIENCE = 900
TESTS = []

# The client grumbles when a session that is being closed is closed, and at methods of the older era.
logging.getLogger("mcp").setLevel(logging.CRITICAL)
warnings.filterwarnings("ignore", category=MCPDeprecationWarning)


class Skipped(Exception):
    """What a check needs is not there."""


def test(name):
    """Registers a check."""

    def register(body):
        TESTS.append((name, body))
        return body

    return register


async def run_all(at_once=6):
    """Runs every check, several at once because many of them wait, and ends the process with a count."""
    only = sys.argv[1:]
    chosen = [(name, body) for name, body in TESTS if not only or any(part in name for part in only)]
    passed, skipped = [], []
    limit = anyio.CapacityLimiter(at_once)

    async def one(name, body):
        async with limit:
            begun = time.monotonic()
            try:
                with anyio.fail_after(PATIENCE):
                    await body()
                passed.append(name)
                print(f"ok   {name} ({time.monotonic() - begun:.1f} s)", flush=True)
            except Skipped as missing:
                skipped.append(name)
                print(f"skipped: {name}: {missing}", flush=True)
            except BaseException as error:  # noqa: BLE001 a check may fail in any way
                told = "".join(traceback.format_exception(error)[-6:])
                print(f"FAIL {name}\n     " + told.strip().replace("\n", "\n     "), flush=True)
                if isinstance(error, KeyboardInterrupt):
                    raise

    async with anyio.create_task_group() as group:
        for name, body in chosen:
            group.start_soon(one, name, body)
    failed = len(chosen) - len(passed) - len(skipped)
    print(f"{len(passed)} passed, {failed} failed, {len(skipped)} skipped")
    return failed == 0


def main(at_once=6):
    sys.exit(0 if anyio.run(run_all, at_once) else 1)


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory(prefix="standoff-") as path:
        yield Path(path)


@contextlib.asynccontextmanager
async def serving(*more, env=None):
    """`standoff serve` on a free port with a store of its own; gives the address and what it said."""
    with folder() as home:
        port = () if "--port" in more else ("--port", "0")
        command = [STANDOFF, "serve", *port, "--store", str(home / "s.db"), *more]
        process = await anyio.open_process(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env={**os.environ, **(env or {})})
        try:
            told = ""
            while "listening on " not in told:
                told += (await process.stderr.receive()).decode()
            yield told.split("listening on ")[1].split()[0], told
        finally:
            process.terminate()
            with anyio.CancelScope(shield=True):
                await process.wait()


def stdio(home, *more):
    return StdioServerParameters(command=STANDOFF, args=["mcp", "--store", str(home / "s.db"), *more])


@contextlib.asynccontextmanager
async def session(transport, era, **options):
    """A client of an era on a transport of its own."""
    mode = ERAS[era]
    if transport == "stdio":
        with folder() as home:
            async with Client(stdio(home), mode=mode, **options) as client:
                yield client
    else:
        async with serving() as (url, _), Client(f"{url}/mcp", mode=mode, **options) as client:
            yield client


async def call(client, tool, **arguments):
    """A call that must be taken; gives the data."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, words(result)
    assert words(result).strip(), "no words for the model"
    return result.structured_content


async def refused(client, tool, **arguments):
    """A call that must be refused in words; gives the words."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, f"{tool} {arguments} was taken: {words(result)[:200]}"
    return words(result)


def words(result):
    return "\n".join(part.text for part in result.content if part.type == "text")


def some_action(data, dice, legal=()):
    return dice.choice([action for action in data.get("legal_actions") or legal if "<" not in action])


async def play_on(client, data, dice, whose, between=None):
    """Acts with legal actions until the match is over; gives the last answer, with the whole state."""
    legal = data.get("legal_actions")
    while not data.get("outcome"):
        # What is the same in every turn is listed once.
        legal = data.get("legal_actions") or legal
        if data["your_turn"] and not legal:
            legal = (await call(client, "get_state", **whose))["legal_actions"]
        if data["your_turn"]:
            data = await call(client, "act", action=some_action(data, dice, legal), turn=data["turn"], **whose)
        else:
            data = await call(client, "get_state", wait_seconds=20, **whose)
        if between:
            await between(data)
    return await call(client, "get_state", **whose)


async def record(client, match_id):
    read = await client.read_resource(f"standoff://match/{match_id}/record")
    return read.contents[0].text


async def verify(client, match_id):
    """The record, as `standoff replay --verify` sees it."""
    with folder() as home:
        (home / "match.jsonl").write_text(await record(client, match_id))
        done = await anyio.run_process([STANDOFF, "replay", str(home / "match.jsonl"), "--verify"], check=False)
        assert done.returncode == 0, (done.stdout + done.stderr).decode()
        assert b"verified" in done.stdout
    return [json.loads(line) for line in (await record(client, match_id)).splitlines()]


def dice(*seed):
    return random.Random(repr(seed))
