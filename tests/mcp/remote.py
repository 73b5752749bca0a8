"""The server from afar: tokens of an issuer, an open server, pages of other sites, old and new clients, the queue."""

import contextlib
import socket

import anyio
import httpx2
from harness import ERAS, call, dice, play_on, refused, serving, test
from issuer import Issuer
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata
from urllib.parse import parse_qs, urlsplit

HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "remote", "version": "1"}}}
BOTH = {"Accept": "application/json, text/event-stream"}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Storage:
    """What a client remembers of its tokens."""

    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, info):
        self.client = info


def signing_in(address):
    """The official client's way to a token, with a user who says yes at once."""
    came = {}

    async def redirect(url):
        async with httpx2.AsyncClient() as browser:
            answer = await browser.get(url)
        came.update({name: values[0] for name, values in parse_qs(urlsplit(answer.headers["location"]).query).items()})

    async def callback():
        return AuthorizationCodeResult(code=came["code"], state=came["state"], iss=came.get("iss"))

    about = OAuthClientMetadata(client_name="check", redirect_uris=["http://127.0.0.1:9/callback"], grant_types=["authorization_code"], response_types=["code"], token_endpoint_auth_method="none")
    return OAuthClientProvider(address, about, Storage(), redirect, callback)


@contextlib.asynccontextmanager
async def protected():
    with Issuer() as issuer:
        port = free_port()
        async with serving("--port", str(port), "--oauth-issuer", issuer.url) as (url, _):
            yield issuer, url


@test("the official client signs in with an issuer and plays")
async def _():
    async with protected() as (issuer, url):
        address = f"{url}/mcp"
        for era in ERAS.values():
            async with httpx2.AsyncClient(auth=signing_in(address), timeout=60) as http, Client(streamable_http_client(address, http_client=http), mode=era) as client:
                data = await call(client, "new_match", ruleset="trails", opponents=["random"], seed="3")
                assert (await play_on(client, data, dice("oauth"), {"seat_key": data["seat_key"]}))["result"] in ("won", "lost", "draw")
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {issuer.token(address)}"}) as http:
            me = [(await http.get(f"{url}/api/v1/players/me")).json() for _ in range(2)]
        assert me[0]["id"] == me[1]["id"] and me[0]["name"] == "Alice", me
        assert issuer.fetched <= 2, "the issuer's keys are fetched again and again"


@test("a token of somebody else, for somebody else or of yesterday is refused with the way to a right one")
async def _():
    async with protected() as (issuer, url), httpx2.AsyncClient(timeout=60) as http:
        with Issuer() as other:
            tokens = [
                None, "nonsense", issuer.token("https://elsewhere.example.org/mcp"), issuer.token(f"{url}/mcp", exp=1),
                issuer.token(f"{url}/mcp", iss="https://elsewhere.example.org"), issuer.token(f"{url}/mcp", key=other.key),
                "eyJhbGciOiJub25lIn0." + issuer.token(f"{url}/mcp").split(".")[1] + ".",
            ]
        for token in tokens:
            shown = {"Authorization": f"Bearer {token}"} if token else {}
            answer = await http.post(f"{url}/mcp", json=HELLO, headers={**BOTH, **shown})
            assert answer.status_code == 401, (token, answer.status_code, answer.text)
            told = answer.headers["www-authenticate"]
            assert f'resource_metadata="{url}/.well-known/oauth-protected-resource/mcp"' in told, told
        for path in ("", "/mcp"):
            about = (await http.get(f"{url}/.well-known/oauth-protected-resource{path}")).json()
            assert about["resource"] == f"{url}/mcp" and about["authorization_servers"] == [issuer.url], about


@test("an open server lets everybody play bots, and nobody open too many matches")
async def _():
    port = free_port()
    async with serving("--open", "--bind", "0.0.0.0", "--port", str(port), "--host", "127.0.0.1") as (_, told):
        assert "token" not in told, told
        async with Client(f"http://127.0.0.1:{port}/mcp", mode=ERAS["modern"]) as client:
            data = [await call(client, "new_match", ruleset="trails", opponents=["random"]) for _ in range(5)]
            assert "5 matches" in await refused(client, "new_match", ruleset="trails", opponents=["random"])
            await call(client, "resign", seat_key=data[0]["seat_key"])
            await call(client, "new_match", ruleset="trails", opponents=["random"])


