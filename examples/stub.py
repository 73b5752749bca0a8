"""A stand-in for a language model, to try experiments and tournaments without a key and without paying.

It speaks the OpenAI chat format on http://127.0.0.1:9000/v1. It cannot play: it picks an action by the hash of the prompt, from
the list of legal actions where the prompt has one, and from all actions that it knows where it has none. So a prompt that
lists the legal actions is better for it, and an experiment finds that out.
"""

import hashlib
import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

GUESSES = [f"{verb} {way}" for verb in ("move", "shoot") for way in ("up", "down", "left", "right")]


def choose(messages):
    prompt = messages[-1]["content"]
    listed = re.findall(r"(?:Your legal actions|你的合法动作)[:：](.*)", prompt)
    legal = re.findall(r"`([^`]+)`", listed[-1]) if listed else GUESSES
    shots = [action for action in legal if "shoot" in action]
    pick = int(hashlib.sha256(json.dumps(messages).encode()).hexdigest(), 16)
    actions = shots if shots and pick % 3 else legal
    return actions[pick // 3 % len(actions)]


class Stub(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text = f"ACTION: {choose(asked['messages'])}"
        words = sum(len(message["content"]) for message in asked["messages"]) // 4
        self.answer({
            "id": "stub", "object": "chat.completion", "created": 0, "model": asked["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
            "usage": {"prompt_tokens": words, "completion_tokens": 6, "total_tokens": words + 6},
        })

    def do_GET(self):
        self.answer({"object": "list", "data": [{"id": "stub", "object": "model"}]})

    def answer(self, body):
        sent = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 9000
    ThreadingHTTPServer(("127.0.0.1", port), Stub).serve_forever()
