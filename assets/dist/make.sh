#!/bin/sh
# Makes what is shipped, from a clone of this repository, into target/packages:
#
#   binary    the program for any Linux of this machine's processor: glibc 2.17 or later, or musl
#   archive   a .tar.gz of it with manual, completions, licences and the files for monitoring
#   deb rpm   packages with the same; they recommend redis-server, which the demo needs
#   image     the folder that Containerfile copies into an image: the program and nothing else
#   sums      SHA256SUMS of what is there
#
# `formula URL FILE` prints the Homebrew formula for a source archive that is at URL, and here in FILE.

set -eu

say() { printf 'make.sh: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

usage() {
    cat <<'USAGE'
Usage: sh assets/dist/make.sh [--target TARGET] [--binary FILE] [WHAT ...]

Makes binary, archive, deb, rpm, image and sums, or only WHAT, in target/packages.

  --target TARGET  of the processor of this machine: x86_64-unknown-linux-gnu.2.17 (default),
                   x86_64-unknown-linux-musl, and the same of aarch64
  --binary FILE    pack this program instead of building one
  formula URL FILE print the Homebrew formula for the source archive FILE, which is at URL
  --help           this text

Building needs cargo, and for the target's linker cargo-zigbuild; where that is missing, Python's pip
installs it below target. deb needs dpkg-deb; rpm needs rpmbuild.
USAGE
}

# The versions that are known to work.
ZIGBUILD=0.24.1
ZIG=0.17.1

here=$(cd "$(dirname "$0")" && pwd)
home=$(cd "$here/../.." && pwd)
target_dir=${CARGO_TARGET_DIR:-$home/target}
out=$target_dir/packages
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$home/Cargo.toml" | head -n 1)
summary="Terminal inspector for delayed queues in Redis (Redisson's RDelayedQueue)"
processor=$(uname -m)
target=$processor-unknown-linux-gnu.2.17
program=

# --- The program ----------------------------------------------------------------------------------

zigbuild() {
    tools=$target_dir/package-tools
    if ! have cargo-zigbuild && [ ! -x "$tools/bin/cargo-zigbuild" ]; then
        say "installing cargo-zigbuild $ZIGBUILD into $tools"
        python3 -m venv "$tools"
        "$tools/bin/pip" install --quiet "cargo-zigbuild==$ZIGBUILD" "ziglang==$ZIG"
    fi
    PATH=$tools/bin:$PATH cargo zigbuild "$@"
}

make_binary() {
    [ -z "$program" ] || return 0
    triple=${target%.[0-9]*.[0-9]*}
    # The toolchain of this machine may come without what another target needs.
    case $triple in
        *-musl) rustup target add "$triple" >&2 ||
            fail "this toolchain cannot be had for $triple: leave --target out" ;;
    esac
    say "building for $target"
    (cd "$home" && zigbuild --profile dist --locked --bin delayscope --target "$target" \
        --target-dir "$target_dir" >&2)
    program=$target_dir/$triple/dist/delayscope
}

