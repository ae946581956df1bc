#!/usr/bin/env bash
# heddlectl trace between two subnets, whose managers are separate daemons: the other one answers over TLS to a user who may read. Then what is said when
# it cannot: wrong password, unknown certificate, no listener, another program there.
#
#   subnet_trace.sh BIN_DIRECTORY     of heddle, heddlectl, heddle-sim and heddle-sim-run. Exit code 77: no namespaces can be made here.
set -euo pipefail
bin=$(cd "${1:?directory of heddle, heddlectl, heddle-sim and heddle-sim-run}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/sim_server/own_machine.sh
. "$here/own_machine.sh"
own_machine "$bin" "$0" "$@"

# Two hosts and a router, which is one node: port 1 is in the first subnet, port 2 in the second one.
fabric() { # NUMBER
  cat <<NET
switchguid=0x2c9000000${1}100
Switch 4 "leaf-$1"
[1] "node-$1-1"[1]
[2] "node-$1-2"[1]
[3] "router"[$1]

caguid=0x2c9000000${1}000
Ca 1 "node-$1-1"
[1] "leaf-$1"[1]

caguid=0x2c9000000${1}010
Ca 1 "node-$1-2"
[1] "leaf-$1"[2]

rtguid=0x2c90000000900
Rt 2 "router"
[$1] "leaf-$1"[3]
NET
}
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=sm-2" -addext "subjectAltName=IP:127.0.0.1" \
  -days 1 -keyout key.pem -out cert.pem 2> openssl.err
chmod 600 key.pem
echo "battery staple" | heddlectl http-user add users reader --role read
port=$(free_port)

manager() { # NUMBER OF_THE_OTHER LINES_OF_CONF
  local number=$1 other=$2
  mkdir -p "cache-$number" "run-$number"
  fabric "$number" > "fabric-$number.net"
  printf 'sweep_interval 0\nread_router_tables TRUE\nsubnet_prefix 0xfec000000000000%s\n%s\n' "$number" "$3" > "conf-$number"
  heddle-sim --start --no-console --socket "$IBSIM_SOCKNAME-$number" "fabric-$number.net" -c "router \"router\" 0xfec000000000000$other" > "simulator-$number.out" 2>&1 &
  check "simulator $number" within 10 heddle-sim-run --socket "$IBSIM_SOCKNAME-$number" --host "node-$number-1" heddlectl ports --guids
  OSM_CACHE_DIR="$work/cache-$number" OSM_TMP_DIR="$work/cache-$number" HEDDLE_RUN_DIR="$work/run-$number" \
    heddle-sim-run --socket "$IBSIM_SOCKNAME-$number" --host "node-$number-1" heddle -F "conf-$number" -f "log-$number" > "out-$number" 2> "err-$number" &
  daemon=$!
  check "manager $number" within 20 grep -q 'SUBNET UP' "log-$number"
}
manager 1 2 "subnet_peers 0xfec0000000000002=https://127.0.0.1:$port"
manager 2 1 "http_listen 127.0.0.1:$port
http_tls_cert $work/cert.pem
http_tls_key $work/key.pem
http_users_file $work/users"
second=$daemon
export HEDDLE_RUN_DIR="$work/run-1"
from=fec0::1:2:c900:0:1011 to=fec0::2:2:c900:0:2011

trace() { # CREDENTIALS CERTIFICATES ARGUMENTS...
  HEDDLE_USER=$1 SSL_CERT_FILE=$2 heddlectl trace "${@:3}" > trace.out 2>&1
}
fails_with() { # TEXT CREDENTIALS CERTIFICATES
  if not trace "$2" "$3" "$from" "$to" && grep -q "$1" trace.out; then return; fi
  cat trace.out
  return 1
}
check "both subnets, both ways" within 10 trace "reader:battery staple" cert.pem "$from" "$to"
check "each part is there" is "$(grep '^subnet' trace.out | tr '\n' ' ')" \
  "subnet 0xfec0000000000001 subnet 0xfec0000000000002 subnet 0xfec0000000000002 subnet 0xfec0000000000001 "
check "the last node is the host" sh -c "grep -q '\"node-2-2\"' trace.out && grep -q '\"router\"' trace.out"
check "JSON" trace "reader:battery staple" cert.pem "$from" "$to" --json
check "it has all parts" /usr/bin/python3 -c '
import json
way = json.load(open("trace.out"))
assert [part["subnet_prefix"][-1] for part in way["forward"]["subnets"]] == ["1", "2"], way
assert [part["subnet_prefix"][-1] for part in way["reverse"]["subnets"]] == ["2", "1"], way
assert way["forward"]["detail"] is None and way["reverse"]["detail"] is None, way'

missing="the part behind router 0x0002c90000000900 is missing: subnet 0xfec0000000000002: https://127.0.0.1:$port: "
check "a wrong password" fails_with "$missing.*password" "reader:correct horse" cert.pem
check "the way back begins there" grep -q "^  subnet 0xfec0000000000002: https://127.0.0.1:$port: .*password" trace.out
check "no user" fails_with "$missing" "" cert.pem
check "a certificate that is not known" fails_with "$missing.*certificate verify failed" "reader:battery staple" /dev/null
kill "$second"
wait "$second" || true
check "no listener" fails_with "${missing}Connection refused" "reader:battery staple" cert.pem

# Another program, which answers all requests with what is no answer.
cat > other.py <<'PY'
import http.server, ssl, sys
class Other(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = open("body", "rb").read()
        self.send_response(int(open("status").read()))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
server = http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Other)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("cert.pem", "key.pem")
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
PY
echo 200 > status
echo '[]' > body
/usr/bin/python3 other.py "$port" 2> other.err &
other=$!
check "an answer that is a list" within 10 fails_with "is not one of this API" "reader:battery staple" cert.pem
echo 500 > status
check "an error that is a list" fails_with "${missing}Internal Server Error" "reader:battery staple" cert.pem
echo '{"detail": "\u001b[2J"}' > body
check "an error for a terminal" fails_with "is missing" "reader:battery staple" cert.pem
check "controls nothing there" not grep -q "$(printf '\033')" trace.out
kill "$other"
concluded log-1 log-2 err-1 err-2
