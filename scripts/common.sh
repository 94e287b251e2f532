# What the scripts share; sourced, never run. Leaves the shell in the source
# tree's root.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Pinned first on the path: Debian's own Python, whatever shim a login shell
# brings, and LLVM 22's tools under their plain names.
SYSTEM_PYTHON=/usr/bin/python3
[ -x "$SYSTEM_PYTHON" ] || SYSTEM_PYTHON=python3
LLVM_BIN=/usr/lib/llvm-22/bin

# say MESSAGE...: a step begins.
say() { printf '== %s\n' "$*"; }

# die MESSAGE...: ends the script with a readable reason.
die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# The test environment's Python, or Debian's when there is none.
test_python() {
  if [ -x .venv/bin/python ]; then
    echo "$PWD/.venv/bin/python"
  else
    echo "$SYSTEM_PYTHON"
  fi
}
