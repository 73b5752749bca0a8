#!/usr/bin/env python3
"""Plays the games a second time, from the text of the rules alone, and compares every step with `standoff engine`.

    tests/rules/judge.py target/debug/standoff [STEPS]

Openings of every ruleset, legal lists, states and outcomes of every turn, what each seat sees where sight is limited, and
what the engine answers to requests that cannot be served. Needs Python alone. Stops at the first difference, with exit
code 1. The last line is a count.
"""

import copy
import hashlib
import json
import subprocess
import sys

M64 = (1 << 64) - 1


# Chance, as the records have it.
def child(seed, label, n):
    digest = hashlib.sha256(seed.to_bytes(8, "little") + n.to_bytes(8, "little") + label.encode()).digest()
    return int.from_bytes(digest[:8], "little")


class Dice:
    def __init__(self, seed):
        self.state = seed

    def bits(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & M64
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & M64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M64
        return z ^ (z >> 31)

    def below(self, n):
        while True:
            product = (self.bits() >> 32) * n
            if product & 0xFFFFFFFF >= (1 << 32) % n:
                return product >> 32


class Engine:
    def __init__(self, program):
        self.process = subprocess.Popen([program, "engine"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def raw(self, line):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, f"the engine ended at {line[:300]}"
        return json.loads(answer)

    def ask(self, **request):
        return self.raw(json.dumps(request).encode())

    def ok(self, **request):
        answer = self.ask(**request)
        assert answer["ok"], (answer, str(request)[:500])
        return answer


def differ(what, expected, found, *context):
    if expected != found:
        print(f"{what} differs", *context, sep="\n")
        for key in sorted(set(expected) | set(found)) if isinstance(expected, dict) and isinstance(found, dict) else []:
            if expected.get(key) != found.get(key):
                print(f"  {key}: the rules say {expected.get(key)}\n  {key}: the engine says {found.get(key)}")
        if not isinstance(expected, dict):
            print(f"  the rules say {expected}\n  the engine says {found}")
        raise AssertionError(what)


def ranked(seats, merit):
    return {s: 1 + sum(merit[o] > merit[s] for o in seats) for s in seats}


UDLR = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
BACK = {"up": "down", "down": "up", "left": "right", "right": "left"}
NEWS = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}
EIGHT = {
    "north": (-1, 0), "north-east": (-1, 1), "east": (0, 1), "south-east": (1, 1),
    "south": (1, 0), "south-west": (1, -1), "west": (0, -1), "north-west": (-1, -1),
}


class Cowboy:
    LIMIT = "max_rounds"

    @staticmethod
    def free(state, rules, seat, d):
        """The adjacent cell, and why nobody can go there."""
        me = next(p for p in state["players"] if p["seat"] == seat)
        r, c = me["row"] + UDLR[d][0], me["col"] + UDLR[d][1]
        if not (0 <= r < len(state["grid"]) and 0 <= c < len(state["grid"][0])):
            return None
        return r, c

    @classmethod
    def legal(cls, state, rules, seat):
        me = next(p for p in state["players"] if p["seat"] == seat)
        actions = []
        for d in UDLR:
            at = cls.free(state, rules, seat, d)
            if at and state["grid"][at[0]][at[1]] == 0:
                here = [p for p in state["players"] if (p["row"], p["col"]) == at and p["seat"] != seat]
                if not any(p["alive"] or rules["bodies"] == "block-moves" for p in here):
                    actions.append(f"move {d}")
        actions += [f"shield {d}" for d in UDLR]
        for d in UDLR:
            if d == me["shield"]:
                continue
            if rules["laser"] == "tee":
                at = cls.free(state, rules, seat, d)
                if not at or state["grid"][at[0]][at[1]] != 0:
                    continue
                if any((p["row"], p["col"]) == at and p["alive"] for p in state["players"]):
                    continue
            actions.append(f"shoot {d}")
        return actions

    @classmethod
    def play(cls, state, rules, orders):
        s = copy.deepcopy(state)
        seat = s["to_act"][0]
        (verb, _, d) = orders[seat].partition(" ")
        me = next(p for p in s["players"] if p["seat"] == seat)
        s["turn"] += 1
        fallen, shot = [], False
        if verb == "move":
            me["row"] += UDLR[d][0]
            me["col"] += UDLR[d][1]
        elif verb == "shield":
            me["shield"] = d
        elif verb == "shoot":
            shot = True
            start = (me["row"], me["col"])
            sweeps = [d]
            if rules["laser"] == "tee":
                start = (start[0] + UDLR[d][0], start[1] + UDLR[d][1])
                sweeps = ["left", "right"] if d in ("up", "down") else ["up", "down"]
            hits = []
            for way in sweeps:
                r, c = start
                while True:
                    r, c = r + UDLR[way][0], c + UDLR[way][1]
                    if not (0 <= r < len(s["grid"]) and 0 <= c < len(s["grid"][0])):
                        break
                    if s["grid"][r][c] != 0:
                        hits.append((way, (r, c), None))
                        break
                    there = [p for p in s["players"] if p["alive"] and (p["row"], p["col"]) == (r, c)]
                    if there:
                        hits.append((way, None, there[0]))
                        break
            for way, cell, target in hits:
                if cell and s["grid"][cell[0]][cell[1]] > 0:
                    s["grid"][cell[0]][cell[1]] -= 1
                if target and target["shield"] != BACK[way]:
                    target["hp"] -= 1
                    if target["hp"] == 0:
                        fallen.append(target)
        elif verb == "forfeit":
            fallen.append(me)
        living = [p for p in s["players"] if p["alive"] and p not in fallen]
        for p in fallen:
            p["alive"], p["place"] = False, len(living) + 1
            if shot:
                me["kills"] += 1
        reason = None
        if fallen and (not living or len(living) == 1 and len(s["players"]) > 1):
            reason = "last_alive" if shot else "forfeit"
        else:
            later = [p for p in living if p["seat"] > seat]
            if not later:
                s["round"] += 1
                if s["round"] > rules["max_rounds"]:
                    reason = "round_limit"
            s["to_act"] = [(later or living)[0]["seat"]]
        if reason:
            s["to_act"] = []
            places = ranked([p["seat"] for p in living], {p["seat"]: (p["hp"], p["kills"]) for p in living})
            for p in living:
                p["place"] = places[p["seat"]]
            s["outcome"] = {"places": {p["seat"]: p["place"] for p in s["players"]}, "reason": reason}
        return s

    @staticmethod
    def harmed(before, after):
        return any(b["hp"] > a["hp"] for b, a in zip(before["players"], after["players"]))

    @staticmethod
    def settle(start, drawn):
        s = copy.deepcopy(start)
        s["grid"] = drawn["grid"]
        for p, d in zip(s["players"], drawn["players"]):
            p["row"], p["col"], p["shield"] = d["row"], d["col"], d["shield"]
        return s


class Paint:
    LIMIT = "turns"

    @staticmethod
    def inside(state, r, c):
        return 0 <= r < len(state["grid"]) and 0 <= c < len(state["grid"][0]) and state["grid"][r][c] != "#"

    @classmethod
    def legal(cls, state, rules, seat):
        me = next(p for p in state["players"] if p["seat"] == seat)
        moves = [d for d, (r, c) in EIGHT.items() if cls.inside(state, me["row"] + r, me["col"] + c)]
        return [f"move {d}" for d in moves] + [f"shoot {d}" for d in EIGHT]

    @classmethod
    def play(cls, state, rules, orders):
        s = copy.deepcopy(state)
        s["turn"] += 1
        s["turns_left"] -= 1
        players = {p["seat"]: p for p in s["players"]}
        home = {seat: (p["row"], p["col"]) for seat, p in players.items()}
        at = dict(home)
        movers, shooters = set(), {}
        for seat, order in orders.items():
            verb, _, d = order.partition(" ")
            if verb == "move":
                movers.add(seat)
                at[seat] = (home[seat][0] + EIGHT[d][0], home[seat][1] + EIGHT[d][1])
            elif verb == "shoot":
                shooters[seat] = EIGHT[d]
            elif verb == "forfeit":
                players[seat]["forfeited"] = True
        while True:
            crowd = [seat for seat in movers if list(at.values()).count(at[seat]) > 1]
            if not crowd:
                break
            for seat in crowd:
                at[seat] = home[seat]
                movers.discard(seat)
        for seat, p in players.items():
            p["row"], p["col"] = at[seat]
            s["grid"][p["row"]][p["col"]] = seat
        shots = []
        for seat, (dr, dc) in shooters.items():
            r, c = at[seat]
            reach = 0
            while cls.inside(s, r - dr * (reach + 1), c - dc * (reach + 1)) and \
                    s["grid"][r - dr * (reach + 1)][c - dc * (reach + 1)] == seat:
                reach += 1
            shots.append([seat, (r, c), (dr, dc), max(reach, 1)])
        painted = set()
        while shots:
            for shot in shots:
                shot[1] = (shot[1][0] + shot[2][0], shot[1][1] + shot[2][1])
            cells = [shot[1] for shot in shots]
            avatars = set(at.values())
            gone = [not cls.inside(s, *cell) or cell in avatars or cell in painted or cells.count(cell) > 1 for cell in cells]
            shots = [shot for shot, out in zip(shots, gone) if not out]
            for shot in shots:
                s["grid"][shot[1][0]][shot[1][1]] = shot[0]
                painted.add(shot[1])
                shot[3] -= 1
            shots = [shot for shot in shots if shot[3] > 0]
        flat = [cell for row in s["grid"] for cell in row]
        for seat, p in players.items():
            p["score"] = flat.count(seat)
        playing = [seat for seat, p in players.items() if not p["forfeited"]]
        s["to_act"] = playing
        reason = "forfeit" if len(playing) < 2 else "turn_limit" if s["turns_left"] == 0 else None
        if reason:
            s["to_act"] = []
            places = ranked(list(players), {seat: (not p["forfeited"], p["score"]) for seat, p in players.items()})
            for seat, p in players.items():
                p["place"] = places[seat]
            s["outcome"] = {"places": places, "reason": reason}
        return s

    @staticmethod
    def harmed(before, after):
        return False

    @staticmethod
    def settle(start, drawn):
        s = copy.deepcopy(start)
        s["grid"] = drawn["grid"]
        for p, d in zip(s["players"], drawn["players"]):
            p["row"], p["col"], p["score"] = d["row"], d["col"], d["score"]
        return s


class Royale:
    LIMIT = "max_ticks"

    @staticmethod
    def legal(state, rules, seat):
        moves = [f"move {d}" for d in NEWS] + ["stay"]
        return [move + shot for move in moves for shot in [""] + [f", shoot {d}" for d in NEWS]]

    @staticmethod
    def zone(state, rules, tick):
        size = min(state["width"], state["height"])
        shrunk = min((tick - 1) // rules["zone_every"], rules["zone_shrinks"], (size - 1) // 2)
        return {"min_x": shrunk, "max_x": state["width"] - 1 - shrunk,
                "min_y": shrunk, "max_y": state["height"] - 1 - shrunk}

    @classmethod
    def play(cls, state, rules, orders):
        s = copy.deepcopy(state)
        bots = {b["id"]: b for b in s["bots"]}
        walls = {tuple(w) for w in s["walls"]}
        living = [b["id"] for b in s["bots"] if b["alive"]]
        seats = list(bots)
        teams = rules.get("teams", 0)
        side = {b: i % teams if teams else i for i, b in enumerate(seats)}
        hp_before = {b: bots[b]["hp"] for b in seats}
        parts = {b: orders[b].split(", ") for b in living}
        tile = {b: (bots[b]["position"]["x"], bots[b]["position"]["y"]) for b in living}
        goal, movers = dict(tile), set()
        for b in living:
            if parts[b][0].startswith("move "):
                d = NEWS[parts[b][0][5:]]
                x, y = tile[b][0] + d[0], tile[b][1] + d[1]
                if 0 <= x < s["width"] and 0 <= y < s["height"] and (x, y) not in walls:
                    goal[b] = (x, y)
                    movers.add(b)
        while True:
            crowd = [b for b in movers if list(goal.values()).count(goal[b]) > 1]
            if not crowd:
                break
            for b in crowd:
                goal[b] = tile[b]
                movers.discard(b)
        for b in living:
            bots[b]["position"] = {"x": goal[b][0], "y": goal[b][1]}
        hits = {}
        for b in living:
            shot = [p for p in parts[b] if p.startswith("shoot ")]
            if not shot:
                continue
            d = NEWS[shot[0][6:]]
            for n in range(1, rules["range"] + 1):
                at = (goal[b][0] + d[0] * n, goal[b][1] + d[1] * n)
                if at in walls or not (0 <= at[0] < s["width"] and 0 <= at[1] < s["height"]):
                    break
                there = [o for o in living if goal[o] == at and side[o] != side[b]]
                if there:
                    hits[b] = there[0]
                    break
        for target in living:
            by = [b for b, hit in hits.items() if hit == target]
            if by:
                bots[target]["hp"] = max(0, bots[target]["hp"] - len(by))
                if bots[target]["hp"] == 0:
                    for b in by:
                        bots[b]["kills"] += 1
        zone = cls.zone(s, rules, s["tick"])
        for b in living:
            x, y = goal[b]
            if bots[b]["hp"] > 0 and not (zone["min_x"] <= x <= zone["max_x"] and zone["min_y"] <= y <= zone["max_y"]):
                bots[b]["hp"] -= 1
        gave_up = {b for b in living if parts[b][0] == "forfeit"}
        fallen = [b for b in living if bots[b]["hp"] == 0 or b in gave_up]
        for b in fallen:
            bots[b]["alive"] = False
        count = len(set(side.values()))
        members = {k: [b for b in seats if side[b] == k] for k in set(side.values())}
        alive = {k for k in members if any(bots[b]["alive"] for b in members[k])}
        per = len(seats) // count
        kills = {k: sum(bots[b]["kills"] for b in members[k]) for k in members}

        def place(k, above):
            for b in members[k]:
                bots[b]["place"] = 1 + above * per

        gone = {k: (any(b in fallen and b not in gave_up for b in members[k]),
                    sum(hp_before[b] for b in members[k] if b in fallen), kills[k])
                for k in members if k not in alive and any(b in fallen for b in members[k])}
        for k, merit in gone.items():
            place(k, len(alive) + sum(other > merit for other in gone.values()))
        s["turn"] += 1
        s["tick"] += 1
        reason = None
        if fallen and len(alive) < 2:
            reason = "forfeit" if set(fallen) <= gave_up else "last_alive" if alive else "all_dead"
        elif s["tick"] > rules["max_ticks"]:
            reason = "turn_limit"
        s["zone"] = cls.zone(s, rules, s["tick"])
        s["to_act"] = [b for b in seats if bots[b]["alive"]]
        if reason:
            merits = {k: (sum(bots[b]["hp"] for b in members[k] if bots[b]["alive"]), kills[k]) for k in alive}
            for k, merit in merits.items():
                place(k, sum(other > merit for other in merits.values()))
            s["to_act"] = []
            s["outcome"] = {"places": {b: bots[b]["place"] for b in seats}, "reason": reason}
        return s

    @staticmethod
    def harmed(before, after):
        return any(b["hp"] > a["hp"] for b, a in zip(before["bots"], after["bots"]))

    @staticmethod
    def settle(start, drawn):
        s = copy.deepcopy(start)
        for b, d in zip(s["bots"], drawn["bots"]):
            b["position"] = d["position"]
        return s

    @staticmethod
    def view(state, rules, seat):
        """What a seat may see, or with None what everybody may see while it is played."""
        s = copy.deepcopy(state)
        if not rules["sight"]:
            return s
        s["viewer"] = seat
        if state["outcome"]:
            return None
        seats = [b["id"] for b in s["bots"]]
        teams = rules.get("teams", 0)
        own = lambda b: seat is not None and (b == seat or teams and seats.index(b) % teams == seats.index(seat) % teams)
        eyes = [b["position"] for b in s["bots"] if b["alive"] and own(b["id"])]
        sees = lambda x, y: any(max(abs(e["x"] - x), abs(e["y"] - y)) <= rules["sight"] for e in eyes)
        for b in s["bots"]:
            if not own(b["id"]) and not (b["alive"] and sees(b["position"]["x"], b["position"]["y"])):
                b["position"] = None
                if "boost" in b:
                    b["boost"] = None
        if "powerups" in s:
            s["powerups"] = [p for p in s["powerups"] if sees(p["x"], p["y"])]
        return s


class Trails:
    LIMIT = "max_turns"

    @staticmethod
    def legal(state, rules, seat):
        me = next(r for r in state["riders"] if r["seat"] == seat)
        return [f"move {d}" for d in UDLR if d != BACK[me["facing"]]]

    @classmethod
    def play(cls, state, rules, orders):
        s = copy.deepcopy(state)
        s["turn"] += 1
        s["turns_left"] -= 1
        riding = [r for r in s["riders"] if r["alive"]]
        gave_up = [r for r in riding if orders[r["seat"]] == "forfeit"]
        target, going = {}, {}
        for r in riding:
            if r in gave_up:
                continue
            way = r["facing"] if orders[r["seat"]] == "pass" else orders[r["seat"]][5:]
            going[r["seat"]] = way
            target[r["seat"]] = (r["row"] + UDLR[way][0], r["col"] + UDLR[way][1])
        for r in riding:
            s["grid"][r["row"]][r["col"]] = r["seat"]
        crashed = []
        for r in riding:
            if r in gave_up:
                continue
            at = target[r["seat"]]
            on = 0 <= at[0] < len(s["grid"]) and 0 <= at[1] < len(s["grid"][0])
            if not on or s["grid"][at[0]][at[1]] is not None or list(target.values()).count(at) > 1:
                crashed.append(r)
        out = crashed + gave_up
        left = [r for r in riding if r not in out]
        for r in left:
            r["row"], r["col"] = target[r["seat"]]
            r["facing"] = going[r["seat"]]
        for r in crashed:
            r["alive"], r["place"] = False, len(left) + 1
        for r in gave_up:
            r["alive"], r["place"] = False, len(left) + len(crashed) + 1
        s["to_act"] = [r["seat"] for r in left]
        reason = None
        if len(left) < 2:
            reason = "forfeit" if out and not crashed else "last_alive" if left else "all_dead"
        elif s["turns_left"] == 0:
            reason = "turn_limit"
        if reason:
            s["to_act"] = []
            for r in left:
                r["place"] = 1
            s["outcome"] = {"places": {r["seat"]: r["place"] for r in s["riders"]}, "reason": reason}
        return s

    @staticmethod
    def harmed(before, after):
        return any(b["alive"] and not a["alive"] for b, a in zip(before["riders"], after["riders"]))

    @staticmethod
    def settle(start, drawn):
        s = copy.deepcopy(start)
        s["grid"] = drawn["grid"]
        for r, d in zip(s["riders"], drawn["riders"]):
            r["row"], r["col"], r["facing"] = d["row"], d["col"], d["facing"]
        return s


GAMES = {"cowboy": Cowboy, "paint": Paint, "grid-royale": Royale, "trails": Trails}


def opening(game, start, rules, seed, turns):
    """The position after an opening, and its turns."""
    endless = dict(rules, **{game.LIMIT: 10**9}, zone_shrinks=0)
    dice = Dice(child(seed, "opening", 0))
    drawn, told = copy.deepcopy(start), []
    if "turns_left" in drawn:
        drawn["turns_left"] = 10**9
    for _ in range(turns):
        for _ in range(32):
            orders = {}
            for seat in drawn["to_act"]:
                legal = [a for a in game.legal(drawn, endless, seat)]
                orders[seat] = legal[dice.below(len(legal))]
            after = game.play(drawn, endless, orders)
            if not game.harmed(drawn, after):
                break
        else:
            break
        drawn = after
        told.append(orders)
    return game.settle(start, drawn), told


def spoken(rules, legal):
    return legal + ["speak <text>"] if rules["speech"] == "turn" else legal


def compare(engine, overrides, seats, seed, chance):
    """One game: its opening, then every turn with random orders of every kind. The number of turns."""
    ruleset = overrides
    start = engine.ok(op="start", ruleset={**ruleset, "opening": 0}, players=seats, seed=seed)
    assert "opening" not in start or not start["opening"], start["opening"]
    state = start["state"]
    game = GAMES[state["game"]]
    rules = RESOLVED[json.dumps(ruleset, sort_keys=True)]
    turns = chance.below(14)
    begun = engine.ok(op="start", ruleset={**ruleset, "opening": turns}, players=seats, seed=seed)
    expected, told = opening(game, state, rules, seed, turns)
    differ("the opening", expected, begun["state"], ruleset, f"seed {seed}, {seats} players, {turns} turns")
    differ("the turns of the opening", told, begun.get("opening", []), ruleset, f"seed {seed}, {turns} turns")
    ruleset = {**ruleset, "opening": turns}
    state, played = begun["state"], 0
    while state["to_act"]:
        orders = {}
        for seat in state["to_act"]:
            legal = game.legal(state, rules, seat)
            found = engine.ok(op="legal", ruleset=ruleset, state=state, seat=seat)["actions"]
            differ("the legal list", spoken(rules, legal), found, ruleset, json.dumps(state), seat)
            dice = chance.below(60)
            orders[seat] = "forfeit" if dice == 0 else "pass" if dice < 4 else legal[chance.below(len(legal))]
        if game is Royale:
            for viewer in [b["id"] for b in state["bots"]] + [None]:
                asked = {"seat": viewer} if viewer else {}
                seen = engine.ok(op="view", ruleset=ruleset, state=state, **asked)["state"]
                differ("the view", game.view(state, rules, viewer), seen, ruleset, viewer, json.dumps(state))
                if rules["sight"]:
                    for op, more in [("legal", {"seat": state["to_act"][0]}), ("apply", {"actions": orders})]:
                        answer = engine.ask(op=op, ruleset=ruleset, state=seen, **more)
                        assert answer.get("error", {}).get("code") == "bad_state", (op, answer, seen)
        answer = engine.ok(op="apply", ruleset=ruleset, state=state, actions=orders)
        expected = game.play(state, rules, orders)
        differ("the state", expected, answer["state"], ruleset, orders, json.dumps(state))
        state = answer["state"]
        played += 1
    if game is Royale and rules["sight"]:
        seen = engine.ok(op="view", ruleset=ruleset, state=state, seat="A")["state"]
        differ("the view of the end", {b["id"]: b["position"] for b in state["bots"]},
               {b["id"]: b["position"] for b in seen["bots"]}, json.dumps(seen))
    return played


RULESETS = [
    ({"base": "cowboy"}, [2, 3, 4]),
    ({"base": "cowboy", "hp": 2, "max_rounds": 30, "bodies": "vanish"}, [2, 4]),
    ({"base": "cowboy-classic"}, [2, 4]),
    ({"base": "cowboy-duel"}, [2]),
    ({"base": "paint"}, [2, 3]),
    ({"base": "paint", "rows": 5, "cols": 4, "turns": 20}, [2, 5, 9]),
    ({"base": "paint", "map": "garden"}, [4]),
    ({"base": "grid-royale"}, [2, 4, 8]),
    ({"base": "grid-royale-fog"}, [2, 4, 8]),
    ({"base": "grid-royale", "sight": 3, "teams": 2, "zone_every": 4}, [4, 8]),
    ({"base": "grid-royale", "width": 9, "height": 8, "range": 3, "hp": 2, "max_ticks": 25}, [4, 8]),
    ({"base": "trails"}, [2, 3, 4]),
    ({"base": "trails", "map": "pinwheel"}, [2, 4]),
    ({"base": "trails", "rows": 5, "cols": 9, "max_turns": 6}, [2, 4]),
]
RESOLVED = {}

# What the rules page says of the built-in rulesets.
COWBOY = {"laser": "tee", "bodies": "block-moves", "max_rounds": 100, "speech": "turn"}
ROYALE = {"max_ticks": 100, "zone_every": 10, "zone_shrinks": 7, "range": 5, "sight": 0, "teams": 0, "speech": "free"}
BUILT_IN = {
    "cowboy": COWBOY,
    "cowboy-duel": COWBOY,
    "cowboy-classic": {**COWBOY, "laser": "straight", "bodies": "vanish", "speech": "free"},
    "paint": {"turns": 100, "speech": "free"},
    "grid-royale": ROYALE,
    "grid-royale-fog": {**ROYALE, "sight": 4},
    "trails": {"max_turns": 0, "speech": "free"},
}


def refused(engine):
    """Requests that cannot be served: a clear answer with a code, and the next one is served. How many."""
    codes = {"move_out_of_bounds", "move_straight_back", "move_into_block", "move_into_player", "shoot_own_shield",
             "shoot_out_of_bounds", "shoot_into_block", "shoot_into_player", "speak_empty", "speak_too_long",
             "unreadable_action", "not_to_act", "missing_action", "match_over", "bad_state", "bad_ruleset", "bad_request"}
    count = 0
    huge = [2**31, 2**63, 2**64, 10**30, -1, 1.5, 1e308, "x" * 300, "", None, True, [], {}, [[[]]], {"a": {}}]
    for ruleset in ["cowboy", "paint", "grid-royale", "grid-royale-fog", "trails"]:
        for opening in huge:
            answer = engine.ask(op="start", ruleset={"base": ruleset, "opening": opening}, players=2, seed=7)
            assert answer["ok"] is False and answer["error"]["code"] == "bad_ruleset", (opening, answer)
            count += 1
        for key in ["players", "seed", "ruleset", "op", "seat"]:
            for value in huge:
                request = {"op": "start", "ruleset": ruleset, "players": 2, "seed": 7, key: value}
                answer = engine.ask(**request)
                assert answer["ok"] or answer["error"]["code"] in codes and answer["error"]["message"], (request, answer)
                count += 1
        state = engine.ok(op="start", ruleset=ruleset, players=2, seed=7)["state"]
        actions = {s: engine.ok(op="legal", ruleset=ruleset, state=state, seat=s)["actions"][0] for s in state["to_act"]}
        def places(value, path=()):
            yield path
            for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []:
                if not isinstance(value, list) or key < 2:
                    yield from places(inner, path + (key,))
        for path in places(state):
            for value in huge + ["#", "Z", "#missing", "#extra"]:
                bad = copy.deepcopy(state)
                inner = bad
                for key in path[:-1]:
                    inner = inner[key]
                if not path:
                    bad = value
                elif value == "#missing":
                    del inner[path[-1]]
                elif value == "#extra" and isinstance(inner, dict):
                    inner["surprise"] = 1
                else:
                    inner[path[-1]] = value
                for more in [{"op": "legal", "seat": "A"}, {"op": "apply", "actions": actions}, {"op": "view", "seat": "B"},
                             {"op": "view"}]:
                    answer = engine.ask(ruleset=ruleset, state=bad, **more)
                    assert answer["ok"] or answer["error"]["code"] in codes and answer["error"]["message"], (path, value, answer)
                    count += 1
        for seat in huge + ["C", "a", "AA", "ZZZZ"]:
            for op in ["legal", "view"]:
                answer = engine.ask(op=op, ruleset=ruleset, state=state, seat=seat)
                assert answer["ok"] or answer["error"]["code"] in codes, (op, seat, answer)
                count += 1
        for action in huge + ["move", "move sideways", "move up up", "shoot", "speak", "{}", "{\"action\":1}", "\u0000"]:
            answer = engine.ask(op="apply", ruleset=ruleset, state=state, actions={**actions, "A": action})
            assert answer["ok"] is False and answer["error"]["code"] in codes, (action, answer)
            count += 1
        for actions_ in huge + [{}, {"C": "pass"}, {**actions, "D": "pass"}]:
            answer = engine.ask(op="apply", ruleset=ruleset, state=state, actions=actions_)
            assert answer["ok"] is False and answer["error"]["code"] in codes, (actions_, answer)
            count += 1
    for line in [b"", b"{", b"[]", b"null", b"\xff\xfe", b"{\"op\":\"start\"}", b"{\"op\":\"nothing\"}", b"[" * 5000,
                 b"{\"op\":\"start\",\"op\":\"start\"}", b"1" * 70000]:
        if line:
            answer = engine.raw(line)
            assert answer["ok"] is False and answer["error"]["code"] in codes, (line[:60], answer)
            count += 1
    for version in [0, 2, 99, -1, "1"]:
        answer = engine.ask(op="start", ruleset={"base": "trails", "version": version}, players=2, seed=1)
        assert answer["ok"] is False and answer["error"]["code"] == "bad_ruleset", (version, answer)
        count += 1
    engine.ok(op="rulesets")
    return count


def main():
    engine = Engine(sys.argv[1])
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 5000
    for ruleset, _ in RULESETS:
        RESOLVED[json.dumps(ruleset, sort_keys=True)] = {**BUILT_IN[ruleset["base"]], **ruleset}
    chance, played, games = Dice(2026), 0, 0
    try:
        while played < steps or games < 3 * len(RULESETS):
            ruleset, tables = RULESETS[games % len(RULESETS)]
            seats = tables[games // len(RULESETS) % len(tables)]
            played += compare(engine, ruleset, seats, chance.bits() >> chance.below(64), chance)
            games += 1
        print(f"{played} steps of {games} games, {refused(engine)} bad requests: as the rules say")
    except AssertionError as error:
        print(f"failed: {error}\n\n{games} passed, 1 failed, 0 skipped")
        sys.exit(1)
    print(f"{games + 1} passed, 0 failed, 0 skipped")


if __name__ == "__main__":
    main()
