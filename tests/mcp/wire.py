"""What does not belong on the wire harms nobody."""

import json
import os
import subprocess
import time

import anyio
from harness import STANDOFF, call, folder, serving, session, test
from mcp_types import PromptReference, ResourceTemplateReference

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Raw:
    """`standoff mcp` with nothing between."""

    def __init__(self, process):
        self.process, self.buffer, self.last = process, b"", 0

    async def send(self, line):
        await self.process.stdin.send((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n")

    async def line(self):
        while b"\n" not in self.buffer:
            self.buffer += await self.process.stdout.receive()
        line, _, self.buffer = self.buffer.partition(b"\n")
        return json.loads(line)

    async def ask(self, method, **params):
        self.last += 1
        await self.send({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        while True:
            answer = await self.line()
            if answer.get("id") == self.last and "method" not in answer:
                return answer

    async def hello(self):
        answer = await self.ask("initialize", **HELLO)
        await self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    async def lives(self):
        answer = await self.ask("tools/list")
        assert len(answer["result"]["tools"]) == 9, answer


def raw(name):
    def register(body):
        @test(name)
        async def _():
            with folder() as home:
                process = await anyio.open_process([STANDOFF, "mcp", "--store", str(home / "s.db")], stderr=subprocess.DEVNULL)
                try:
                    await body(Raw(process))
                finally:
                    with anyio.CancelScope(shield=True):
                        if process.returncode is None:
                            process.kill()
                        await process.wait()

        return body

    return register


@raw("garbage lines between requests are survived")
async def _(server):
    await server.hello()
    for line in (b"garbage", b"{", b"[]", b"null", b"42", b'"text"', b"", b"   ", b"\xff\xfe\x00\x01", b'{"jsonrpc":"2.0"}', b"{}" * 50,
                 b'{"jsonrpc":"1.0","id":1,"method":"ping"}', b'{"jsonrpc":"2.0","id":{},"method":"ping"}', b"[" * 10_000,
                 b'{"jsonrpc":"2.0","id":999,"result":{}}', b'{"jsonrpc":"2.0","method":"notifications/no_such"}',
                 b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345}}'):
        await server.send(line)
        await server.lives()


@raw("garbage before the beginning is survived")
async def _(server):
    for line in (b"garbage", b"\xff\xfe", b"{}", b""):
        await server.send(line)
    await server.hello()
    await server.lives()


@raw("a notification as the first line is survived")
async def _(server):
    await server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    await server.hello()
    await server.lives()


@raw("an oversized line is survived, and memory stays bounded")
async def _(server):
    await server.hello()
    huge = json.dumps({"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": {"name": "speak", "arguments": {"text": "x" * 8_000_000}}})
    await server.send(huge.encode())
    await server.send(b"y" * 8_000_000)
    await server.lives()
    with open(f"/proc/{server.process.pid}/status") as status:
        resident = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
    assert resident < 150_000, f"{resident} kB"


@raw("unknown methods, tools, arguments and resources are errors with a way out")
async def _(server):
    await server.hello()
    assert (await server.ask("no/such"))["error"]["code"] == -32601
    unknown = (await server.ask("tools/call", name="no_such", arguments={}))["error"]
    assert unknown["code"] == -32602 and "new_match" in unknown["message"]
    assert "error" in await server.ask("resources/read", uri="standoff://rules/../../etc/passwd")
    assert "error" in await server.ask("resources/read", uri="file:///etc/passwd")
    assert "error" in await server.ask("prompts/get", name="no_such")
    for arguments in ({"action": 5}, {"action": None}, {}, {"action": ["x"]}, {"action": "x" * 100_000}, {"action": "shoot left", "turn": -1}, {"action": "shoot left", "turn": 1e30}):
        answer = await server.ask("tools/call", name="act", arguments=arguments)
        assert "error" in answer or answer["result"]["isError"], arguments
    for arguments in ({"ruleset": "chess"}, {"opponents": ["nobody"]}, {"opponents": ["random"] * 500}, {"seat": "ZZ"}, {"seed": "x"}, {"map": "../../x"}, {"language": "xx"}):
        answer = await server.ask("tools/call", name="new_match", arguments=arguments)
        assert "error" in answer or answer["result"]["isError"], arguments
    await server.lives()


@raw("a version that nobody knows is answered with one that is known")
async def _(server):
    answer = await server.ask("initialize", **{**HELLO, "protocolVersion": "1999-01-01"})
    version = answer.get("result", {}).get("protocolVersion") or answer["error"]
    assert isinstance(version, str) and version.startswith("20"), version
    await server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    await server.lives()


@raw("a modern request of an unknown version is refused with those that are known")
async def _(server):
    answer = await server.ask("tools/list", _meta={**MODERN, "io.modelcontextprotocol/protocolVersion": "2099-01-01"})
    assert "2026-07-28" in json.dumps(answer["error"]), answer
    answer = await server.ask("tools/list", _meta=MODERN)
    assert len(answer["result"]["tools"]) == 9 and answer["result"]["ttlMs"] > 0


@raw("discovering first and then shaking hands works on one pipe")
async def _(server):
    found = await server.ask("server/discover", _meta=MODERN)
    assert "2026-07-28" in json.dumps(found["result"]), found
    assert (await server.hello())["result"]["protocolVersion"] == "2025-11-25"
    await server.lives()


@raw("at the end of the input it ends at once, though a call waits")
async def _(server):
    await server.hello()
    key = (await server.ask("tools/call", name="new_match", arguments={"opponents": ["open"]}))["result"]["structuredContent"]["seat_key"]
    await server.send({"jsonrpc": "2.0", "id": 500, "method": "tools/call", "params": {"name": "get_state", "arguments": {"seat_key": key, "wait_seconds": 50}}})
    await server.lives()
    begun = time.monotonic()
    await server.process.stdin.aclose()
    assert await server.process.wait() == 0
    assert time.monotonic() - begun < 15


@test("what is there to read, to prompt with and to complete")
async def _():
    async with session("stdio", "modern") as client:
        data = await call(client, "new_match", ruleset="cowboy", opponents=["random"])
        uris = [str(resource.uri) for resource in (await client.list_resources()).resources]
        assert sum(uri.startswith("standoff://rules/") for uri in uris) == 14 and "ui://standoff/board" in uris
        for uri in uris:
            assert (await client.read_resource(uri)).contents[0].text.strip(), uri
        templates = (await client.list_resource_templates()).resource_templates
        assert len(templates) == 3
        state = ResourceTemplateReference(type="ref/resource", uri="standoff://match/{match_id}/state")
        found = await client.complete(state, {"name": "match_id", "value": data["match_id"][:3]})
        assert found.completion.values == [data["match_id"]]
        play = PromptReference(type="ref/prompt", name="play")
        assert "cowboy-duel" in (await client.complete(play, {"name": "ruleset", "value": "cow"})).completion.values
        for prompt in (await client.list_prompts()).prompts:
            for language in ("en", "zh"):
                arguments = {"language": language, **({} if prompt.name == "play" else {"match_id": data["match_id"]})}
                got = await client.get_prompt(prompt.name, arguments)
                assert ("请" in got.messages[0].content.text) == (language == "zh")


async def http(url, method="GET", path="/mcp", headers=(), body=None):
    """One request with exactly these headers; gives the status line's number."""
    host, port = url.removeprefix("http://").rsplit(":", 1)
    stream = await anyio.connect_tcp(host, int(port))
    async with stream:
        data = json.dumps(body).encode() if body is not None else b""
        given = {"Host": f"{host}:{port}", "Connection": "close", "Content-Length": str(len(data)), **dict(headers)}
        head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in given.items()) + "\r\n"
        await stream.send(head.encode() + data)
        return int((await stream.receive()).split()[1])


POST = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}


@test("strange origins, hosts and bodies are kept out")
async def _():
    async with serving() as (url, _):
        assert await http(url, path="/healthz") == 200
        assert await http(url, "POST", headers=POST, body=INITIALIZE) == 200
        for wrong in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Host": "evil.example"}):
            assert await http(url, "POST", headers={**POST, **wrong}, body=INITIALIZE) in (400, 403, 421), wrong
        assert await http(url, "POST", headers={**POST, "Origin": url}, body=INITIALIZE) == 200
        assert await http(url, "POST", headers=POST, body={"x": "y" * 3_000_000}) in (400, 413)
        assert await http(url, "POST", headers={**POST, "Mcp-Session-Id": "nobody"}, body=INITIALIZE | {"method": "tools/list"}) in (400, 404)


@test("beyond this machine a token is asked for")
async def _():
    token = "a-token-that-nobody-guesses"
    async with serving("--bind", "0.0.0.0", "--host", "127.0.0.1", env={"STANDOFF_TOKEN": token}) as (url, told):
        url = url.replace("0.0.0.0", "127.0.0.1")
        assert token not in told
        assert await http(url, "POST", headers=POST, body=INITIALIZE) == 401
        assert await http(url, "POST", headers={**POST, "Authorization": "Bearer wrong"}, body=INITIALIZE) == 401
        assert await http(url, "POST", headers={**POST, "Authorization": f"Bearer {token}"}, body=INITIALIZE) == 200
        assert await http(url, path="/healthz") == 200
    env = {name: value for name, value in os.environ.items() if name != "STANDOFF_TOKEN"}
    with folder() as home:
        process = await anyio.open_process([STANDOFF, "serve", "--bind", "0.0.0.0", "--port", "0", "--store", str(home / "s.db")], env=env)
        told = ""
        while "listening on" not in told or "token" not in told:
            told += (await process.stderr.receive()).decode()
        process.terminate()
        await process.wait()
