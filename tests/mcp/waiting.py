"""Waiting: progress, cancellation, notifications, and a person who is asked by form."""

import time

import anyio
from harness import ERAS, Client, call, dice, refused, serving, session, test
from mcp_types import ElicitResult


def progress(transport, era):
    @test(f"progress is told while a call waits on {transport}, {era}")
    async def _():
        async with session(transport, era) as client:
            data = await call(client, "new_match", ruleset="cowboy", opponents=["open"])
            told = []

            async def heard(progress, total, message):
                told.append((progress, message))

            result = await client.call_tool("get_state", {"seat_key": data["seat_key"], "wait_seconds": 7}, progress_callback=heard)
            assert not result.is_error and not result.structured_content["your_turn"]
            assert told and told[0][0] > 0 and told[0][1], told


def cancelled(transport, era):
    @test(f"a cancelled wait ends and the match does not, on {transport}, {era}")
    async def _():
        async with session(transport, era) as client:
            data = await call(client, "new_match", ruleset="cowboy", opponents=["open"])
            whose = {"seat_key": data["seat_key"]}
            with anyio.move_on_after(1.5) as scope:
                await client.call_tool("get_state", {**whose, "wait_seconds": 50})
            assert scope.cancelled_caught
            begun = time.monotonic()
            await call(client, "join_match", match_id=data["match_id"])
            state = await call(client, "get_state", **whose)
            assert state["your_turn"] and time.monotonic() - begun < 45


for transport in ("stdio", "http"):
    for era in ERAS:
        progress(transport, era)
        cancelled(transport, era)


@test("a wait in vain is answered in a few words, without the board")
async def _():
    async with serving() as (url, _), Client(f"{url}/mcp") as one, Client(f"{url}/mcp") as other:
        mine = await call(one, "new_match", ruleset="cowboy", opponents=["open"])
        await call(other, "join_match", match_id=mine["match_id"])
        result = await one.call_tool("act", {"action": "shield down", "wait_seconds": 1, "seat_key": mine["seat_key"]})
        # On a busy machine it takes a moment until the turn is played.
        while "sealed" in result.structured_content:
            result = await one.call_tool("get_state", {"wait_seconds": 1, "seat_key": mine["seat_key"]})
        assert "state" not in result.structured_content and result.structured_content["waiting_for"] == ["B"]
        assert len(result.content[0].text) < 160


def person(transport, era, ruleset):
    @test(f"a person plays {ruleset} by form on {transport}, {era}")
    async def _():
        asked = []

        async def answer(context, params):
            choices = params.requested_schema["properties"]["action"]["enum"]
            asked.append(params.message)
            return ElicitResult(action="accept", content={"action": choices[len(asked) % len(choices)]})

        async with session(transport, era, elicitation_callback=answer) as client:
            data = await call(client, "new_match", ruleset=ruleset, opponents=["human"], seed="6")
            whose = {"seat_key": data["seat_key"]}
            throws = dice("person", ruleset)
            for _ in range(5):
                action = throws.choice([action for action in data["legal_actions"] if "<" not in action])
                data = await call(client, "act", action=action, turn=data["turn"], **whose)
            turns = 10 if ruleset == "cowboy" else 5
            assert data["turn"] == turns and data["your_turn"]
            assert len(asked) == 5 or (ruleset == "paint" and len(asked) == 6), len(asked)
            assert all("B" in question for question in asked)


for transport in ("stdio", "http"):
    for era in ERAS:
        for ruleset in ("cowboy", "paint"):
            person(transport, era, ruleset)


@test("a person may open the game, in both eras")
async def _():
    for era in ERAS:

        async def answer(context, params):
            return ElicitResult(action="accept", content={"action": params.requested_schema["properties"]["action"]["enum"][0]})

        async with session("stdio", era, elicitation_callback=answer) as client:
            data = await call(client, "new_match", ruleset="cowboy", opponents=["human"], seat="B")
            assert data["seat"] == "B" and not data["your_turn"], era
            data = await call(client, "get_state", wait_seconds=20)
            assert data["your_turn"] and data["turn"] == 1, era
            assert len((await call(client, "list_matches"))["matches"]) == 1, era


@test("a person who declines is asked again later, and nothing is lost")
async def _():
    for era in ERAS:
        patience = []

        async def answer(context, params):
            patience.append(1)
            if len(patience) == 1:
                return ElicitResult(action="decline")
            return ElicitResult(action="accept", content={"action": "shield left"})

        async with session("stdio", era, elicitation_callback=answer) as client:
            await call(client, "new_match", ruleset="cowboy", opponents=["human"])
            assert "get_state" in await refused(client, "act", action="shield down", turn=0)
            data = await call(client, "get_state", wait_seconds=20)
            assert data["turn"] == 2 and data["your_turn"], era


@test("a client without forms is told how else to play")
async def _():
    for era in ERAS:
        async with session("stdio", era) as client:
            told = await refused(client, "new_match", opponents=["human"])
            assert "open" in told and "standoff play" in told


@test("changes of a match are told to those who asked, in both eras")
async def _():
    heard = anyio.Event()

    async def message(message):
        if "resources/updated" in str(getattr(message, "method", "")) or "ResourceUpdated" in type(message).__name__ or "ResourceUpdated" in repr(message):
            heard.set()

    async with session("http", "legacy", message_handler=message) as client:
        data = await call(client, "new_match", ruleset="cowboy", opponents=["random"])
        await client.session.subscribe_resource(f"standoff://match/{data['match_id']}/state")
        await call(client, "act", action="shield down")
        with anyio.fail_after(60):
            await heard.wait()
    async with session("http", "modern") as client:
        data = await call(client, "new_match", ruleset="cowboy", opponents=["random"])
        uri = f"standoff://match/{data['match_id']}/state"
        async with client.listen(resource_subscriptions=[uri]) as changes:
            await call(client, "act", action="shield down", seat_key=data["seat_key"])
            with anyio.fail_after(60):
                event = await anext(aiter(changes))
            assert uri in repr(event)
