"""A model without weights, for assistants that are to be checked: it reads what its host hands over and plays by that alone.

It speaks the four wire formats that hosts use (chat completions, Responses, Messages, Gemini). As `Player` it opens a match,
makes the call that the last result names as the next one, and notes what it could not read; as `SeatPlayer` it plays for an
agent that was given a seat.
"""

import gzip
import json
import random
import re
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FIRST = {"ruleset": "trails", "opponents": ["random"], "seed": "11"}
NEXT = re.compile(r"(?:^|__|\b)(act|get_state|new_match|find_match) (\{.*\})\s*$", re.DOTALL)
LAST_WORD = "That was the match."
# What a model reads in results, in either language.
NEXT_CALL = re.compile(r"(?:Next call: |接下来调用：)(.*)")
OFFERED = re.compile(r"^(?:Your legal actions: |你可以做的动作：)(.*)$", re.MULTILINE)
VERDICT = re.compile(r"You won|You lost|It is a draw|你赢了|你输了|平局")


class Handed:
    """What a host handed over of one result: the board, the next call, what may be done, whether it is over."""

    def __init__(self, content):
        self.raw = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        self.board = self.next = None
        self.legal, self.over = [], False
        for part in unpacked(content):
            if isinstance(part, dict) and ("board" in part or "next" in part):
                self.board = part.get("board", self.board)
                self.next = part.get("next", self.next)
                self.legal = part.get("legal_actions") or self.legal
                self.over = self.over or "outcome" in part
            elif isinstance(part, str) and NEXT_CALL.search(part):
                drawn = re.findall(r"```text\n(.*?)\n```", part, re.DOTALL)
                self.board = self.board or (drawn[-1] if drawn else None)
                self.next = self.next or NEXT_CALL.findall(part)[-1].strip()
                offered = OFFERED.findall(part)
                self.legal = self.legal or (re.findall(r"`([^`]+)`", offered[-1]) if offered else [])
                self.over = self.over or any(VERDICT.match(line[2:]) for line in part.splitlines() if line.startswith("- "))

    def faults(self, tool):
        """What is missing for a model to go on."""
        if self.over:
            return [] if VERDICT.search(self.raw) else ["the end is not told as won, lost or drawn"]
        faults = []
        if tool in ("new_match", "act") and not (self.board and re.search(r"\(you\)|（你）", self.board) and self.board.count("\n") > 5):
            faults.append(f"no board after {tool}")
        if not NEXT.search(self.next or ""):
            faults.append(f"no next call after {tool}: {self.raw[:300]}")
        return faults


def unpacked(content):
    """All texts and objects in what was handed over, those inside JSON texts too."""
    if isinstance(content, str):
        try:
            inner = json.loads(content)
        except ValueError:
            # Some hosts put lines of their own around the JSON.
            at = content.find("{")
            try:
                inner = json.JSONDecoder().raw_decode(content[at:])[0] if at >= 0 else None
            except ValueError:
                inner = None
        return [content] if not isinstance(inner, (dict, list)) else [content, *unpacked(inner)]
    if isinstance(content, list):
        return [found for part in content for found in unpacked(part)]
    if isinstance(content, dict):
        return [content, *(found for part in content.values() if isinstance(part, (str, list, dict)) for found in unpacked(part))]
    return []


def called(names, tool):
    """The host's own name for a tool of ours."""
    return next((name for name in names if re.search(rf"(^|[^a-z]){tool}$", name)), None)


class Player:
    """Decides what to call. One for a game, because a host may ask several times at once for other things."""

    def __init__(self, queries=(), language="en"):
        self.dice = random.Random(7)
        self.first = {**FIRST, "language": language}
        self.faults, self.results, self.found = [], [], {}
        self.queries = list(queries)
        self.legal = []
        self.key_seen = False

    def knows(self, names):
        """Whether the host wants something of the game. Without its tools it wants a title or the like."""
        return called(names, "new_match") or any("search" in name.lower() for name in names)

    def decide(self, names, calls, results, _):
        """The next call as (tool, arguments), or the last word as (None, text)."""
        searching = next((name for name in names if name.lower() in ("toolsearch", "tool_search")), None)
        asked = [index for index, name in enumerate(calls) if name == searching] if searching else []
        if searching:
            for index, query in zip(asked, self.queries):
                if index < len(results):
                    self.found[query] = json.dumps(results[index], ensure_ascii=False)
            if len(asked) < len(self.queries):
                return searching, {"query": self.queries[len(asked)], "max_results": 5}
            results = [result for index, result in enumerate(results) if index not in asked]
            calls = [name for index, name in enumerate(calls) if index not in asked]
        new_match = called(names, "new_match")
        if not results:
            if not new_match and not searching:
                return None, "There is no game here."
            return new_match or "mcp__standoff__new_match", self.first
        tool = re.sub(r"^.*?(new_match|get_state|act)$", r"\1", calls[-1]) if calls else "act"
        handed = Handed(results[-1])
        self.results.append(handed)
        self.faults += handed.faults(tool)
        if handed.over or len(results) > 400:
            return None, LAST_WORD if handed.over else "This match does not end."
        self.legal = handed.legal or self.legal
        step = NEXT.search(handed.next or "")
        if not step:
            return None, "I do not know what to do."
        arguments = json.loads(step[2])
        self.key_seen = self.key_seen or "seat_key" in arguments
        if "action" in arguments:
            arguments["action"] = self.dice.choice([action for action in self.legal if "<" not in action])
        wanted = called(names, step[1]) or (new_match or "mcp__standoff__new_match").replace("new_match", step[1])
        return wanted, arguments


