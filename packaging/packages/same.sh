#!/usr/bin/env bash
# Are the packages of two builds equal, byte by byte? Otherwise the first difference of each is shown.
#
#   same.sh DIRECTORY DIRECTORY
set -euo pipefail
export LC_ALL=C
one=$1 other=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The first difference of two files, as far down as it can be named.
difference() {
  if [ "$(head -c 4 "$1" | tail -c 3 | tr -d '\0')" = ELF ]; then
    for section in $(readelf -SW "$1" | sed -nE 's/^ +\[ *[0-9]+\] ([.A-Za-z_][^ ]*) .*/\1/p'); do
      cmp -s <(readelf -x "$section" "$1" 2> /dev/null) <(readelf -x "$section" "$2" 2> /dev/null) || echo "    section $section"
    done | head -n 8
    diff <(strings -n 8 "$1") <(strings -n 8 "$2") | head -n 6 || true
  else
    diff -a "$1" "$2" | head -n 6 || true
  fi
}

failed=0
mapfile -t names < <(find "$one" "$other" -maxdepth 1 -name '*.deb' -printf '%f\n' | sort -u)
[ ${#names[@]} -gt 0 ] || { echo "there are no packages in $one"; exit 1; }
for name in "${names[@]}"; do
  if cmp -s "$one/$name" "$other/$name"; then
    echo "equal: $name $(sha256sum < "$one/$name" | cut -c 1-16)"
    continue
  fi
  failed=1
  echo "DIFFERENT: $name"
  cmp "$one/$name" "$other/$name" | sed 's/^/  /' || true
  rm -rf "$work"/?
  for side in a b; do
    from=$one
    [ "$side" = a ] || from=$other
    [ -e "$from/$name" ] || { echo "  missing in $from"; continue 2; }
    dpkg-deb -R "$from/$name" "$work/$side"
    { dpkg-deb -I "$from/$name"; dpkg-deb -c "$from/$name"; } > "$work/$side.list"
  done
  diff "$work/a.list" "$work/b.list" | head -n 6 | sed 's/^/  list: /' || true
  diff -rq "$work/a" "$work/b" | sed "s|$work/||g; s/^/  /" || true
  while read -r path; do
    echo "  in $path:"
    difference "$work/a/$path" "$work/b/$path" | sed 's/^/    /'
    break
  done < <(cd "$work/a" && find . -type f | sort | while read -r path; do cmp -s "$path" "$work/b/$path" || echo "$path"; done)
done
exit $failed
