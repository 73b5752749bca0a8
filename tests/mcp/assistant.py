"""A real assistant, openai-agents, plays through `standoff mcp` on its standard input and output.

With a scripted model it plays a whole game. With STANDOFF_INFERENCE (the address of an OpenAI-compatible server, and
STANDOFF_INFERENCE_KEY) a model of real weights takes a few turns: badly, but through every layer.
"""

import os
import re

from agents import Agent, MaxTurnsExceeded, ModelSettings, OpenAIChatCompletionsModel, RunHooks, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio, create_static_tool_filter
from harness import STANDOFF, PATIENCE, folder, main, test
from openai import AsyncOpenAI
from scripted_model import ScriptedModel

set_tracing_disabled(True)


class Noted(RunHooks):
    """Which tools the assistant called and what it got."""

    def __init__(self):
        self.calls = []

    async def on_tool_end(self, context, agent, tool, result):
        self.calls.append((tool.name, str(result)))


def server(home, **options):
    params = {"command": STANDOFF, "args": ["mcp", "--store", str(home / "s.db")]}
    return MCPServerStdio(params, client_session_timeout_seconds=PATIENCE, cache_tools_list=True, **options)


async def ask(url, key, server, what, turns, settings=None):
    model = OpenAIChatCompletionsModel(model="local", openai_client=AsyncOpenAI(base_url=url, api_key=key, max_retries=0, timeout=PATIENCE))
    agent = Agent(name="Player", instructions="You play games with tools.", model=model, mcp_servers=[server], model_settings=settings or ModelSettings())
    noted = Noted()
    try:
        done = await Runner.run(agent, what, max_turns=turns, hooks=noted)
        return noted.calls, done.final_output
    except MaxTurnsExceeded:
        return noted.calls, None


@test("openai-agents plays a whole game through stdio")
async def _():
    with folder() as home, ScriptedModel() as model:
        async with server(home) as tools:
            calls, last = await ask(model.url, "sk-none", tools, "Play Cowboy against the greedy bot.", 400)
        assert last == "That was the match.", last
        assert calls[0][0] == "new_match" and sum(name == "act" for name, _ in calls) >= 5
        assert "The match is over" in calls[-1][1]
        offered = [tool["function"]["name"] for tool in model.asked[0]["tools"]]
        assert len(offered) == 8 and "act" in offered
        print(f"     {len(calls)} calls; " + re.findall(r"The match is over[^\n]*", calls[-1][1])[-1][:100])


if os.environ.get("STANDOFF_INFERENCE"):

    @test("a model of real weights calls the tools through openai-agents")
    async def _():
        url, key = os.environ["STANDOFF_INFERENCE"], os.environ.get("STANDOFF_INFERENCE_KEY", "sk-local")
        url = url if url.endswith("/v1") else f"{url.rstrip('/')}/v1"
        # Few tools and short answers: a small model on one core reads slowly.
        wanted = create_static_tool_filter(allowed_tool_names=["new_match", "list_matches"])
        settings = ModelSettings(tool_choice="required", max_tokens=48, temperature=0)
        with folder() as home:
            async with server(home, tool_filter=wanted) as tools:
                calls, _ = await ask(url, key, tools, "Start a match of cowboy against the bot called greedy.", 2, settings)
        assert calls and calls[0][0] in ("new_match", "list_matches"), calls
        print(f"     {[name for name, _ in calls]}")


if __name__ == "__main__":
    main()