@test("pages of a named site may ask, others may not")
async def _():
    async with serving("--origin", "https://chat.example.org") as (url, _), httpx2.AsyncClient(timeout=60) as http:
        good, bad = {"Origin": "https://chat.example.org"}, {"Origin": "https://evil.example.org"}
        asked = await http.options(f"{url}/mcp", headers={**good, "Access-Control-Request-Method": "POST"})
        assert asked.status_code == 204 and asked.headers["access-control-allow-origin"] == good["Origin"]
        taken = await http.post(f"{url}/mcp", json=HELLO, headers={**BOTH, **good})
        assert taken.status_code == 200 and taken.headers["access-control-allow-origin"] == good["Origin"], taken.text
        assert "mcp-session-id" in taken.headers["access-control-expose-headers"]
        turned = await http.post(f"{url}/mcp", json=HELLO, headers={**BOTH, **bad})
        assert turned.status_code == 403 and "access-control-allow-origin" not in turned.headers


@test("empty events go to clients that know them, and the end of a session is a plain 204")
async def _():
    async with serving() as (url, _), httpx2.AsyncClient(timeout=60) as http:
        for version in ("2025-06-18", "2025-11-25"):
            begun = await http.post(f"{url}/mcp", json={**HELLO, "params": {**HELLO["params"], "protocolVersion": version}}, headers=BOTH)
            events = [event for event in begun.text.split("\n\n") if event.strip()]
            assert len(events) == 1 and '"result"' in events[0], begun.text
            session = {**BOTH, "Mcp-Session-Id": begun.headers["mcp-session-id"], "MCP-Protocol-Version": version}
            await http.post(f"{url}/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=session)
            listed = await http.post(f"{url}/mcp", json={"jsonrpc": "2.0", "id": 2, "method": "tools/list"}, headers=session)
            empty = [event for event in listed.text.split("\n\n") if event.strip() and '"result"' not in event and "data:" in event]
            assert bool(empty) == (version == "2025-11-25"), listed.text[:300]
            assert (await http.delete(f"{url}/mcp", headers=session)).status_code == 204


def meeting(era):
    @test(f"two assistants find each other in the queue, {era}")
    async def _():
        async with serving() as (url, _), Client(f"{url}/mcp", mode=ERAS[era]) as one, Client(f"{url}/mcp", mode=ERAS[era]) as other:
            first = await call(one, "find_match", ruleset="trails", bots=False, wait_seconds=0)
            assert first["status"] == "waiting" and first["next"].startswith("find_match "), first
            assert ("ticket" in first["next"]) == (era == "modern"), first
            ends = {}

            async def play(client, **wish):
                data = {}
                while "match_id" not in data:
                    data = await call(client, "find_match", ruleset="trails", bots=False, **wish)
                ends[data["seat"]] = await play_on(client, data, dice(data["seat"]), {"seat_key": data["seat_key"]})

            ticket = first["next"].split('"ticket":"')[1].split('"')[0] if era == "modern" else None
            async with anyio.create_task_group() as group:
                group.start_soon(lambda: play(one, **({"ticket": ticket} if ticket else {})))
                group.start_soon(lambda: play(other))
            assert ends.keys() == {"A", "B"} and ends["A"]["outcome"] == ends["B"]["outcome"]
            board = await call(one, "list_matches", show="leaderboard")
            assert "ladder" in board, board


for era in ERAS:
    meeting(era)


@test("without a session every next call has its key, and a call without one is told to pass it")
async def _():
    async with serving() as (url, _), Client(f"{url}/mcp", mode=ERAS["modern"]) as client:
        data = await call(client, "new_match", ruleset="trails", opponents=["random"], seed="3")
        assert f'"seat_key":"{data["seat_key"]}"' in data["next"], data["next"]
        told = await refused(client, "act", action="move up")
        assert "Pass the seat_key that new_match" in told, told
        data = await call(client, "act", action=data["legal_actions"][0], seat_key=data["seat_key"])
        assert "seat_key" in data["next"] or data.get("outcome"), data
