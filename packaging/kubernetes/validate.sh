#!/usr/bin/env bash
# Validates heddle.yaml and podmonitor.yaml by the schemas of Kubernetes' API (npm package kubernetes-models, pinned with all that it needs by package-lock.json), and its
# opensm.conf by heddlectl. Then damages copies of the manifest in different ways: each has to be found.
#
#   packaging/kubernetes/validate.sh [BUILD]     BUILD: a build directory with bin/heddlectl (default build/release); needs node and npm
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath -m "${1:-$here/../../build/release}")
command -v npm > /dev/null || { echo "npm is missing: apt-get install npm" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/package.json "$here"/package-lock.json "$work/"
(cd "$work" && npm ci --silent --ignore-scripts --no-audit --no-fund > npm.log 2>&1) || { cat "$work/npm.log"; exit 1; }

node "$here/validate.mjs" "$work" "$here/heddle.yaml"
node "$here/validate.mjs" "$work" "$here/heddle.yaml" "$here/podmonitor.yaml"

if [ -x "$build/bin/heddlectl" ]; then
  (umask 077; head -c 32 /dev/urandom | base64 > "$work/state-key")
  (cd "$work" && sed -i "s|^dump_files_dir .*|dump_files_dir $work|; s|^state_store_key_file .*|state_store_key_file $work/state-key|" opensm.conf &&
    "$build/bin/heddlectl" check-config opensm.conf)
else
  echo "no $build/bin/heddlectl: the configuration is not checked"
fi

undetected=0
damaged() { # WHAT SED-SCRIPT
  { cat "$here/heddle.yaml"; echo ---; cat "$here/podmonitor.yaml"; } > "$work/whole.yaml"
  sed -E "$2" "$work/whole.yaml" > "$work/damaged.yaml"
  if cmp -s "$work/whole.yaml" "$work/damaged.yaml"; then
    echo "NOT DAMAGED: $1"
  elif node "$here/validate.mjs" "$work" "$work/damaged.yaml" > "$work/found"; then
    echo "NOT FOUND: $1"
  else
    return 0
  fi
  undetected=$((undetected + 1))
}
damaged "a field that does not exist" 's/readOnlyRootFilesystem/readonlyRootFilesystem/'
damaged "a number where a list belongs" 's/drop: \["ALL"\]/drop: 1/'
damaged "a required field that is missing" '/^  selector:/,/name: heddle$/d'
damaged "a kind of another group" 's|apps/v1|batch/v1|'
damaged "a value that no field may have" 's/type: RollingUpdate/type: Rolling/'
# shellcheck disable=SC2016
damaged "a volume that does not exist" '/^      volumes:/,$s/- name: run$/- name: runs/'
damaged "a ConfigMap that does not exist" 's/^            name: heddle$/            name: hedle/'
damaged "a probe of a port that does not exist" 's/port: http$/port: https/'
damaged "a port on which nothing listens" 's/containerPort: 9315/containerPort: 9316/'
damaged "a port on which no peer listens" 's/containerPort: 9350/containerPort: 9351/'
damaged "peers whose addresses change" '/hostNetwork: true$/d'
damaged "a secret of the peers that is not mounted" 's|mountPath: /etc/heddle-state|mountPath: /etc/heddle-key|'
damaged "a user that no Secret has" 's/key: username/key: user/'
[ "$undetected" -eq 0 ] || exit 1
echo "damaged copies are all found; passed"
