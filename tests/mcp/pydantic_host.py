"""pydantic-ai as a host: SERVER MODEL PROMPT on its command line; the server is a command or an address, as JSON."""

import asyncio
import json
import sys

from pydantic_ai import Agent, UsageLimits
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider


def toolset(reached):
    try:
        from pydantic_ai.mcp import MCPServerStdio, MCPServerStreamableHTTP
    except ImportError:
        from fastmcp.client.transports import StdioTransport
        from pydantic_ai.mcp import MCPToolset

        return MCPToolset(StdioTransport(reached["command"], reached["args"]) if "command" in reached else reached["url"])
    return MCPServerStdio(reached["command"], reached["args"], timeout=60) if "command" in reached else MCPServerStreamableHTTP(reached["url"])


async def main(reached, url, prompt):
    model = OpenAIChatModel("stub", provider=OpenAIProvider(base_url=f"{url}/v1", api_key="sk-stub"))
    agent = Agent(model, toolsets=[toolset(reached)])
    async with agent:
        print((await agent.run(prompt, usage_limits=UsageLimits(request_limit=400))).output)


asyncio.run(main(json.loads(sys.argv[1]), sys.argv[2], sys.argv[3]))
