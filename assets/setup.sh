#!/bin/sh
# Installs what a fresh machine lacks for running and testing delayscope, and nothing else:
#
#   * a Redis server, when neither redis-server nor valkey-server is on PATH;
#   * a C compiler, when `cc` is not on PATH (Rust links with it);
#   * with --ci, a JDK of 11 or later and Maven, for the tests beside the real Redisson, and zsh, for
#     those of completion;
#   * with --servers, Python's pip, for the tests on other servers (tests/servers.sh).
#
# It may be run any number of times. With nothing missing it says nothing and changes nothing.
# A Redis service that comes with an installation made here is stopped and disabled again: the
# demo and the tests start private servers of their own, and nobody asked for one on port 6379.

set -eu

say() { printf 'setup.sh: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

usage() {
    cat <<'USAGE'
Usage: sh assets/setup.sh [--ci] [--servers]

Installs a Redis server (redis-server or valkey-server) and a C compiler where they are missing.
Works with apt-get, dnf, apk, pacman and brew, as root or through sudo.

  --ci        also a JDK (11 or later) and Maven, for the interop tests, and zsh
  --servers   also Python's pip, for the tests on other servers
  --help      this text
USAGE
}

# --- What is missing ------------------------------------------------------------------------------

have_server() { have redis-server || have valkey-server; }

# `javac -version` says "javac 17.0.9"; up to Java 8 it was "javac 1.8.0_292", on stderr. Homebrew
# keeps its JDK off PATH, but its Maven knows where it is ("Java version: 21.0.1, vendor: …").
have_jdk() {
    at_least_11 "$(javac -version 2>&1)" javac ||
        { [ "$manager" = brew ] && at_least_11 "$(mvn -version 2>&1)" version:; }
}

# Whether the number after the word $2 in the text $1 is 11 or more.
at_least_11() {
    major=${1##*"$2 "}
    major=${major%%[!0-9]*}
    [ -n "$major" ] && [ "$major" -ge 11 ]
}

have_pip() { have python3 && python3 -m pip --version >/dev/null 2>&1; }

# Prints, a word each, what is to be installed.
missing() {
    have_server || echo server
    have cc || echo compiler
    if [ "$ci" = yes ]; then
        have_jdk || echo jdk
        have mvn || echo maven
        have zsh || echo zsh
    fi
    [ "$servers" = no ] || have_pip || echo pip
}

# --- How this machine installs --------------------------------------------------------------------

find_manager() {
    for manager in apt-get dnf apk pacman brew; do
        have "$manager" && return 0
    done
    manager=none
}

# Packages that provide $1, one alternative a line, the preferred one first.
packages() {
    case $manager/$1 in
        apt-get/server) echo redis-server; echo valkey-server ;;
        */server) echo redis; echo valkey ;;
        apt-get/compiler) echo gcc libc6-dev ;;
        apk/compiler) echo build-base ;;
        */compiler) echo gcc ;;
        apt-get/jdk) echo default-jdk-headless ;;
        dnf/jdk) echo java-21-openjdk-devel; echo java-latest-openjdk-devel; echo java-17-openjdk-devel ;;
        apk/jdk) echo openjdk21; echo openjdk17 ;;
        pacman/jdk) echo jdk-openjdk ;;
        brew/jdk) echo openjdk ;;
        */maven) echo maven ;;
        */zsh) echo zsh ;;
        apk/pip) echo py3-pip ;;
        pacman/pip) echo python-pip ;;
        brew/pip) echo python ;;
        */pip) echo python3-pip ;;
    esac
}

# The command that installs the packages named after it.
install_command() {
    case $manager in
        apt-get) echo 'env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 install -y --no-install-recommends' ;;
        dnf) echo 'dnf install -y' ;;
        apk) echo 'apk add --no-cache' ;;
        pacman) echo 'pacman -S --noconfirm --needed' ;;
        brew) echo 'brew install' ;;
    esac
}

# The command that brings the lists of packages up to date; empty when that is not needed.
update_command() {
    case $manager in
        apt-get) echo 'env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 update' ;;
        pacman) echo 'pacman -Sy' ;;
    esac
}

# One line that does by hand what would be done here.
by_hand() {
    line=$(update_command)
    for what in $wanted; do
        or=
        step=$(packages "$what" | while read -r names; do
            printf '%s%s %s' "$or" "$(install_command)" "$names"
            or=' || '
        done)
        case $step in *' || '*) step="{ $step; }" ;; esac
        line="${line:+$line && }$step"
    done
    printf '%s\n' "$line"
}

