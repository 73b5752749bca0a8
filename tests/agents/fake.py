#!/usr/bin/env python3
"""An agent of our own: it plays with the tools of its seat, well or badly, over ACP or as a command.

    fake.py acp MANNER                     JSON-RPC on standard input and output
    fake.py command MANNER CONFIG PROMPT   one turn, then it leaves

What it sees goes into the file $FAKE_LOG, a line of JSON each."""
import json, os, subprocess, sys, time

KIND, MANNER = sys.argv[1], sys.argv[2]


def log(**what):
    with open(os.environ["FAKE_LOG"], "a") as file:
        file.write(json.dumps(what, ensure_ascii=False) + "\n")


class Seat:
    """The MCP server of a seat, started as any host starts one."""

    def __init__(self, command, args, env):
        self.child = subprocess.Popen([command, *args], env={**os.environ, **env}, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "fake", "version": "1"}}
        self.ask("initialize", client)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.tools = self.ask("tools/list", {})
        log(tools=self.last)

    def send(self, message):
        self.child.stdin.write((json.dumps(message) + "\n").encode())
        self.child.stdin.flush()

    def ask(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            line = self.child.stdout.readline().decode()
            if not line:
                sys.exit("the seat is gone")
            message = json.loads(line)
            if message.get("id") == self.number:
                self.last = line
                return message["result"]

    def call(self, name, **arguments):
        result = self.ask("tools/call", {"name": name, "arguments": arguments})
        text = result["content"][0]["text"]
        log(called=name, arguments=arguments, text=text, error=result.get("isError", False))
        return text


def play(seat, say):
    """One turn, in this agent's manner."""
    state = json.loads(seat.call("get_state"))
    legal = state["legal_actions"]
    if MANNER == "breaks-a-rule":
        seat.call("act", action="dance", reasoning="why not")
    if MANNER == "looks-for-ever":
        while True:
            seat.call("get_state")
    if MANNER == "silent":
        return say("I would rather not.")
    if MANNER == "words":
        return say(f"Well.\nACTION: {legal[0]}")
    say("I go first. ")
    seat.call("act", action=legal[0], reasoning="it is the first")
    if MANNER == "twice":
        seat.call("act", action=legal[0], reasoning="once more")
    say("Done.")


def write(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def acp():
    seat, prompts, waiting = None, 0, []

    def update(**what):
        write({"method": "session/update", "params": {"sessionId": "s1", "update": what}})

    def ask_leave(title, kind):
        options = [{"optionId": name, "name": name, "kind": name} for name in ("allow_once", "reject_once")]
        call = {"toolCallId": title, "title": title, "kind": kind}
        write({"id": title, "method": "session/request_permission", "params": {"sessionId": "s1", "toolCall": call, "options": options}})
        while True:
            message = json.loads(sys.stdin.readline())
            if message.get("id") == title:
                return message["result"]["outcome"]["optionId"]

    print("a line that is no JSON", flush=True)
    for line in sys.stdin:
        message = json.loads(line)
        method, number, params = message.get("method"), message.get("id"), message.get("params", {})
        if method == "initialize":
            log(environment=sorted(os.environ), folder=os.listdir("."), offers=params["clientCapabilities"])
            write({"id": number, "result": {"protocolVersion": 2 if MANNER == "other-version" else 1, "agentCapabilities": {}}})
        elif method == "session/new":
            log(servers=[server["name"] for server in params["mcpServers"]], cwd=params["cwd"] == os.getcwd())
            server = params["mcpServers"][0]
            seat = Seat(server["command"], server["args"], {it["name"]: it["value"] for it in server["env"]})
            child = subprocess.Popen(["sleep", "600"])
            log(child=child.pid)
            write({"id": number, "result": {"sessionId": "s1"}})
        elif method == "session/prompt":
            prompts += 1
            log(prompt=params["prompt"][0]["text"])
            if MANNER == "crashes":
                sys.exit(3)
            if MANNER == "crashes-once" and not os.path.exists(os.environ["FAKE_LOG"] + ".crashed"):
                open(os.environ["FAKE_LOG"] + ".crashed", "w").close()
                sys.exit(3)
            if MANNER == "fails":
                write({"id": number, "error": {"code": -32603, "message": "the model is overloaded"}})
                continue
            if MANNER == "slow":
                waiting.append(number)
                continue
            if MANNER == "asks-leave":
                log(leave=[ask_leave("bash", "execute"), ask_leave("standoff_act", "other")])
            play(seat, lambda text: update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": text}))
            update(sessionUpdate="usage_update", used=10, size=100, cost={"amount": 0.25 * prompts, "currency": "USD"})
            usage = {"inputTokens": 100, "cachedReadTokens": 900, "outputTokens": 20, "totalTokens": 1020}
            write({"id": number, "result": {"stopReason": "end_turn", "usage": usage}})
        elif method == "session/cancel":
            log(cancelled=len(waiting))
            for number in waiting:
                write({"id": number, "result": {"stopReason": "cancelled"}})
            waiting.clear()


def command():
    config, prompt = sys.argv[3], sys.argv[4]
    log(prompt=prompt, environment=sorted(os.environ))
    if MANNER == "crashes":
        sys.exit(3)
    server = json.load(open(config))["mcpServers"]["standoff"]
    if MANNER == "fails":
        print(json.dumps({"type": "result", "is_error": True, "result": "API Error: 529 overloaded"}))
        sys.exit(1)
    play(Seat(server["command"], server["args"], server["env"]), lambda text: None)
    usage = {"input_tokens": 100, "cache_read_input_tokens": 900, "output_tokens": 20}
    print(json.dumps({"type": "result", "is_error": False, "result": "done", "total_cost_usd": 0.25, "usage": usage}))


acp() if KIND == "acp" else command()
