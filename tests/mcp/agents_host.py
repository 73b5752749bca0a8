"""openai-agents as a host: SERVER MODEL PROMPT on its command line; the server is a command or an address, as JSON."""

import asyncio
import json
import sys

from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
from openai import AsyncOpenAI

set_tracing_disabled(True)


async def main(reached, url, prompt):
    kind = MCPServerStdio if "command" in reached else MCPServerStreamableHttp
    model = OpenAIChatCompletionsModel(model="stub", openai_client=AsyncOpenAI(base_url=f"{url}/v1", api_key="sk-stub", max_retries=0))
    async with kind(reached, client_session_timeout_seconds=60) as server:
        agent = Agent(name="Player", instructions="You play games with tools.", model=model, mcp_servers=[server])
        print((await Runner.run(agent, prompt, max_turns=400)).final_output)


asyncio.run(main(json.loads(sys.argv[1]), sys.argv[2], sys.argv[3]))
