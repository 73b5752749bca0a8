"""Reads container recipes: every instruction is one that engines know, stages and paths are there, and the program knows
every option that it is started with."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import yaml
from dockerfile_parse import DockerfileParser

program, folder = sys.argv[1], Path(sys.argv[2])
INSTRUCTIONS = set(
    "ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR".split())
# What the program is known by in images and services.
NAME = "standoff"
passed, failed = 0, 0


def options(command):
    """The options that a command of the program has."""
    asked = subprocess.run([program, *command, "--help"], capture_output=True, text=True, timeout=30)
    return set(re.findall(r"--[a-z][a-z0-9-]+", asked.stdout)) if asked.returncode == 0 else None


def unknown(words):
    """What is wrong with a command line of the program."""
    command = [word for word in words[:1] if not word.startswith("-")]
    known = options(command)
    if not command or known is None:
        return [f"the program has no command {' '.join(words)}"]
    used = {word.split("=")[0] for word in words if word.startswith("--")}
    return [f"`{command[0]}` has no option {option}" for option in sorted(used - known)]


def containerfile(path):
    """The problems of a Containerfile."""
    parser = DockerfileParser(fileobj=path.open("rb"))
    steps = [(step["instruction"], step["value"]) for step in parser.structure if step["instruction"] != "COMMENT"]
    problems = [f"no instruction {name}" for name, _ in steps if name not in INSTRUCTIONS]
    if not steps or next(name for name, _ in steps if name != "ARG") != "FROM":
        problems.append("it does not begin with FROM")
    stages, entry, defaults = [], [], []
    for name, value in steps:
        words = value.split()
        if name == "FROM":
            stages.append(words[2] if len(words) == 3 and words[1].upper() == "AS" else str(len(stages)))
            if not re.search(r"[:@]", words[0].split("/")[-1]) and words[0] not in stages:
                problems.append(f"{words[0]} has no version")
        elif name in ("COPY", "ADD"):
            source = [word.removeprefix("--from=") for word in words if word.startswith("--from=")]
            if source and source[0] not in stages[:-1]:
                problems.append(f"there is no earlier stage {source[0]}")
            for word in words[:-1]:
                if not source and not word.startswith("--") and not Path(word).exists():
                    problems.append(f"{word} is not there to be copied")
        elif name in ("ENTRYPOINT", "CMD") and value.lstrip().startswith("["):
            try:
                entry, defaults = (json.loads(value), defaults) if name == "ENTRYPOINT" else (entry, json.loads(value))
            except ValueError as error:
                problems.append(f"{name}: {error}")
        elif name == "HEALTHCHECK" and value.strip() != "NONE":
            command = value[value.index("CMD"):].removeprefix("CMD").strip() if "CMD" in value else ""
            if not command:
                problems.append("HEALTHCHECK without CMD")
            elif command.startswith("["):
                try:
                    json.loads(command)
                except ValueError as error:
                    problems.append(f"HEALTHCHECK: {error}")
        elif name == "RUN" and subprocess.run(["bash", "-n", "-c", value], capture_output=True).returncode:
            problems.append(f"no shell command: {value}")
    line = entry + defaults
    if line and Path(line[0]).name == NAME:
        problems += unknown(line[1:])
    else:
        problems.append(f"it does not start {NAME}: {line}")
    return problems


def compose(path):
    """The problems of a file of services."""
    services = (yaml.safe_load(path.read_text()) or {}).get("services")
    if not isinstance(services, dict) or not services:
        return ["it has no services"]
    problems = []
    for name, service in services.items():
        build = service.get("build")
        if not build and not service.get("image"):
            problems.append(f"{name} has neither an image nor a build")
        if isinstance(build, dict):
            context = (path.parent / build.get("context", ".")).resolve()
            if not (context / build.get("dockerfile", "Dockerfile")).exists():
                problems.append(f"{name}: no {build.get('dockerfile')} in {context}")
        after = service.get("depends_on") or {}
        problems += [f"{name} waits for {other}, which is no service" for other in after if other not in services]
        line = [part for key in ("entrypoint", "command") for part in words(service.get(key))]
        ours = build or NAME in str(service.get("image"))
        if ours and line:
            line = line[1:] if line[0].split("/")[-1] == NAME else line
            # Options alone go to the image's own command.
            line = line if not line[0].startswith("-") else ["serve", *line]
            problems += unknown(line)
            if line[0] == "serve":
                problems += unreachable(name, line)
    return problems


def unreachable(name, line):
    """What keeps other servers on a database from reaching this one."""
    after = lambda option: next((line[at + 1] for at in range(len(line) - 1) if line[at] == option), "")
    shares = after("--store").startswith("postgres")
    if not shares or after("--bind") not in ("0.0.0.0", "::"):
        return []
    host = re.match(r"http://([^:/]+)", after("--advertise"))
    if not host:
        return [f"{name} listens on every address and does not say at which one others reach it: --advertise"]
    return [] if host[1] == name else [f"others look for {name} at {host[1]}"]


def words(value):
    """A command line, in either form."""
    return shlex.split(value) if isinstance(value, str) else [str(word) for word in value or []]


for path in sorted(folder.iterdir()):
    if path.suffix in (".yaml", ".yml"):
        problems = compose(path)
    elif re.match(r"(Container|Docker)file", path.name) or path.suffix in (".Containerfile", ".Dockerfile"):
        problems = containerfile(path)
    else:
        continue
    if problems:
        failed += 1
        print(f"FAILED {path}:", *problems, sep="\n  ")
    else:
        passed += 1
        print(f"ok {path}")
print(f"\n{passed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed or not passed else 0)
