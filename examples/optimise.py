#!/usr/bin/env python3
"""A prompt optimiser that uses `standoff bank run --json` as its evaluator, as GEPA or DSPy would.

    python3 examples/optimise.py [STANDOFF] [POSITIONS]

The model is a stub on this machine that shoots where its prompt tells it to; put your own profile in `standoff.toml`.
"""
import json, pathlib, re, subprocess, sys, tempfile, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Stub(BaseHTTPRequestHandler):
    def do_POST(self):
        messages = json.loads(self.rfile.read(int(self.headers["content-length"])))["messages"]
        legal = re.findall(r"(?:move|shoot|shield) (?:up|down|left|right)", messages[-1]["content"]) or ["move up"]
        shots = [action for action in legal if action.startswith("shoot")]
        action = shots[0] if shots and "SHOOT" in messages[0]["content"] else legal[0]
        body = json.dumps({"model": "stub", "usage": {"prompt_tokens": 1, "completion_tokens": 1}, "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": f"ACTION: {action}"}}]})
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_): pass

def evaluate(program, folder, hint, positions):
    """The mean score of a prompt, and what it did worst: what a reflective optimiser learns from."""
    variant = folder / "variant.toml"
    variant.write_text(f'base = "standard"\n[extra]\nen = {json.dumps(hint)}\nzh = {json.dumps(hint)}\n')
    run = subprocess.run([program, "bank", "run", "cowboy", "--players", "stub", "--variant", variant, "--json",
                          "--positions", str(positions), "--config", folder / "standoff.toml",
                          "--store", folder / "optimise.db"], capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    answers = [line for line in lines if "position" in line]
    worst = min(answers, key=lambda answer: answer["score"])
    return sum(answer["score"] for answer in answers) / len(answers), f"{worst['action']}: {worst['words']}"

program = sys.argv[1] if len(sys.argv) > 1 else "standoff"
positions = int(sys.argv[2]) if len(sys.argv) > 2 else 100
server = ThreadingHTTPServer(("127.0.0.1", 0), Stub)
threading.Thread(target=server.serve_forever, daemon=True).start()
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "standoff.toml").write_text(
        f'[players.stub]\nmodel = "stub"\nbase_url = "http://127.0.0.1:{server.server_port}/v1"\nmode = "text"\n')
    found = {hint: evaluate(program, folder, hint, positions) for hint in ["Play well.", "SHOOT whenever you can."]}
for hint, (score, lesson) in sorted(found.items(), key=lambda item: -item[1][0]):
    print(f"{score:.3f}  {hint}\n       worst answer: {lesson}")
