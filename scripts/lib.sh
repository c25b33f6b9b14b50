# Sourced by the scripts beside it: what to install, and how to say what is going on.

# What building, testing and the demo need, and what the further checks need on top.
build_packages=(
  g++ cmake ninja-build pkg-config ca-certificates
  libcpp-httplib-dev libssl-dev zlib1g-dev libbrotli-dev nlohmann-json3-dev libsimdjson-dev
  libspdlog-dev libfmt-dev libyaml-cpp-dev libcli11-dev prometheus-cpp-dev
  libgtest-dev libgmock-dev libbenchmark-dev
  curl jq openssl python3 python3-yaml
)
check_packages=(git clang clang-tidy clang-format libclang-rt-dev)

step() { printf '\n\033[1m==> %s\033[0m\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

is_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null)" = 'ii ' ]
}

# install_missing PACKAGE...: installs what is not there yet; needs root or sudo only then.
install_missing() {
  command -v dpkg-query >/dev/null || fail "this script installs Debian packages; on another system install what scripts/lib.sh lists"
  local package missing=()
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "missing packages: ${missing[*]} (run as root, or install sudo)"
    as_root=(sudo)
  fi
  step "installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
}