class SeatPlayer:
    """Plays for agents that hold a seat, however many at once: it looks, acts, and ends its turn when that is accepted."""

    def __init__(self):
        self.dice = random.Random(7)
        self.acts = 0
        # Whose tools these are is kept waiting, in the middle of its turn, until it is let go.
        self.held, self.holding, self.let_go = None, threading.Event(), threading.Event()

    def knows(self, names):
        return called(names, "act")

    def decide(self, names, _, results, answered):
        if self.held in names:
            self.holding.set()
            self.let_go.wait(60)
        if not answered:
            return called(names, "get_state"), {}
        legal = next((part["legal_actions"] for part in unpacked(results[-1]) if isinstance(part, dict) and "legal_actions" in part), None)
        if not legal:
            return None, "My turn is over."
        self.acts += 1
        return called(names, "act"), {"reasoning": "a throw of the dice", "action": self.dice.choice([action for action in legal if "<" not in action])}


def chat(body):
    messages = body["messages"]
    names = [tool["function"]["name"] for tool in body.get("tools") or [] if "function" in tool]
    calls = [call["function"]["name"] for message in messages for call in message.get("tool_calls") or []]
    return names, calls, [message["content"] for message in messages if message["role"] == "tool"], messages[-1]["role"] == "tool"


def responses(body):
    items = body["input"] if isinstance(body["input"], list) else []
    names = []
    for tool in body.get("tools") or []:
        inner = tool.get("tools") if tool.get("type") == "namespace" else None
        names += [f"{tool['name']}__{one['name']}" for one in inner] if inner else [tool["name"]] if "name" in tool else []
    calls = [item["name"] for item in items if item.get("type") == "function_call"]
    return names, calls, [item["output"] for item in items if item.get("type") == "function_call_output"], items[-1].get("type") == "function_call_output"


def messages(body):
    blocks = [block for message in body["messages"] if isinstance(message["content"], list) for block in message["content"]]
    names = [tool["name"] for tool in body.get("tools") or []]
    calls = [block["name"] for block in blocks if block["type"] == "tool_use"]
    last = body["messages"][-1]["content"]
    answered = isinstance(last, list) and any(block["type"] == "tool_result" for block in last)
    return names, calls, [block.get("content") for block in blocks if block["type"] == "tool_result"], answered