# Sets `root`: what a command that needs root begins with. Without a way to root it says what
# somebody else can run.
become_root() {
    root=
    if [ "$manager" = brew ]; then
        [ "$(id -u)" != 0 ] || fail "Homebrew refuses to run as root. As its owner, run: $(by_hand)"
        return
    fi
    [ "$(id -u)" != 0 ] || return 0
    if have sudo; then
        root=sudo
        [ -t 0 ] || root='sudo -n'
        # A sudo that may not, or would have to ask where nobody can answer.
        if [ "$root" = sudo ] || $root true 2>/dev/null; then return; fi
    fi
    say "installing ($(echo $wanted)) needs root, and there is no way to it here. As root, run:"
    printf '  %s\n' "$(by_hand)" >&2
    exit 1
}

# Installs the first alternative that can be had.
install() {
    alternatives=$(packages "$1")
    command=$(install_command)
    while read -r names; do
        say "installing $names"
        # Words are meant to be split: commands and packages are lists of plain words.
        # shellcheck disable=SC2086
        $root $command $names </dev/null && return 0
    done <<ALTERNATIVES
$alternatives
ALTERNATIVES
    fail "no package could be installed for: $1. By hand: $(by_hand)"
}

# --- Services -------------------------------------------------------------------------------------

services='redis-server redis valkey-server valkey'

# Whether the service was there before: running, or meant to run.
is_service() {
    { have systemctl && { systemctl is-active --quiet "$1" || systemctl is-enabled --quiet "$1"; }; } ||
        { have rc-service && rc-service "$1" status; } ||
        { have service && service "$1" status; }
}

note_services() {
    kept=
    for name in $services; do
        if is_service "$name" >/dev/null 2>&1 </dev/null; then kept="$kept $name"; fi
    done
}

# Runs as root, quietly; whether it worked does not matter: the names are tried, not known.
try() { $root "$@" >/dev/null 2>&1 </dev/null || true; }

retire_services() {
    for name in $services; do
        case " $kept " in *" $name "*) continue ;; esac
        if have systemctl; then try systemctl stop "$name"; try systemctl disable "$name"; fi
        if have rc-service; then try rc-service "$name" stop; fi
        if have rc-update; then try rc-update del "$name"; fi
        # Without systemd at work Debian starts the service by its init script all the same.
        if have service; then try service "$name" stop; fi
        if have update-rc.d; then try update-rc.d "$name" disable; fi
    done
}

# --- What is done ---------------------------------------------------------------------------------

ci=no
servers=no
for argument in "$@"; do
    case $argument in
        --ci) ci=yes ;;
        --servers) servers=yes ;;
        -h | --help) usage; exit 0 ;;
        *) say "unknown argument: $argument"; usage >&2; exit 2 ;;
    esac
done

find_manager
wanted=$(missing)
[ -n "$wanted" ] || exit 0

if [ "$manager" = none ]; then
    say 'no package manager that it knows (apt-get, dnf, apk, pacman, brew). Please install:'
    for what in $wanted; do
        case $what in
            server) echo '  redis-server (5.0 or later) or valkey-server (7.2 or later)' ;;
            compiler) echo '  a C compiler that is called cc' ;;
            jdk) echo '  a JDK (11 or later)' ;;
            maven) echo '  Maven (mvn)' ;;
            zsh) echo '  zsh' ;;
            pip) echo '  pip for python3 (python3 -m pip)' ;;
        esac
    done >&2
    exit 1
fi
if [ "$manager" = brew ] && ! have cc; then
    fail 'there is no C compiler. On macOS, run: xcode-select --install'
fi

become_root
update=$(update_command)
if [ -n "$update" ]; then
    say 'bringing the lists of packages up to date'
    # An old list, or one of several sources gone, may still do.
    # shellcheck disable=SC2086
    $root $update </dev/null || say 'that failed; going on with the lists that are there'
fi
case " $(echo $wanted) " in *' server '*) note_services ;; esac
for what in $wanted; do install "$what"; done
case " $(echo $wanted) " in *' server '*) retire_services ;; esac

still=$(missing)
[ -z "$still" ] || fail "installed, but not found on PATH: $(echo $still)"
