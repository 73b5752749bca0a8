"""A real inference server for the tests: llama.cpp's own HTTP server, from the prebuilt wheel `xllamacpp`.

usage: server.py MODEL.gguf [PORT]

Prints the base URL of its OpenAI-compatible interface once it answers. Ends when its standard input ends, so that it
never outlives whoever started it.
"""

import pathlib
import sys

import xllamacpp


def main():
    model = sys.argv[1]
    port = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = {"smollm2-135m"}
    params.hostname = "127.0.0.1"
    params.port = port
    params.api_keys = ["sk-local"]
    # The model's own template ignores tools.
    params.chat_template = pathlib.Path(__file__).with_name("chatml.jinja").read_text(encoding="utf-8")
    params.use_jinja = True
    # One slot a player, so that each finds its own brief read already.
    params.n_ctx = 2 * 8192
    params.n_parallel = 2
    # One thread, and it does not spin: several that wait for each other crawl on a machine that is busy.
    for threads in (params.cpuparams, params.cpuparams_batch):
        threads.n_threads = 1
        threads.poll = 0
    server = xllamacpp.Server(params)
    print(f"{server.listening_address}/v1", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
