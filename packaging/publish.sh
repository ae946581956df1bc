#!/usr/bin/env bash
# Makes everything that a release publishes of the last commit, in one folder that any web server may hold: a repository for apt, one for dnf and zypper,
# the container image, source tarball, lists of components, checksums, signatures.
#
#   HEDDLE_SIGNING_KEY=FINGERPRINT packaging/publish.sh OUTPUT [--packages SUITE=DIRECTORY]... [--rpms DIRECTORY] [--image FILE]     as root
#
# The key is one of gpg's keyring (GNUPGHOME); nothing is published without one. OUTPUT is made and has to be missing.
# --packages, --rpms, --image: what was built before, by packages.sh and container/image.sh, in place of a build here; with --packages, these suites only, bookworm among
# them. `--rpms none`: without them. Packages for arm64 are in DIRECTORY/arm64 if packages.sh's stage of that name made them.
set -euo pipefail
cd "$(dirname "$0")/.."
umask 022
export LC_ALL=C
suites=(bookworm trixie)

usage() { sed -n '2,11p' "$0" >&2; exit 2; }
fail() { echo "publish: $*" >&2; exit 1; }
output='' rpms='' image=''
declare -A packages=()
while [ $# -gt 0 ]; do
  case $1 in
    --packages)
      [[ ${2:-} =~ ^(bookworm|trixie)=(.+)$ ]] || usage
      packages[${BASH_REMATCH[1]}]=$(realpath "${BASH_REMATCH[2]}")
      shift
      ;;
    --rpms) rpms=${2:?directory}; [ "$rpms" = none ] || rpms=$(realpath "$rpms"); shift ;;
    --image) image=$(realpath "${2:?file}"); shift ;;
    -*) usage ;;
    *) [ -z "$output" ] || usage; output=$1 ;;
  esac
  shift