def gemini(body):
    parts = [part for content in body.get("contents") or [] for part in content.get("parts") or []]
    declared = [tool.get("functionDeclarations") or [] for tool in body.get("tools") or []]
    names = [function["name"] for functions in declared for function in functions]
    calls = [part["functionCall"]["name"] for part in parts if "functionCall" in part]
    answered = any("functionResponse" in part for part in (body.get("contents") or [{}])[-1].get("parts") or [])
    return names, calls, [part["functionResponse"].get("response") for part in parts if "functionResponse" in part], answered


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_HEAD(self):  # noqa: N802 the name is the library's
        self.answer(b"", "text/plain")

    def do_GET(self):  # noqa: N802 the name is the library's
        self.answer(json.dumps({"object": "list", "data": [{"id": "stub", "object": "model"}], "models": []}).encode())

    def do_POST(self):  # noqa: N802 the name is the library's
        body = json.loads(self.body() or b"{}")
        path = self.path.split("?")[0]
        if path.endswith("/count_tokens") or path.endswith(":countTokens"):
            return self.answer(json.dumps({"input_tokens": 1, "totalTokens": 1}).encode())
        stream = bool(body.get("stream")) or "stream" in path
        for end, read, write in (
            ("/chat/completions", chat, self.write_chat),
            ("/responses", responses, self.write_response),
            ("/messages", messages, self.write_message),
            ("enerateContent", gemini, self.write_gemini),
        ):
            if path.endswith(end):
                names, calls, results, answered = read(body)
                player = self.server.player
                with self.server.lock:
                    self.server.asked.append({"tools": names, "body": body} if not results else {"tools": names})
                    tool, argument = player.decide(names, calls, results, answered) if player.knows(names) else (None, "{}")
                return write(body, tool, argument, stream)
        return self.answer(b"{}", status=404)

    def body(self):
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            body = b""
            while size := int(self.rfile.readline().strip() or b"0", 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body

    def answer(self, body, kind="application/json", status=200):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def events(self, events):
        lines = [(f"event: {name}\n" if name else "") + f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n" for name, data in events]
        self.answer("".join(lines).encode(), "text/event-stream")

    def write_chat(self, body, tool, argument, stream):
        base = {"id": f"chat-{uuid.uuid4().hex[:8]}", "created": 0, "model": body.get("model", "stub")}
        message = {"role": "assistant", "content": None if tool else argument}
        if tool:
            call = {"name": tool, "arguments": json.dumps(argument)}
            message["tool_calls"] = [{"index": 0, "id": f"call_{uuid.uuid4().hex[:12]}", "type": "function", "function": call}]
        reason = "tool_calls" if tool else "stop"
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        if not stream:
            choice = {"index": 0, "message": message, "finish_reason": reason}
            return self.answer(json.dumps({**base, "object": "chat.completion", "choices": [choice], "usage": usage}).encode())
        chunk = {**base, "object": "chat.completion.chunk"}
        return self.events([
            (None, {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}),
            (None, {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}),
            (None, {**chunk, "choices": [], "usage": usage}),
            (None, "[DONE]"),
        ])

    def write_response(self, body, tool, argument, stream):
        if tool:
            item = {"type": "function_call", "id": f"fc_{uuid.uuid4().hex[:8]}", "call_id": f"call_{uuid.uuid4().hex[:12]}", "status": "completed", "name": tool, "arguments": json.dumps(argument)}
            # Some hosts put the tools of a server under a name of its own.
            for space in (one["name"] for one in body.get("tools") or [] if one.get("type") == "namespace"):
                if tool.startswith(f"{space}__"):
                    item["namespace"], item["name"] = space, tool.removeprefix(f"{space}__")
        else:
            text = {"type": "output_text", "text": argument, "annotations": []}
            item = {"type": "message", "role": "assistant", "id": f"msg_{uuid.uuid4().hex[:8]}", "status": "completed", "content": [text]}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        whole = {"id": f"resp_{uuid.uuid4().hex[:8]}", "object": "response", "created_at": 0, "status": "completed", "model": body.get("model"), "output": [item], "parallel_tool_calls": False, "tool_choice": "auto", "tools": [], "usage": usage}
        if not stream:
            return self.answer(json.dumps(whole).encode())
        steps = [
            ("response.created", {"response": {**whole, "status": "in_progress", "output": []}}),
            ("response.output_item.added", {"output_index": 0, "item": item}),
            ("response.output_item.done", {"output_index": 0, "item": item}),
            ("response.completed", {"response": whole}),
        ]
        return self.events([(name, {"type": name, "sequence_number": number, **data}) for number, (name, data) in enumerate(steps)])

    def write_message(self, body, tool, argument, stream):
        block = {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex[:12]}", "name": tool, "input": argument} if tool else {"type": "text", "text": argument}
        reason = "tool_use" if tool else "end_turn"
        whole = {"id": f"msg_{uuid.uuid4().hex[:12]}", "type": "message", "role": "assistant", "model": body.get("model"), "content": [block], "stop_reason": reason, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
        if not stream:
            return self.answer(json.dumps(whole).encode())
        empty = {**block, "input": {}} if tool else {"type": "text", "text": ""}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(argument)} if tool else {"type": "text_delta", "text": argument}
        steps = [
            {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": empty},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        ]
        return self.events([(step["type"], step) for step in steps])

    def write_gemini(self, _, tool, argument, stream):
        part = {"functionCall": {"name": tool, "args": argument, "id": uuid.uuid4().hex[:8]}} if tool else {"text": argument}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        whole = {"candidates": [candidate], "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}, "modelVersion": "stub"}
        return self.events([(None, whole)]) if stream else self.answer(json.dumps(whole).encode())


class StubModel:
    """The server while it is entered; `url` is its address, `player` what it made of what it was handed."""

    def __init__(self, player):
        self.player = player

    def __enter__(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        # A host that was killed reads no answer.
        self.server.handle_error = lambda *_: None
        self.server.asked = self.asked = []
        self.server.player, self.server.lock = self.player, threading.Lock()
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
