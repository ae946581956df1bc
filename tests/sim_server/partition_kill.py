#!/usr/bin/python3
"""Clients change partitions while their daemon is killed again and again.

  partition_kill.py SOCKET CHANGES KILLS COMMAND...

COMMAND runs the daemon. Each client owns GUIDs, adds them to partitions and removes them, and knows what was answered last. A change without an answer
may be there or not; one with 200 has to be, from then on.
"""
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time

CLIENTS, GUIDS, P_KEYS, DEADLINE_S = 16, 40, 4, 60


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("heddle", timeout=DEADLINE_S)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(DEADLINE_S)
        self.sock.connect(self.path)


class Daemon:
    def __init__(self, path, command):
        self.path, self.command, self.process = path, command, None

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.succeeds("GET", "/v1/partitions")

    def succeeds(self, method, target, body=None):
        until = time.monotonic() + DEADLINE_S
        while time.monotonic() < until:
            try:
                if self.ask(method, target, body)[0] in (200, 201):
                    return
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.02)
        sys.exit(f"the daemon does not answer {method} {target}")

    def ask(self, method, target, body=None, connection=None):
        connection = connection or Connection(self.path)
        connection.request(method, target, body=None if body is None else json.dumps(body),
                           headers={} if body is None else {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, json.loads(response.read() or b"null")

    def kill(self):
        # heddle-sim-run becomes the daemon: there is one process.
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Client(threading.Thread):
    def __init__(self, number, daemon, share):
        super().__init__()
        self.random, self.daemon_program, self.share = random.Random(number), daemon, share
        self.guids = [f"0x{0x0200000000000000 + number * GUIDS + i:016x}" for i in range(GUIDS)]
        self.known = {}  # (P_Key, GUID): is a member, as was answered last
        self.open = {}   # (P_Key, GUID): what was asked for, without an answer
        self.done, self.unexpected = 0, []

    def run(self):
        connection = None
        while self.done < self.share:
            place = (f"0x{self.random.randrange(1, P_KEYS + 1):04x}", self.random.choice(self.guids))
            adds = self.random.random() < 0.6
            self.open[place] = self.open.get(place, set()) | {adds}
            try:
                connection = connection or Connection(self.daemon_program.path)
                target = f"/v1/partitions/{place[0]}/members/{place[1]}"
                status, answer = self.daemon_program.ask("PUT" if adds else "DELETE", target, {} if adds else None, connection)
            except (OSError, http.client.HTTPException, json.JSONDecodeError):
                connection = None
                time.sleep(0.01)
                continue
            if status == 200:
                self.known[place] = adds
                self.open.pop(place)
                self.done += 1
            elif status == 503:  # it has begun, and does not lead yet
                time.sleep(0.01)
            else:
                self.unexpected.append((place, adds, status, answer))
                return


def members(daemon):
    found = set()
    for number in range(1, P_KEYS + 1):
        p_key, cursor = f"0x{number:04x}", ""
        while cursor is not None:
            status, page = daemon.ask("GET", f"/v1/partitions/{p_key}/members?limit=1000" + (f"&cursor={cursor}" if cursor else ""))
            assert status == 200, page
            found |= {(p_key, item["guid"]) for item in page["members"]}
            cursor = page["next_cursor"]
    return found


def lost(clients, found):
    for client in clients:
        for place, is_member in client.known.items():
            if place not in client.open and (place in found) != is_member:
                yield f"{place}: answered {'added' if is_member else 'removed'}, and it is {'there' if place in found else 'not there'}"


def main():
    path, changes, kills, command = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    daemon = Daemon(path, command)
    daemon.start()
    for number in range(1, P_KEYS + 1):
        daemon.succeeds("PUT", f"/v1/partitions/0x{number:04x}", {})
    clients = [Client(number, daemon, changes // CLIENTS) for number in range(CLIENTS)]
    pauses = random.Random(1)
    for client in clients:
        client.start()
    for kill in range(1, kills + 1):
        while sum(client.done for client in clients) < kill * changes // (kills + 1) and any(client.is_alive() for client in clients):
            time.sleep(0.001)
        time.sleep(pauses.random() * 0.01)
        daemon.kill()
        daemon.start()
    for client in clients:
        client.join()
    failures = [text for client in clients for text in client.unexpected]
    daemon.kill()
    daemon.start()
    failures += list(lost(clients, members(daemon)))
    done, unanswered = sum(client.done for client in clients), sum(len(client.open) for client in clients)
    daemon.kill()
    if failures:
        print(*failures[:20], sep="\n")
        sys.exit(1)
    print(f"{done} changes answered, {kills + 1} kills, {unanswered} unanswered at the end")


main()
