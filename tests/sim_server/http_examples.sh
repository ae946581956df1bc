#!/usr/bin/env bash
# The examples of heddle-http(7), run by curl as they stand there, on a daemon on heddle-sim; then what else a person would try: the wrong password,
# no TLS, SIGHUP with another certificate.
#
#   http_examples.sh BIN_DIRECTORY PAGE     PAGE: heddle-http.7.in
#
# Runs in namespaces of its own: /run and /etc/heddle of this machine stay as they are. Exit code 77: no namespaces can be made here.
set -euo pipefail
bin=$(cd "${1:?directory of heddle, heddlectl, heddle-sim and heddle-sim-run}" && pwd)
page=$(realpath "${2:?heddle-http.7.in}")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/sim_server/own_machine.sh
. "$here/own_machine.sh"
own_machine "$bin" "$0" "$@"
cat > fabric.net <<'NET'
switchguid=0x2c90000000100
Switch 4 "leaf-1"
[1] "node-1"[1]
[3] "spine-1"[1]
[4] "spine-2"[1]

switchguid=0x2c90000000200
Switch 4 "leaf-2"
[1] "node-2"[1]
[3] "spine-1"[2]
[4] "spine-2"[2]

switchguid=0x2c90000000300
Switch 4 "spine-1"
[1] "leaf-1"[3]
[2] "leaf-2"[3]

switchguid=0x2c90000000400
Switch 4 "spine-2"
[1] "leaf-1"[4]
[2] "leaf-2"[4]

caguid=0x2c90000000000
Ca 1 "node-1"
[1] "leaf-1"[1]

caguid=0x2c90000000010
Ca 1 "node-2"
[1] "leaf-2"[1]
NET


certificate() { # NAME: for sm-1, signed by itself
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -addext "subjectAltName=DNS:sm-1,IP:127.0.0.1" \
    -days 1 -keyout key.pem -out cert.pem 2> openssl.err
  chmod 600 key.pem
}
certificate first
echo "correct horse" | heddlectl http-user add users portal --role partitions
echo "battery staple" | heddlectl http-user add users reader --role read
port=$(free_port)
cat > conf <<CONF
sweep_interval 0
perfmgr TRUE
perfmgr_sweep_time_s 1
http_listen unix:/run/heddle/http.sock,127.0.0.1:$port
http_tls_cert $work/cert.pem
http_tls_key $work/key.pem
http_users_file $work/users
CONF
# What stands in for DNS, and for a certificate of the site's.
printf 'connect-to = "sm-1:8443:127.0.0.1:%s"\ncacert = "%s/cert.pem"\nsilent\nshow-error\nfail-with-body\nmax-time = 30\n' "$port" "$work" > .curlrc
printf 'machine sm-1 login portal password "correct horse"\n' > .netrc
chmod 600 .netrc

counters="SymbolErrorCounter=7 LinkDownedCounter=3 PortRcvErrors=11 PortXmitDiscards=5 PortXmitData=1000001 PortRcvData=2000002 PortXmitPkts=30003 PortRcvPkts=40004"
heddle-sim --start --no-console fabric.net -c "PerformanceSet \"leaf-1\"[3] $counters" > simulator.out 2>&1 &
check "the simulator" within 10 heddle-sim-run --host node-1 heddlectl ports --guids
heddle-sim-run --host node-1 heddle -F conf -g 0x0002c90000000001 -f log > out 2> err &
check "the daemon" within 20 grep -q 'SUBNET UP' log
check "HTTP answers" within 5 curl --unix-socket /run/heddle/http.sock http://heddle/v1/subnet

echo "-- the examples of the manual"
grep '^curl ' "$page" > examples
check "there are examples" test "$(wc -l < examples)" -ge 12
while IFS= read -r example; do
  check "$example" bash -c "$example > answer 2> complaint" || true
  [ -s answer ] || { echo "FAILED: no answer: $example: $(cat complaint)"; failures=$((failures + 1)); }
