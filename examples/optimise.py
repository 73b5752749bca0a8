#!/usr/bin/env python3
"""A prompt optimiser that uses `standoff bank run --json` as its evaluator, as GEPA or DSPy would.

    python3 examples/optimise.py [STANDOFF] [POSITIONS]

The model is the stand-in of stub.py; name your own profile, and let an optimiser write the candidates.
"""
import json, pathlib, subprocess, sys, tempfile, threading
from http.server import ThreadingHTTPServer
from stub import Stub

PROFILE = '[players.stub]\nmodel = "stub"\nbase_url = "http://127.0.0.1:{}/v1"\nmode = "text"\n'
CANDIDATES = {
    "legal actions listed": 'base = "standard"\n',
    "not listed": 'base = "no-legal"\n',
    "not listed, with a hint": 'base = "no-legal"\n[extra]\nen = "Shoot whenever you can."\nzh = "能射就射。"\n',
}


def evaluate(folder, prompt, program="standoff", positions="100"):
    """The mean score of a prompt, and what was said of its worst answer: what a reflective optimiser learns from."""
    (folder / "variant.toml").write_text(prompt, encoding="utf-8")
    run = subprocess.run(
        [program, "bank", "run", "cowboy", "--players", "stub", "--variant", folder / "variant.toml", "--json",
         "--positions", positions, "--config", folder / "standoff.toml", "--store", folder / "optimise.db"],
        stdout=subprocess.PIPE, check=True)
    answers = [line for line in map(json.loads, run.stdout.splitlines()) if "position" in line]
    worst = min(answers, key=lambda answer: answer["score"])
    return sum(answer["score"] for answer in answers) / len(answers), worst["words"]


server = ThreadingHTTPServer(("127.0.0.1", 0), Stub)
threading.Thread(target=server.serve_forever, daemon=True).start()
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "standoff.toml").write_text(PROFILE.format(server.server_port))
    found = {name: evaluate(folder, prompt, *sys.argv[1:3]) for name, prompt in CANDIDATES.items()}
for name, (score, lesson) in sorted(found.items(), key=lambda item: -item[1][0]):
    print(f"{score:.3f}  {name}\n       its worst answer: {lesson}")
