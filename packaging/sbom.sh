#!/usr/bin/env bash
# What programs are made of, as CycloneDX 1.5 (JSON) on standard output: packages of the shared libraries that they load, packages of
# the headers that were compiled into them (dpkg or rpm says which those are), and libraries from npm in the map's page.
#
#   packaging/sbom.sh BUILD NAME VERSION PROGRAM...     BUILD: a build directory of ninja
#
# Equal builds give equal files: the time is SOURCE_DATE_EPOCH, the serial number comes from the content.
set -euo pipefail
export LC_ALL=C
[ $# -ge 4 ] || { sed -n '2,7p' "$0" >&2; exit 2; }
build=$1 name=$2 version=$3
shift 3

linked_names() { readelf -d "$@" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' | sort -u; }
# All files of the system that the compiler read.
included_files() { ninja -C "$build" -t deps | sed -nE 's|^ +(/usr/.*)|\1|p' | sort -u; }

# Lines "PACKAGE VERSION ARCHITECTURE".
if command -v dpkg-query > /dev/null; then
  kind=deb
  packages_of() {  # file names or patterns, a line each
    # shellcheck disable=SC2016
    tr '\n' '\0' | xargs -0 -r dpkg-query -S 2> /dev/null | grep -v '^diversion' | sed 's/: .*//' | tr -d ' ' | tr ',' '\n' | sort -u |
      xargs -r dpkg-query -W -f '${Package} ${Version} ${Architecture}\n' | sort -u
  }
  # With the directory, since libraries of other architectures have the same names; not with its parent, which may be a link (/lib). Read from the programs, since those of
  # another architecture cannot be started where they are built.
  linked() { linked_names "$@" | sed "s|^|*/$(dpkg-architecture -q DEB_HOST_MULTIARCH)/|" | packages_of; }
  included() { included_files | packages_of; }
else
  kind=rpm
  packages_of() { xargs -r rpm -q --qf '%{NAME} %{VERSION}-%{RELEASE} %{ARCH}\n' "$@" | grep -v ' not ' | sort -u; }
  linked() { linked_names "$@" | sed 's/$/()(64bit)/' | packages_of --whatprovides; }
  included() { included_files | packages_of -f; }
fi
# shellcheck disable=SC1091
distribution=$(. /etc/os-release && echo "$ID")

purl() { # PACKAGE VERSION ARCHITECTURE
  local encoded=${2//+/%2B}
  printf 'pkg:%s/%s/%s@%s?arch=%s' "$kind" "$distribution" "${1//+/%2B}" "${encoded//:/%3A}" "$3"
}

# Lines "NAME VERSION LICENCE" of the libraries in the map's script: the programs themselves have it, and its first line names them.
licences=$(dirname "$0")/../sm/ops/map/page/bundle/licences.txt
bundled() {
  { grep -ahoE "// Heddle's map\. sources: [0-9a-f]+\. Contains [^;]+" "$@" || true; } | sed 's/.* Contains //; s/, /\n/g' | sort -u |
    while read -r package of; do
      licence=$(sed -nE "s/^$package $of \(([^)]+)\).*/\1/p" "$licences")
      [ -n "$licence" ] || { echo "sbom: $licences does not say under which licence $package $of is" >&2; exit 1; }
      printf '%s %s %s\n' "$package" "$of" "$licence"
    done
}

commit=$(sed -nE 's/.*kCommit = "([^"]*)".*/\1/p' "$build/generated/config/build/commit.h")
components=$(
  { linked "$@" | sed 's/$/ linked/'; included | sed 's/$/ compiled-in/'; } | sort |
    while read -r package of architecture use; do
      printf '%s\t{"type": "library", "bom-ref": "%s:%s", "name": "%s", "version": "%s", "purl": "%s", "properties": [{"name": "heddle:use", "value": "%s"}]}\n' \
        "$use:$package" "$use" "$package" "$package" "$of" "$(purl "$package" "$of" "$architecture")" "$use"
    done
)
in_page=$(
  bundled "$@" | while read -r package of licence; do
    printf 'bundled:%s\t{"type": "library", "bom-ref": "bundled:%s", "name": "%s", "version": "%s", "licenses": [{"license": {"id": "%s"}}], "purl": "pkg:npm/%s@%s", "properties": [{"name": "heddle:use", "value": "bundled"}]}\n' \
      "$package" "$package" "$package" "$of" "$licence" "$package" "$of"
  done
)
[ -n "$components" ] || { echo "sbom: no package is known for what these programs load" >&2; exit 1; }
[ -z "$in_page" ] || components+=$'\n'$in_page
as_list() { sed 's/^/    /; $!s/$/,/'; }
time=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%Y-%m-%dT%H:%M:%SZ)
serial=$(printf '%s' "$name $version $commit $time $components" | sha1sum | sed -E 's/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/\1-\2-5\3-8\4-\5/')
cat <<JSON
{
  "bomFormat": "CycloneDX",
  "specVersion": "1.5",
  "serialNumber": "urn:uuid:$serial",
  "version": 1,
  "metadata": {
    "timestamp": "$time",
    "component": {
      "type": "application", "bom-ref": "$name", "name": "$name", "version": "$version",
      "licenses": [{"expression": "BSD-2-Clause OR GPL-2.0-only"}],
      "properties": [{"name": "heddle:commit", "value": "$commit"}]
    }
  },
  "components": [
$(cut -f 2 <<< "$components" | as_list)
  ],
  "dependencies": [
    {"ref": "$name", "dependsOn": [
$(cut -f 1 <<< "$components" | sed 's/.*/"&"/' | as_list)
    ]}
  ]
}
JSON
