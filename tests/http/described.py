"""Asks the arena for everything that openapi.json describes, in ways sensible and not: no answer may be a server's
failure, and every answer must be one that is described. The real names of a match, a player and a tournament are put
in, so that more is reached than what is not there."""

import json
import re
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

program, home = sys.argv[1], Path(sys.argv[2])
scratch = tempfile.TemporaryDirectory(dir=home)
server = subprocess.Popen(
    [program, "serve", "--port", "0", "--rate", "0", "--store", f"{scratch.name}/s.db"],
    stderr=subprocess.PIPE, text=True)


def address():
    for line in server.stderr:
        if found := re.match(r"listening on (http://\S+)", line):
            return found[1]
    sys.exit("the server ended")


def post(path, body, token=None):
    request = urllib.request.Request(f"{base}/api/v1{path}", json.dumps(body).encode(), {"Content-Type": "application/json"})
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    return json.load(urllib.request.urlopen(request))


try:
    base = address()
    player = post("/players", {"name": "Ann"})
    played = post("/matches", {"ruleset": {"base": "paint", "turns": 3}, "seats": ["random", "greedy"], "ticks": False})
    # A seat that is always awaited: nobody else plays there.
    mine = post("/matches", {"ruleset": {"base": "paint", "policy": {"turn_seconds": 0}}, "seats": ["me", "me"]}, player["token"])
    document = json.load(urllib.request.urlopen(f"{base}/api/v1/openapi.json"))
    # Streams have no end that anybody could wait for; the integration tests read them.
    document["paths"] = {path: item for path, item in document["paths"].items() if not path.endswith("/events")}
    for path, item in document["paths"].items():
        for operation in item.values():
            for parameter in operation.get("parameters", []):
                if parameter["in"] == "path" and path.startswith("/matches"):
                    parameter["schema"]["enum"] = [mine["match_id"], played["match_id"], "nothing"]
                if parameter["in"] == "path" and path.startswith("/rulesets"):
                    parameter["schema"]["enum"] = ["paint", "grid_royale", "chess"]
                if parameter["name"] == "wait":
                    # The time is for asking, not for waiting.
                    parameter["schema"]["maximum"] = 0
    described = Path(scratch.name) / "openapi.json"
    described.write_text(json.dumps(document))
    operations = sum(len(item) for item in document["paths"].values())
    checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,response_headers_conformance"
    ran = subprocess.run(
        [home / "venv/bin/schemathesis", "run", described, "--url", f"{base}/api/v1", "--header", f"Authorization: Bearer {player['token']}",
         "--checks", checks, "--max-examples", "25", "--phases", "examples,coverage,fuzzing", "--seed", "1",
         "--generation-deterministic", "--exclude-path", "/players/me/token", "--request-timeout", "20", "--no-color"],
        capture_output=True, text=True, timeout=600, cwd=scratch.name)
    failed = len(set(re.findall(r"^_+ (\w+ /\S*) _+$", ran.stdout, re.M)))
    if ran.returncode and not failed:
        failed = 1
    if failed:
        print(ran.stdout[-12_000:], ran.stderr[-2_000:])
    else:
        print("\n".join(line for line in ran.stdout.splitlines() if "Test cases" in line or "Operations" in line or "generated" in line))
    print(f"\n{operations - 1 - failed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)
finally:
    server.kill()
    server.wait()
    scratch.cleanup()
