"""The Inspector's command line lists and calls, on both transports.

python inspector.py NODE INSPECTOR_PACKAGE
"""

import json
import sys
from pathlib import Path

import anyio
from harness import STANDOFF, folder, main, serving, test

NODE, PACKAGE = sys.argv[1], Path(sys.argv[2])
del sys.argv[1:3]
PROGRAM = PACKAGE / json.loads((PACKAGE / "package.json").read_text(encoding="utf-8"))["bin"]["mcp-inspector"]


async def inspect(target, *arguments):
    done = await anyio.run_process([NODE, str(PROGRAM), "--cli", *target, *arguments, "--format", "json"], check=False)
    assert done.returncode == 0, (done.stdout + done.stderr).decode()[-800:]
    return [json.loads(line) for line in done.stdout.splitlines()]


async def look(target):
    [listed] = await inspect(target, "--method", "tools/list")
    assert len(listed["result"]["tools"]) == 9
    apps = await inspect(target, "--method", "tools/list", "--app-info")
    shown = {app["toolName"] for app in apps if app["hasApp"]}
    assert shown == {"new_match", "get_state", "act", "join_match", "find_match"}, shown
    result = await inspect(target, "--method", "tools/call", "--tool-name", "new_match", "--tool-arg", "ruleset=cowboy", "--tool-arg", "opponents=[\"random\"]")
    assert "legal_actions" in json.dumps(result)
    assert "standoff://leaderboard" in json.dumps(await inspect(target, "--method", "resources/list"))
    assert "commentate" in json.dumps(await inspect(target, "--method", "prompts/list"))


@test("the Inspector lists and calls on stdio")
async def _():
    with folder() as home:
        await look([STANDOFF, "mcp", "--store", str(home / "s.db")])


@test("the Inspector lists and calls over HTTP")
async def _():
    async with serving() as (url, _):
        await look([f"{url}/mcp", "--transport", "http"])


main()
