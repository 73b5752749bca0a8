"""The official conformance suite against `standoff serve`: every scenario that conformance.md says is run must be green.

python conformance.py NODE CONFORMANCE_INDEX_JS
"""

import json
import re
import sys
from pathlib import Path

import anyio
from harness import folder, main, serving, test

NODE, SUITE = sys.argv[1], sys.argv[2]
del sys.argv[1:3]
HERE = Path(__file__).parent


def listed():
    """What conformance.md says of each scenario, by revision: `run`, `run, but …` or why not."""
    revision, scenarios = None, {}
    for line in (HERE / "conformance.md").read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"## (\d{4}-\d\d-\d\d)", line):
            revision = heading[1]
            scenarios[revision] = {}
        elif row := re.match(r"\| `([^`]+)` \| (.+) \|$", line):
            scenarios[revision][row[1]] = row[2].strip()
    return scenarios


def check(revision, expected):
    @test(f"the conformance suite of {revision}")
    async def _():
        async with serving() as (url, _):
            with folder() as out:
                command = [NODE, SUITE, "server", "--url", f"{url}/mcp", "--requirements", revision, "-o", str(out)]
                await anyio.run_process(command, check=False)
                results = {}
                for file in out.rglob("checks.json"):
                    scenario = re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*$", "", file.parent.name)
                    results[scenario] = json.loads(file.read_text(encoding="utf-8"))
        assert results, "the suite gave no results"
        unknown = [scenario for scenario in required(revision) if scenario not in expected]
        assert not unknown, f"conformance.md says nothing of {unknown}"
        wrong, green = [], 0
        for scenario, said in expected.items():
            if not said.startswith("run"):
                continue
            checks = results.get(scenario)
            if not checks:
                wrong.append(f"{scenario} was not run")
                continue
            if said.startswith("run, but"):
                checks = [one for one in checks if not (one.get("details") or {}).get("untestable")]
            failed = [f"{scenario}: {one['id']}: {one.get('errorMessage')}"[:400] for one in checks if one["status"] == "FAILURE"]
            wrong += failed
            green += sum(one["status"] == "SUCCESS" for one in checks)
        assert not wrong, "\n".join(wrong)
        scenarios = sum(said.startswith("run") for said in expected.values())
        print(f"     {revision}: {green} checks of {scenarios} scenarios green")


def required(revision):
    """The scenarios of a revision's requirement set."""
    text = (Path(SUITE).parent.parent / "requirements" / f"{revision}.yaml").read_text(encoding="utf-8")
    section = re.search(r"^server:\n((?:  - .*\n)+)", text, re.MULTILINE)[1]
    return re.findall(r"  - (\S+)", section)


for revision, expected in listed().items():
    check(revision, expected)
main()
