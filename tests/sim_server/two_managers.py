#!/usr/bin/python3
"""Clients change memberships of partitions while one of two managers is killed, ended or suspended, again and again.

  two_managers.py HOSTS_FILE DISTURBANCES SEED

Manager N (1 or 2) is run by `./manager N`, which becomes the daemon, and has its API at run-N/http.sock. HOSTS_FILE has a line for each host that is a member:
its port GUID and the directed route to it. Each client owns a host, and knows which memberships it may have: an answer with "replicated" above 0 is final, another
one is not, and a change without an answer may be there or not. `./tables ROUTE` prints the P_Key table of a port.
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

P_KEYS = ("0x0010", "0x0011", "0x0012")
LIMIT_S, ANSWER_S, FOLLOWS_S, LATE_S = 90, 5, 30, 20
READS_MIN, CHANGES_MIN = 10, 3  # for each disturbance: with fewer the test would show nothing


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("heddle", timeout=ANSWER_S)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(ANSWER_S)
        self.sock.connect(self.path)


def ask(number, method, target, body=None):
    """Status and JSON of manager `number`. Raises OSError or HTTPException without an answer."""
    connection = Connection(f"run-{number}/http.sock")
    try:
        connection.request(method, target, body=None if body is None else json.dumps(body),
                           headers={} if body is None else {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, json.loads(response.read() or b"null")
    finally:
        connection.close()


def change(p_key, guid, adds):
    """Asks the managers in turn until one of them is MASTER: the answer; None if there is none."""
    one = {"op": "add", "p_key": p_key, "members": [{"guid": guid}]} if adds else {"op": "remove", "p_key": p_key, "guids": [guid]}
    for number in (1, 2):
        try:
            status, answer = ask(number, "POST", "/v1/partition-changes", {"changes": [one]})
        except (ConnectionRefusedError, FileNotFoundError):
            continue  # it does not run
        if status != 503:
            return status, answer
        if "is not MASTER" not in json.dumps(answer):
            return None
    return 503, None


class Manager:
    def __init__(self, number):
        self.number, self.process = number, None

    def start(self):
        self.process = subprocess.Popen(["./manager", str(self.number)])

    def end(self, how):
        self.process.send_signal(how)
        try:
            self.process.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return f"manager {self.number} does not end within {LIMIT_S} s of signal {how}"
        return ""


class Host(threading.Thread):
    """A client that owns a host. `allowed`: by P_Key, the memberships that it may have; `final_since`: since when it is a member by a final answer; `begun`: how
    many changes were. It changes one membership again and again, then the next one, so that others stay for a while."""

    def __init__(self, number, guid, route, seed):
        super().__init__()
        self.random, self.guid, self.route = random.Random(seed * 1000 + number), guid, route
        self.allowed = {p_key: {False} for p_key in P_KEYS}
        self.begun, self.final_since, self.late = dict.fromkeys(P_KEYS, 0), {}, {}
        self.lock, self.ends = threading.Lock(), threading.Event()
        self.acknowledged, self.alone, self.unexpected = 0, 0, []

    def run(self):
        p_key = P_KEYS[0]
        while not self.ends.wait(self.random.random() * 0.4):
            if self.random.random() < 0.1:
                p_key = self.random.choice(P_KEYS)
            adds = self.random.random() < 0.6
            with self.lock:
                self.begun[p_key] += 1
                before = set(self.allowed[p_key])
                self.allowed[p_key] = before | {adds}
                self.final_since.pop(p_key, None)
            try:
                answer = change(p_key, self.guid, adds)
            except socket.timeout:
                self.late[p_key] = time.monotonic() + LATE_S  # a manager that is resumed may still make the change
                answer = None
            except (OSError, http.client.HTTPException, json.JSONDecodeError):
                answer = None
            with self.lock:
                self.take(p_key, adds, before, answer)

    def take(self, p_key, adds, before, answer):
        if answer is None:
            return
        status, body = answer
        if status == 503:
            self.allowed[p_key] = before
        elif status != 200:
            self.unexpected.append(f"{p_key} {self.guid}: {status} {body}")
        elif body.get("replicated", 0) > 0:
            self.acknowledged += 1
            if time.monotonic() > self.late.get(p_key, 0):
                self.allowed[p_key] = {adds}
            if self.allowed[p_key] == {True}:
                self.final_since[p_key] = time.monotonic()
        else:
            self.alone += 1


class Reader(threading.Thread):
    """Reads the P_Key tables of all hosts: what is final must get there, and not be gone again."""

    def __init__(self, hosts):
        super().__init__()
        self.hosts, self.ends, self.lost, self.reads = hosts, threading.Event(), [], 0
        self.failed, self.error = 0, ""

    def run(self):
        seen = {}
        while not self.ends.wait(0.05):
            for host in self.hosts:
                began = time.monotonic()
                with host.lock:
                    before = dict(host.final_since)
                table = subprocess.run(["./tables", host.route], capture_output=True, text=True, check=False)
                if table.returncode != 0:
                    self.failed += 1
                    self.error = f"exit code {table.returncode}: {(table.stderr or table.stdout).strip()[-300:]}"
                    continue
                self.reads += 1
                keys = {int(word, 16) & 0x7FFF for word in table.stdout.split() if word.startswith("0x")}
                with host.lock:
                    after = dict(host.final_since)
                for p_key, since in before.items():
                    if after.get(p_key) != since:
                        continue
                    if int(p_key, 16) in keys:
                        seen[(host.guid, p_key)] = since
                    elif seen.get((host.guid, p_key)) == since:
                        self.lost.append(f"{host.guid} has lost {p_key}, {began - since:.3f} s after it was answered")
                        seen.pop((host.guid, p_key))
                    elif began - since > FOLLOWS_S:
                        self.lost.append(f"{host.guid} has not got {p_key} for {began - since:.0f} s")


def members(number):
    found = set()
    for p_key in P_KEYS:
        status, page = ask(number, "GET", f"/v1/partitions/{p_key}/members?limit=1000")
        if status == 200:
            found |= {(p_key, row["guid"]) for row in page["members"] if "api" in row["sources"]}
    return found


def wait_until_replicated(what):
    """Until a change is held by both managers: the failure, or ""."""
    until, adds = time.monotonic() + LIMIT_S, True
    while time.monotonic() < until:
        try:
            answer = change("0x0020", "0x0200000000000001", adds)
            if answer and answer[0] == 200 and answer[1].get("replicated", 0) > 0:
                return ""
        except (OSError, http.client.HTTPException, json.JSONDecodeError):
            pass
        adds = not adds
        time.sleep(0.1)
    return f"no change is replicated {LIMIT_S} s after {what}"


def find_master():
    """The number of the manager that takes changes; 0: there is none."""
    until = time.monotonic() + LIMIT_S
    while time.monotonic() < until:
        for number in (1, 2):
            try:
                if ask(number, "POST", "/v1/partition-changes", {"changes": [{"op": "delete", "p_key": "0x0021"}]})[0] != 503:
                    return number
            except (OSError, http.client.HTTPException, json.JSONDecodeError):
                pass
        time.sleep(0.1)
    return 0


def compare(hosts, when):
    """What the master lacks or has too much, where no client changes it at the same time."""
    def snapshot(host):
        with host.lock:
            return {p_key: (host.begun[p_key], set(host.allowed[p_key])) for p_key in P_KEYS}

    number, before = find_master(), [snapshot(host) for host in hosts]
    try:
        there = members(number)
    except (OSError, http.client.HTTPException, json.JSONDecodeError) as error:
        yield f"{when}: no members from manager {number}: {error}"
        return
    for host, was in zip(hosts, before):
        for p_key, state in snapshot(host).items():
            if state == was[p_key] and ((p_key, host.guid) in there) not in state[1]:
                yield f"{when}: {p_key} {host.guid} is {'not ' if True in state[1] else ''}there at manager {number}"


def disturb(managers, chance):
    manager = chance.choice(managers)
    how = chance.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP))
    if how == signal.SIGSTOP:
        os.kill(manager.process.pid, how)
        time.sleep(chance.random() * 5)
        os.kill(manager.process.pid, signal.SIGCONT)
        return ""
    wrong = manager.end(how)
    time.sleep(chance.random() * 4)
    manager.start()
    return wrong


def too_little(reader, hosts, disturbances):
    """What the run has not tried often enough; "" if it has."""
    changes = sum(host.acknowledged for host in hosts)
    if reader.reads < READS_MIN * disturbances:
        return f"only {reader.reads} tables were read in {disturbances} disturbances; the latest failure: {reader.error or 'none'}"
    if changes < CHANGES_MIN * disturbances:
        return f"only {changes} changes were acknowledged by both managers in {disturbances} disturbances"
    return ""


def main():
    lines, disturbances, seed = open(sys.argv[1]).read().split("\n"), int(sys.argv[2]), int(sys.argv[3])
    hosts = [Host(number, *line.split(), seed) for number, line in enumerate(lines) if line]
    managers, chance, wrong = [Manager(1), Manager(2)], random.Random(seed), []
    for manager in managers:
        manager.start()
    wrong.append(wait_until_replicated("the start"))
    reader = Reader(hosts)
    for thread in (*hosts, reader):
        thread.start()
    for number in range(disturbances):
        if any(wrong) or reader.lost:
            break
        time.sleep(1 + chance.random())
        wrong.append(disturb(managers, chance))
        wrong.append(wait_until_replicated(f"disturbance {number + 1}"))
        wrong += compare(hosts, f"after disturbance {number + 1}")
    for host in hosts:
        host.ends.set()
        host.join()
    time.sleep(5)
    reader.ends.set()
    reader.join()
    if not any(wrong):
        # Either one alone knows everything.
        for manager in managers:
            wrong.append(manager.end(signal.SIGKILL))
            wrong += compare(hosts, f"after the end of manager {manager.number}")
            manager.start()
            wrong.append(wait_until_replicated(f"the start of manager {manager.number}"))
    for manager in managers:
        manager.end(signal.SIGKILL)
    wrong.append(too_little(reader, hosts, disturbances))
    wrong += reader.lost + [text for host in hosts for text in host.unexpected]
    wrong = [text for text in wrong if text]
    print(f"seed {seed}: {sum(host.acknowledged for host in hosts)} changes on two disks, {sum(host.alone for host in hosts)} on one, "
          f"{disturbances} disturbances, {reader.reads} tables read, {reader.failed} not")
    if wrong:
        print(*wrong[:20], sep="\n")
        sys.exit(1)


main()