done < examples

echo "-- what the fabric has of them, by smpquery"
check "P_Key of the native API" sh -c "heddle-sim-run --host node-2 smpquery -D pkeys 0 1 | grep -q 0x8012"
check "P_Key of UFM's call" within 10 sh -c "heddle-sim-run --host node-1 smpquery -D pkeys 0 1 | grep -q 0x8013"

echo "-- counters in metrics, beside perfquery's"
metrics() { curl --compressed --output metrics --unix-socket /run/heddle/http.sock http://heddle/metrics; }
in_metrics() { sed -n "s/^infiniband_switch_port_$1_total{guid=\"0x0002c90000000100\",port=\"3\"} //p" metrics; }
polled() { metrics && [ "$(in_metrics symbol_error)" = 7 ]; }
check "a poll, through gzip" within 20 polled
check "perfquery" sh -c "heddle-sim-run --host node-1 perfquery -x -G 0x0002c90000000100 3 > perfquery.x && heddle-sim-run --host node-1 perfquery -G 0x0002c90000000100 3 > perfquery.out"
counter() { sed -n "s/^$1:\\.*//p" perfquery.out perfquery.x | tail -n 1; }
while read -r name metric unit; do
  check "$name" is "$(in_metrics "$metric")" "$(($(counter "$name") * unit))"
done <<'NAMES'
SymbolErrorCounter symbol_error 1
LinkDownedCounter link_downed 1
PortRcvErrors receive_errors 1
PortXmitDiscards transmit_discards 1
PortXmitData transmit_data_bytes 4
PortRcvData receive_data_bytes 4
PortXmitPkts transmit_packets 1
PortRcvPkts receive_packets 1
NAMES

echo "-- heddlectl partition, without HTTP"
check "the socket of http_listen is no manager's" heddlectl status > status.out
guid=0x0002c90000000011
check "create" heddlectl partition create 0x0014 --name green --wait
check "add" heddlectl partition add 0x0014 $guid --owner "job 12" --wait
check "the P_Key is there when it returns" sh -c "heddle-sim-run --host node-2 smpquery -D pkeys 0 1 | grep -q 0x8014"
check "the API shows it" sh -c "curl --unix-socket /run/heddle/http.sock http://heddle/v1/partitions/0x0014/members | grep -q 'job 12'"
check "show" sh -c "heddlectl partition show 0x0014 | grep -q 'full  *api  *job 12'"
check "list" sh -c "heddlectl partition list | grep -q '^0x0014  green'"
check "remove" heddlectl partition remove 0x0014 $guid --wait
check "the P_Key is gone when it returns" sh -c "! heddle-sim-run --host node-2 smpquery -D pkeys 0 1 | grep -q 0x8014"
check "delete" heddlectl partition delete 0x0014 --wait
check "it is in the log, with who did it" within 5 grep -q 'uid 0.*control socket.*POST /v1/partition-changes: 200' log
check "an error is the API's" sh -c "heddlectl partition show 0x0014 2>&1 | grep -q 'there is no partition 0x0014'"

echo "-- requests drawn from the OpenAPI document"
check "responses are as documented" /usr/bin/python3 "$here/api_fuzz.py" /run/heddle/http.sock 1 "${HEDDLE_API_REQUESTS:-1500}"
check "the daemon still answers" curl --unix-socket /run/heddle/http.sock http://heddle/v1/subnet -o answer

echo "-- the document itself, and a support bundle"
check "the document" curl --unix-socket /run/heddle/http.sock http://heddle/v1/openapi.json -o openapi.json
check "it is valid" /usr/bin/python3 "$here/../unit/sm/ops/web/validate_openapi.py" openapi.json
check "a support bundle" curl --netrc --compressed https://sm-1:8443/v1/support-bundle -o bundle.json
check "it has what the resources answer" /usr/bin/python3 -c '
import json
resources = json.load(open("bundle.json"))["resources"]
assert [path for path, of in resources.items() if of["status"] != 200] == [], resources
assert resources["/v1/subnet"]["body"]["state"] == "Master"
assert "node-1" in resources["/v1/topology"]["body"]["nodes"]["description"]
assert "heddle_" in resources["/metrics"]["body"]'
check "no password is in it" sh -c "! grep -q -e 'correct horse' -e 'battery staple' bundle.json"

echo "-- who may do what"
status() { curl --output answer --write-out '%{http_code}' "$@" 2> complaint || true; }
subnet=https://sm-1:8443/v1/subnet
check "without a user" is "$(status "$subnet")" 401
check "a reader changes nothing" is "$(status --user 'reader:battery staple' --request POST https://sm-1:8443/v1/resweep)" 403
check "a user of partitions does not sweep" is "$(status --netrc --request POST https://sm-1:8443/v1/resweep)" 403
check "root over the socket does" is "$(status --unix-socket /run/heddle/http.sock --request POST http://heddle/v1/resweep)" 200

echo "-- a standby: it reads, and sends changes to the master"
mkdir standby
cat > standby/conf <<CONF
sweep_interval 0
sm_priority 0
http_listen unix:/run/heddle/standby.sock,127.0.0.1:$((port + 1))
http_tls_cert $work/standby/missing.pem
http_tls_key $work/key.pem
http_peers 0x0002c90000000001=https://sm-1:8443,0x0002c90000000011=https://sm-2:8443
CONF
OSM_CACHE_DIR=$work/standby heddle-sim-run --host node-2 heddle -F standby/conf -g 0x0002c90000000011 -f standby/log > standby/out 2> standby/err &
check "it stands by" within 20 grep -q 'Entering STANDBY' standby/log
says() { heddlectl status --guid 0x0002c90000000011 | grep -q SM-HTTP-FAILED; }
check "a certificate that is missing is a condition" within 10 says
check "and nothing listens" not test -e /run/heddle/standby.sock
cp cert.pem standby/missing.pem
pkill -HUP -f standby/conf
of_standby() { curl --unix-socket /run/heddle/standby.sock "$@"; }
check "the certificate is there: it listens" within 20 of_standby http://heddle/v1/subnet --output answer
check "the condition is cleared" within 5 not says
check "a standby says so" sh -c "grep -q '\"state\": *\"Standby\"' answer"
create() { of_standby --output answer --write-out '%{http_code} %{redirect_url}' --json "$1" "http://heddle$2" 2> complaint || true; }
check "the native API: where the master is" is "$(create '{"p_key": "0x0021"}' '/v1/partitions?wait=applied')" "307 https://sm-1:8443/v1/partitions?wait=applied"
check "the answer names it" grep -q 0x0002c90000000001 answer
check "other contracts: try again" is "$(create '{"pkey": "0x21", "guids": []}' /ufmRest/resources/pkeys/add)" "503 "
at_master=$(create '{"p_key": "0x0021"}' /v1/partitions)
check "the same request there" curl --netrc --output answer --json '{"p_key": "0x0021"}' "${at_master#307 }"
check "the master has it" curl --netrc --output answer https://sm-1:8443/v1/partitions/0x0021
sed -i 's/^http_peers.*/http_peers (null)/' standby/conf
pkill -HUP -f standby/conf
refused() { is "$(create '{"p_key": "0x0022"}' /v1/partitions)" "503 "; }
check "without http_peers it only names it" within 10 refused
pkill -TERM -f standby/conf

echo "-- SIGHUP: another certificate, a user less"
certificate second
heddlectl http-user remove users portal
pkill -HUP -x heddle
check "the new certificate" within 10 curl --user 'reader:battery staple' "$subnet"
check "the user is gone" is "$(status --netrc "$subnet")" 401

check "passwords are in no log" sh -c "! grep -q -e 'correct horse' -e 'battery staple' log out err"
pkill -TERM -x heddle
check "it ends" within 10 sh -c '! pgrep -x heddle'
concluded log err standby/log standby/err
