"""A bot for Standoff: it plays any ruleset, at random but by the rules, and likes to shoot."""

import json
import random
import sys


def send(message):
    print(json.dumps(message), flush=True)


def choose(state, seat, legal):
    """The mind of the bot: yours goes here."""
    actions = [action for action in legal if not action.startswith("speak")]
    shots = [action for action in actions if "shoot" in action]
    return random.choice(shots if shots and random.random() < 0.5 else actions)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        send({"type": "ready", "name": "bot.py"})
    elif message["type"] == "turn":
        action = choose(message["state"], message["seat"], message["legal"])
        send({"type": "action", "nonce": message["nonce"], "action": action})