# Puts the program at its place, and everything that belongs to it, below the folder $1; zsh
# looks for functions in $2.
stage() {
    root=$1 functions=$2
    rm -rf "$root"
    docs=$root/usr/share/doc/delayscope
    man=$root/usr/share/man/man1
    bash=$root/usr/share/bash-completion/completions
    zsh=$root/usr/share/zsh/$functions
    fish=$root/usr/share/fish/vendor_completions.d
    mkdir -p "$root/usr/bin" "$docs/prometheus" "$docs/grafana" "$man" "$bash" "$zsh" "$fish"
    install -m 755 "$program" "$root/usr/bin/delayscope"
    "$program" completions bash >"$bash/delayscope"
    "$program" completions zsh >"$zsh/_delayscope"
    "$program" completions fish >"$fish/delayscope.fish"
    "$program" man >"$man/delayscope.1"
    # The page of the program names those of its commands.
    pages=$(sed -n 's/^delayscope\\-\([a-z]*\)(1)$/\1/p' "$man/delayscope.1")
    [ -n "$pages" ] || fail "the manual names no command"
    for page in $pages; do
        case $page in connection | help) continue ;; esac
        "$program" man "$page" >"$man/delayscope-$page.1"
    done
    # -n: without names and times, so that the same source makes the same file.
    gzip -9n "$man"/*.1
    cp "$home/README.md" "$home/CHANGELOG.md" "$home/LICENSE-MIT" "$home/LICENSE-APACHE" "$docs"
    cp "$home/assets/config.toml" "$home/assets/docs/json.md" "$docs"
    cp "$home"/assets/prometheus/* "$docs/prometheus"
    cp "$home"/assets/grafana/* "$docs/grafana"
    find "$root" -type d -exec chmod 755 {} +
    find "$root" -type f ! -path '*/usr/bin/*' -exec chmod 644 {} +
}

# Prints the sonames that the program asks for; nothing when it asks for none.
needed() {
    have readelf || fail "readelf is missing: install binutils"
    readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
}

# --- What is shipped ------------------------------------------------------------------------------

name() { echo "delayscope-$version-$processor-linux"; }

make_archive() {
    make_binary
    folder=$out/work/$(name)
    stage "$out/work/archive" site-functions
    rm -rf "$folder"
    mv "$out/work/archive/usr" "$folder"
    tar -C "$out/work" --owner=0 --group=0 --numeric-owner --sort=name -czf "$out/$(name).tar.gz" \
        "$(name)"
    say "made $out/$(name).tar.gz"
}

make_deb() {
    make_binary
    have dpkg-deb || fail "dpkg-deb is missing: install dpkg"
    case $processor in
        x86_64) arch=amd64 ;;
        aarch64) arch=arm64 ;;
        *) fail "nobody has said what Debian calls $processor" ;;
    esac
    root=$out/work/deb
    stage "$root" vendor-completions
    docs=$root/usr/share/doc/delayscope
    { cat "$home/LICENSE-MIT"; printf '\n\nOr, as you like:\n\n'; cat "$home/LICENSE-APACHE"; } \
        >"$docs/copyright"
    rm "$docs/LICENSE-MIT" "$docs/LICENSE-APACHE"
    gzip -9n "$docs/CHANGELOG.md"
    depends=
    [ -z "$(needed)" ] || depends="Depends: libc6 (>= 2.17)"
    mkdir "$root/DEBIAN"
    {
        echo "Package: delayscope"
        echo "Version: $version"
        echo "Architecture: $arch"
        echo "Maintainer: The delayscope maintainers <delayscope@users.noreply.github.com>"
        echo "Installed-Size: $(du -ks "$root/usr" | cut -f 1)"
        [ -z "$depends" ] || echo "$depends"
        echo "Recommends: redis-server | valkey-server"
        echo "Section: database"
        echo "Priority: optional"
        echo "Description: $summary"
        echo " It shows what is late, since when and why, repairs it with an undo, and tells a"
        echo " monitoring system how late the queues are. The demo needs a Redis server."
    } >"$root/DEBIAN/control"
    deb=$out/delayscope_${version}_$arch.deb
    dpkg-deb --root-owner-group -Zxz --build "$root" "$deb" >&2
}

make_rpm() {
    make_binary
    have rpmbuild || fail "rpmbuild is missing: install rpm-build, or rpm"
    root=$out/work/rpm
    stage "$root" site-functions
    rpmbuild -bb --quiet --target "$processor-linux" \
        --define "_topdir $out/work/rpmbuild" --define "_rpmdir $out" \
        --define "_rpmfilename %{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm" \
        --define "staged $root" --define "told_version $version" --define "told_summary $summary" \
        "$here/delayscope.spec" >&2
    say "made $out/delayscope-$version-1.$processor.rpm"
}

# The program, the libraries that it asks for (none when it is static), the roots that TLS trusts,
# and a home for a user that is nobody.
make_image() {
    make_binary
    context=$out/image
    rm -rf "$context"
    mkdir -p "$context/root/usr/bin" "$context/root/etc" "$context/home/delayscope"
    cp "$program" "$context/root/usr/bin/delayscope"
    if [ -n "$(needed)" ]; then
        ldd "$program" | grep -o '/[^ ]*' | while read -r library; do
            mkdir -p "$context/root$(dirname "$library")"
            cp -L "$library" "$context/root$library"
        done
    fi
    printf 'delayscope:x:65532:65532::/home/delayscope:/usr/bin/delayscope\n' \
        >"$context/root/etc/passwd"
    printf 'hosts: files dns\n' >"$context/root/etc/nsswitch.conf"
    if [ -r /etc/ssl/certs/ca-certificates.crt ]; then
        mkdir -p "$context/root/etc/ssl/certs"
        cp -L /etc/ssl/certs/ca-certificates.crt "$context/root/etc/ssl/certs"
    fi
    cp "$here/Containerfile" "$context/Containerfile"
    say "made $context: podman build -t delayscope $context"
}

make_sums() {
    (cd "$out" && sha256sum -- *.tar.gz *.deb *.rpm 2>/dev/null >SHA256SUMS) || true
    [ -s "$out/SHA256SUMS" ] || fail "there is nothing in $out to sum"
    say "made $out/SHA256SUMS"
}

formula() {
    [ $# -eq 2 ] || fail "formula needs the URL of a source archive, and the archive"
    [ -r "$2" ] || fail "there is no $2"
    sum=$(sha256sum <"$2" | cut -d ' ' -f 1)
    sed -e "s|@URL@|$1|" -e "s|@SHA256@|$sum|" -e "s|@VERSION@|$version|" -e "s|@SUMMARY@|$summary|" \
        "$here/delayscope.rb"
}

# --- What was asked for ---------------------------------------------------------------------------

[ -n "$version" ] || fail "Cargo.toml does not say which version this is"
what=
while [ $# -gt 0 ]; do
    case $1 in
        --help) usage; exit 0 ;;
        --target) [ $# -gt 1 ] || fail "--target needs one"; target=$2; shift ;;
        --binary)
            [ $# -gt 1 ] && [ -x "$2" ] || fail "--binary needs a program"
            program=$(cd "$(dirname "$2")" && pwd)/$(basename "$2"); shift ;;
        formula) shift; formula "$@"; exit ;;
        binary | archive | deb | rpm | image | sums) what="$what $1" ;;
        *) usage >&2; say "what is $1?"; exit 2 ;;
    esac
    shift
done
case $target in
    "$processor"-*) ;;
    *) fail "$target is not of this machine, a $processor: the program must run to print its manual" ;;
esac
mkdir -p "$out/work"
for one in ${what:-binary archive deb rpm image sums}; do
    "make_$one"
done
[ -z "$program" ] || say "packed $program"
rm -rf "$out/work"
