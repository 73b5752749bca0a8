"""The official client plays whole games: every ruleset, both transports, both eras."""

from harness import ERAS, RULESETS, call, dice, play_on, session, test, verify


def whole_game(ruleset, transport, era):
    @test(f"a whole game of {ruleset} on {transport}, {era}")
    async def _():
        async with session(transport, era) as client:
            assert client.protocol_version >= "2026" if era == "modern" else client.protocol_version < "2026"
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == [
                "new_match", "get_state", "list_legal_actions", "act", "speak", "join_match", "find_match", "list_matches", "resign",
            ]
            act = next(tool for tool in tools if tool.name == "act")
            assert list(act.input_schema["properties"])[:2] == ["reasoning", "action"], "a model would act before it thinks"
            data = await call(client, "new_match", ruleset=ruleset, opponents=["random"], seed="7")
            assert data["brief"] and data["legal_actions"] and data["your_turn"]
            # A session on a pipe may leave its one match out; stateless HTTP has no session.
            whose = {} if transport == "stdio" or era == "legacy" else {"seat_key": data["seat_key"]}
            what_if = await call(client, "list_legal_actions", **whose)
            assert len(what_if["effects"]) == len(what_if["legal_actions"]) > 0
            data = await play_on(client, data, dice(ruleset), whose)
            assert data["state"]["outcome"]["places"].keys() == {"A", "B"}
            lines = await verify(client, data["match_id"])
            assert lines[0]["ruleset"]["name"] == ruleset
            assert lines[-1]["places"] == data["state"]["outcome"]["places"]


for ruleset in RULESETS:
    for transport in ("stdio", "http"):
        for era in ERAS:
            whole_game(ruleset, transport, era)
