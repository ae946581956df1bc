#!/usr/bin/python3
"""Requests drawn from the daemon's own OpenAPI document, valid and damaged: what comes back has to be what the document says.

  api_fuzz.py SOCKET [SEED [REQUESTS]]

For each operation in turn: parameters and bodies by their schemas, then damaged (other types, other lengths, unknown members, bytes that are no text).
No response may be an internal error; a status of 200 has the schema that the document names; an error is a problem (RFC 9457) that says something.
A failing request is printed as it was sent, with the seed.
"""
import http.client
import json
import random
import socket
import sys
import urllib.parse

import jsonschema

ERRORS = {400, 401, 403, 404, 405, 406, 409, 411, 412, 413, 414, 415, 422, 428, 429, 503}
NASTY = ["", "0", "-1", "1e9", "18446744073709551616", "\x00", "../../etc/passwd", "%", "a" * 300, "ü", "\r\nX: y", "{}", "null", "0x", "0x7fff", "true",
         "node-1", "leaf-1:1", "0x0002c90000000001", "ff12:401b:ffff::ffff:ffff", "\u202e", "' OR 1=1"]


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("heddle", timeout=30)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(30)
        self.sock.connect(self.path)


class Fuzzer:
    def __init__(self, path, seed):
        self.path, self.random = path, random.Random(seed)
        status, _, body = self.send("GET", "/v1/openapi.json")
        assert status == 200, f"/v1/openapi.json: {status}"
        self.document = json.loads(body)
        self.failures, self.counts = [], {}

    def send(self, method, target, body=None, headers=None):
        connection = Connection(self.path)
        try:
            connection.request(method, target, body=body, headers=headers or {})
            response = connection.getresponse()
            kind = response.getheader("Content-Type", "")
            # A stream of events has no end: its head is enough.
            return response.status, kind, b"" if kind.startswith("text/event-stream") else response.read()
        finally:
            connection.close()

    def resolve(self, schema):
        while isinstance(schema, dict) and "$ref" in schema:
            node = self.document
            for part in schema["$ref"].removeprefix("#/").split("/"):
                node = node[part.replace("~1", "/").replace("~0", "~")]
            schema = node
        return schema

    def value(self, schema, depth=0):
        schema = self.resolve(schema)
        pick = self.random
        if not isinstance(schema, dict):
            return pick.choice(NASTY)
        for choice in ("oneOf", "anyOf"):
            if choice in schema:
                return self.value(pick.choice(schema[choice]), depth + 1)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return pick.choice(schema["enum"])
        kind = schema.get("type", "string")
        if isinstance(kind, list):
            kind = pick.choice(kind)
        if kind == "object":
            members = schema.get("properties", {})
            wanted = set(schema.get("required", []))
            return {name: self.value(of, depth + 1) for name, of in members.items() if name in wanted or (depth < 4 and pick.random() < 0.5)}
        if kind == "array":
            return [self.value(schema.get("items", {}), depth + 1) for _ in range(pick.randrange(0, 4))]
        if kind == "integer":
            return pick.randint(max(schema.get("minimum", 0), -10), min(schema.get("maximum", 100000), 100000))
        if kind == "number":
            return pick.random() * 100
        if kind == "boolean":
            return pick.random() < 0.5
        if kind == "null":
            return None
        if schema.get("format") == "date-time":
            return f"20{pick.randrange(26, 40)}-01-02T03:04:05Z"
        if "examples" in schema and pick.random() < 0.7:
            return pick.choice(schema["examples"])
        return pick.choice(["0x0002c90000000001", "0x0012", "node-1", "leaf-1", f"0x{pick.getrandbits(64):016x}"])

    def damaged(self, value):
        pick = self.random
        if isinstance(value, dict):
            value = dict(value)
            action = pick.randrange(4)
            if action == 0 or not value:
                value[pick.choice(["unknown", "", "p_key", "__proto__", "a" * 100])] = pick.choice([1, None, [], {}, "x"])
            elif action == 1:
                del value[pick.choice(list(value))]
            else:
                name = pick.choice(list(value))
                value[name] = self.damaged(value[name])
            return value
        if isinstance(value, list) and value and pick.random() < 0.5:
            value = list(value)
            place = pick.randrange(len(value))
            value[place] = self.damaged(value[place])
            return value + value[:1]  # and one of them twice
        return pick.choice([None, True, -1, 2**64, 1.5, [], {}, [[[]]], *NASTY])

    def request(self, path, method, operation):
        pick = self.random
        harm = pick.random() < 0.6
        target, query = path, []
        for parameter in operation.get("parameters", []):
            parameter = self.resolve(parameter)
            value = self.value(parameter.get("schema", {}))
            if harm and pick.random() < 0.5:
                value = pick.choice(NASTY)
            text = value if isinstance(value, str) else json.dumps(value)
            if parameter["in"] == "path":
                target = target.replace("{" + parameter["name"] + "}", urllib.parse.quote(text, safe="") or "%20")
            elif parameter["in"] == "query" and (parameter.get("required") or pick.random() < 0.5):
                query.append((parameter["name"], text))
        if harm and pick.random() < 0.2:
            query.append((pick.choice(["color", "limit", "cursor", ""]), pick.choice(NASTY)))
        if query:
            target += "?" + urllib.parse.urlencode(query)
        body, headers = None, {}
        if "requestBody" in operation:
            content = self.resolve(operation["requestBody"])["content"]
            kind = next(iter(content))
            value = self.value(content[kind].get("schema", {}))
            if harm:
                value = self.damaged(value)
            body = json.dumps(value).encode()
            if harm and pick.random() < 0.15:
                body = pick.choice([b"", b"{", body[:-1], b"\xff\xfe", b"[" * 2000, body + b"}"])
            headers["Content-Type"] = kind if pick.random() < 0.95 else "text/plain"
        if method in ("put", "patch", "delete") and pick.random() < 0.5:
            headers["If-Match"] = pick.choice(["*", '"0"', '"expired"', "no quotes"])
        return target, body, headers

    def check(self, operation, status, kind, body):
        if status >= 400:
            if status not in ERRORS:
                return f"status {status}"
            if not kind.startswith("application/problem+json"):
                return f"status {status} as {kind}"
            problem = json.loads(body)
            if problem.get("status") != status or not problem.get("detail") or not problem.get("title"):
                return f"problem without status, title or detail: {body[:300]!r}"
            return None
        if status not in (200, 201, 202, 204, 304):
            return f"status {status}"
        if status == 200 and kind.startswith("application/json"):
            documented = operation["responses"].get("200", {})
            schema = self.resolve(documented).get("content", {}).get("application/json", {}).get("schema")
            if schema is None:
                return "a JSON body that the document does not mention"
            whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", "components": self.document["components"], **schema}
            try:
                jsonschema.Draft202012Validator(whole).validate(json.loads(body))
            except jsonschema.ValidationError as error:
                return f"not as documented: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}"
        return None

    def run(self, count):
        operations = [(path, method, operation) for path, methods in self.document["paths"].items()
                      for method, operation in methods.items() if method in ("get", "head", "post", "put", "patch", "delete")]
        assert len(operations) >= 20, f"only {len(operations)} operations"
        for number in range(count):
            path, method, operation = operations[number % len(operations)]
            target, body, headers = self.request(path, method, operation)
            try:
                status, kind, answer = self.send(method.upper(), target, body, headers)
                complaint = self.check(operation, status, kind, answer)
            except (OSError, http.client.HTTPException, ValueError) as error:
                status, complaint = 0, f"no response: {error!r}"
            self.counts[status] = self.counts.get(status, 0) + 1
            if complaint:
                self.failures.append(f"{method.upper()} {target} {headers} {body!r}: {complaint}")
        return len(operations)


def main():
    path = sys.argv[1]
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 3000
    fuzzer = Fuzzer(path, seed)
    operations = fuzzer.run(count)
    print(f"{operations} operations, {count} requests, seed {seed}; by status: {dict(sorted(fuzzer.counts.items()))}")
    for failure in fuzzer.failures[:30]:
        print("FAILED:", failure)
    if not {200, 400, 404} <= fuzzer.counts.keys():
        print("FAILED: the requests reach too little of the API")
        return 1
    return 1 if fuzzer.failures else 0


if __name__ == "__main__":
    sys.exit(main())