done
[ -n "$output" ] || usage
[ ${#packages[@]} -eq 0 ] || mapfile -t suites < <(printf '%s\n' "${!packages[@]}" | sort)
[ ! -e "$output" ] || fail "$output is there already"
key=${HEDDLE_SIGNING_KEY:-}
[ -n "$key" ] || fail "HEDDLE_SIGNING_KEY names no key of gpg's keyring (gpg --list-secret-keys)"
gpg --batch --list-secret-keys "$key" > /dev/null 2>&1 || fail "gpg has no secret key $key"
needed=(apt-ftparchive)
[ "$rpms" = none ] || needed+=(createrepo_c rpmsign)
for tool in "${needed[@]}"; do
  command -v "$tool" > /dev/null || fail "$tool is missing: apt-get install apt-utils createrepo-c rpm"
done
# A list of passed nightly slices is in no package.
[ -z "$(git status --porcelain --untracked-files=no -- . ':!packaging/nightly.passed')" ] || fail "the tree has changes that are in no commit"

version=$(git show HEAD:CMakeLists.txt | sed -nE 's/^project\(heddle VERSION ([0-9.]+).*/\1/p')
[[ " ${suites[*]} " = *" bookworm "* ]] || fail "the image needs the packages of bookworm: --packages bookworm=DIRECTORY"
for suite in "${!packages[@]}"; do
  compgen -G "${packages[$suite]}/heddle_$version~deb*_amd64.deb" > /dev/null || fail "${packages[$suite]} has no heddle_$version~deb*_amd64.deb"
done
date=$(git log -1 --format=%ct)
mkdir -p "$output"
output=$(realpath "$output")

# Options of gpg: no question, one key.
sign() { gpg --batch --yes --quiet --local-user "$key" --armor "$@"; }
sign_file() { sign --output "$1.asc" --detach-sign "$1"; }

# ---- Debian: one repository, a distribution for each suite

build_packages() {
  local suite
  for suite in "${suites[@]}"; do
    [ -z "${packages[$suite]:-}" ] || continue
    local stages=(build)
    [ "$suite" != bookworm ] || [ -n "$rpms" ] || stages+=(rpm)
    [ "$suite" != bookworm ] || stages+=(arm64)
    HEDDLE_RPM_OPTFLAGS='-O2 -g' bash packaging/packages.sh --suite "$suite" "${stages[@]}"
    packages[$suite]=$PWD/build/packages
    [ "$suite" = bookworm ] || packages[$suite]+=-$suite
  done
  [ -n "$rpms" ] || rpms=${packages[bookworm]}/rpm
}

debian_repository() {
  local suite
  mkdir "$output/debian"
  for suite in "${suites[@]}"; do
    local pool=pool/$suite index=dists/$suite/main
    mkdir -p "$output/debian/$pool"
    cp "${packages[$suite]}"/*.deb "$output/debian/$pool/"
    [ ! -d "${packages[$suite]}/arm64" ] || cp "${packages[$suite]}"/arm64/*.deb "$output/debian/$pool/"
    local architecture
    for architecture in $(for file in "$output/debian/$pool"/*.deb; do dpkg-deb -f "$file" Architecture; done | grep -vx all | sort -u); do
      mkdir -p "$output/debian/$index/binary-$architecture"
      (
        cd "$output/debian"
        apt-ftparchive -a "$architecture" packages "$pool" > "$index/binary-$architecture/Packages"
        gzip -n -9 -k "$index/binary-$architecture/Packages"
      )
    done
    (
      cd "$output/debian/dists/$suite"
      local release=$output/release.new
      apt-ftparchive -o APT::FTPArchive::Release::Origin=Heddle -o APT::FTPArchive::Release::Label=Heddle \
        -o APT::FTPArchive::Release::Suite="$suite" -o APT::FTPArchive::Release::Codename="$suite" \
        -o APT::FTPArchive::Release::Architectures="$(find main -name 'binary-*' -printf '%f\n' | sed 's/binary-//' | sort | paste -sd ' ')" \
        -o APT::FTPArchive::Release::Components=main -o APT::FTPArchive::Release::Description="Heddle $version" release . > "$release"
      sed -i "s/^Date: .*/Date: $(date -u -R -d "@$date" | sed 's/+0000/UTC/')/" "$release"
      mv "$release" Release
      sign --output InRelease --clear-sign Release
      sign --output Release.gpg --detach-sign Release
    )
  done
}

# ---- RPM

rpm_repository() {
  [ "$rpms" != none ] || return 0
  mkdir "$output/rpm"
  cp "$rpms"/*.rpm "$output/rpm/"
  rpmsign --define "__gpg $(command -v gpg)" --define "_gpg_name $key" --define "_gpg_digest_algo sha256" --addsign "$output"/rpm/*.rpm > /dev/null
  createrepo_c --quiet --revision "$date" --set-timestamp-to-revision "$output/rpm"
  sign_file "$output/rpm/repodata/repomd.xml"
}

# ---- the rest

others() {
  [ -n "$image" ] || {
    image=build/heddle-image.tar
    bash packaging/container/image.sh --packages "${packages[bookworm]}" --output "$image"
  }
  cp "$image" "$output/heddle-$version-image.tar"
  # What `podman pull` calls it by.
  tar -xOf "$image" index.json | sed -nE 's/.*"digest": *"(sha256:[0-9a-f]+)".*/\1/p' | head -n 1 > "$output/heddle-$version-image.digest"
  [ -s "$output/heddle-$version-image.digest" ] || fail "$image: index.json names no digest"
  git -c tar.umask=0022 archive --format=tar --prefix="heddle-$version/" HEAD | gzip -n -9 > "$output/heddle-$version.tar.gz"
  local suite program
  for suite in "${suites[@]}"; do
    for program in heddle heddle-sim heddle-vnic; do
      dpkg-deb --fsys-tarfile "${packages[$suite]}/${program}"_*.deb | tar -xO "./usr/share/doc/$program/$program.cdx.json" > "$output/$program-$version-$suite.cdx.json"
    done
  done
  gpg --batch --armor --export "$key" > "$output/heddle-archive-key.asc"
  sed "s/@VERSION@/$version/g" packaging/published.md > "$output/README.md"
}

checksums() {
  (cd "$output" && find . -type f ! -name 'SHA256SUMS*' -printf '%P\n' | sort | xargs -d '\n' sha256sum > SHA256SUMS)
  sign_file "$output/SHA256SUMS"
}

build_packages
debian_repository
rpm_repository
others
checksums
du -sh "$output"/* | sed "s|$output/||"
echo "published in $output: Heddle $version of $(git rev-parse --short HEAD), signed by $key"
