"""An OpenAI-compatible server that plays by a few rules of thumb, so that an assistant can be checked without weights."""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ACTIONS = re.compile(r"`((?:move|shield|shoot) [a-z-]+|stay)`")


def reply(messages):
    """A tool call, or the last word: starts a match, then shoots where it can, else moves on."""
    results = [message for message in messages if message["role"] == "tool"]
    if not results:
        return "new_match", {"ruleset": "cowboy-duel", "opponents": ["greedy"], "seed": "11"}
    told = text(results[-1]["content"])
    if "The match is over" in told:
        return None, "That was the match."
    offered = re.findall(r"^Your legal actions: (.*)$", told, re.MULTILINE)
    if not offered:
        return "get_state", {"wait_seconds": 20}
    legal = ACTIONS.findall(offered[-1])
    turn = len(results)
    shots = [action for action in legal if action.startswith("shoot")]
    moves = [action for action in legal if action.startswith("move")]
    wanted = shots if shots and turn % 3 else moves or legal
    return "act", {"action": wanted[turn % len(wanted)]}


def text(content):
    if isinstance(content, str):
        try:
            inner = json.loads(content)
        except ValueError:
            return content
        return inner.get("text", content) if isinstance(inner, dict) else content
    return "\n".join(text(part.get("text", "")) for part in content)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):  # noqa: N802 the name is the library's
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        tool, argument = reply(asked["messages"])
        message = {"role": "assistant", "content": None if tool else argument}
        if tool:
            called = {"name": tool, "arguments": json.dumps(argument)}
            message["tool_calls"] = [{"id": f"call_{len(self.server.asked)}", "type": "function", "function": called}]
        body = json.dumps({
            "id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": asked["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if tool else "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class ScriptedModel:
    """The server while it is entered; `url` is its address, `asked` all requests."""

    def __enter__(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.asked = self.asked = []
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
