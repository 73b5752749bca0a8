"""Generates clients from openapi.json with outside tools, and looks for fields of no type in what a bot reads."""

import json
import re
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

program, home = sys.argv[1], Path(sys.argv[2])
scratch = tempfile.TemporaryDirectory(dir=home)
folder = Path(scratch.name)
server = subprocess.Popen(
    [program, "serve", "--port", "0", "--store", folder / "s.db"], stderr=subprocess.PIPE, text=True)
passed, failed, skipped = 0, 0, 0

# The settings of a ruleset are as many as there are rulesets: a bot has no need to read them.
UNTYPED = {"RulesetBody"}


def tell(name, problems):
    global passed, failed
    if problems:
        failed += 1
        print(f"FAILED {name}:", *problems[:20], sep="\n  ")
    else:
        passed += 1
        print(f"ok {name}")


try:
    for line in server.stderr:
        if found := re.match(r"listening on (http://\S+)", line):
            break
    document = urllib.request.urlopen(f"{found[1]}/api/v1/openapi.json").read()
    described = folder / "openapi.json"
    described.write_bytes(document)
    schemas = json.loads(document)["components"]["schemas"]

    python = home / "venv/bin/openapi-python-client"
    if python.exists():
        ran = subprocess.run([python, "generate", "--path", described, "--output-path", folder / "client"],
                             capture_output=True, text=True, timeout=300)
        problems = [ran.stdout + ran.stderr] if ran.returncode or "Warning" in ran.stdout else []
        # Each generated model reads and writes itself as a dictionary of anything; its own fields must have types.
        for file in (folder / "client").glob("*/models/*.py"):
            for line in file.read_text().splitlines():
                field = re.match(r"    (\w+): .*\bAny\b", line)
                if field and not field[1].startswith("additional_properties"):
                    if not any(file.stem.startswith(re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()) for name in UNTYPED):
                        problems.append(f"{file.name}: {line.strip()}")
        tell("openapi-python-client", problems)
    else:
        skipped += 1
        print("skipped: openapi-python-client is not installed")

    typescript = home / "node_modules/.bin/openapi-typescript"
    if typescript.exists():
        out = folder / "client.ts"
        ran = subprocess.run([typescript, described, "--output", out], capture_output=True, text=True, timeout=300)
        problems = [ran.stdout + ran.stderr] if ran.returncode else []
        if out.exists():
            # Schemas stand before responses and operations, whose headers are of no type with every tool of this kind.
            text = out.read_text().split("\nexport interface operations")[0].split("    schemas: {", 1)[1]
            text = text.split("\n    responses: ")[0]
            of = None
            for line in text.splitlines():
                if name := re.match(r"        (\w+): ", line):
                    of = name[1]
                if re.search(r"\bunknown\b|\bany\b", line) and not line.strip().startswith(("*", "/")) and of not in UNTYPED:
                    problems.append(f"{of}: {line.strip()}")
        tell("openapi-typescript", problems)
    else:
        skipped += 1
        print("skipped: openapi-typescript is not installed")
    print(f"\n{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)
finally:
    server.kill()
    server.wait()
    scratch.cleanup()
