#!/usr/bin/env python3
"""Validates an OpenAPI 3.1 document: its structure, its references, and all of its JSON schemas.

The structure is that of the OpenAPI specification 3.1.0 as far as Heddle uses it; anything else is an error.
"""
import json
import re
import sys

import jsonschema

OBJECT = {"type": "object", "additionalProperties": False}
REFERENCE = {**OBJECT, "required": ["$ref"], "properties": {"$ref": {"type": "string", "pattern": "^#/components/"}}}
MEDIA = {"type": "object", "minProperties": 1, "patternProperties": {
    "^[a-z]+/[a-z0-9.+-]+": {**OBJECT, "required": ["schema"], "properties": {"schema": {"type": ["object", "boolean"]}, "example": True}}}}
RESPONSE = {"anyOf": [REFERENCE, {**OBJECT, "required": ["description"], "properties": {
    "description": {"type": "string"}, "content": MEDIA}}]}
PARAMETER = {**OBJECT, "required": ["name", "in", "schema"], "properties": {
    "name": {"type": "string", "minLength": 1}, "in": {"enum": ["path", "query", "header"]},
    "required": {"type": "boolean"}, "description": {"type": "string"}, "schema": {"type": ["object", "boolean"]}, "example": True},
    "if": {"properties": {"in": {"const": "path"}}}, "then": {"required": ["required"], "properties": {"required": {"const": True}}}}
OPERATION = {**OBJECT, "required": ["operationId", "responses"], "properties": {
    "operationId": {"type": "string", "pattern": "^[a-z][A-Za-z0-9]*$"}, "summary": {"type": "string"},
    "description": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1}, "parameters": {"type": "array", "items": PARAMETER},
    "requestBody": {**OBJECT, "required": ["content"], "properties": {"required": {"type": "boolean"}, "content": MEDIA}},
    "responses": {"type": "object", "minProperties": 1, "additionalProperties": False, "patternProperties": {"^[1-5](?:[0-9]{2}|XX)$": RESPONSE}},
    "security": {"type": "array", "items": {"type": "object", "additionalProperties": {"type": "array"}}}}}
DOCUMENT = {**OBJECT, "required": ["openapi", "info", "paths"], "properties": {
    "openapi": {"type": "string", "pattern": r"^3\.1\.\d+$"},
    "info": {**OBJECT, "required": ["title", "version"], "properties": {k: {"type": "string"} for k in ("title", "version", "description")}},
    "jsonSchemaDialect": {"type": "string"},
    "tags": {"type": "array", "items": {**OBJECT, "required": ["name"], "properties": {"name": {"type": "string"}, "description": {"type": "string"}}}},
    "paths": {"type": "object", "additionalProperties": False, "patternProperties": {"^/": {
        **OBJECT, "properties": {m: OPERATION for m in ("get", "put", "post", "delete", "patch", "head")}}}},
    "components": {**OBJECT, "properties": {
        "schemas": {"type": "object", "additionalProperties": False, "patternProperties": {r"^[A-Za-z0-9._-]+$": {"type": ["object", "boolean"]}}},
        "responses": {"type": "object", "additionalProperties": RESPONSE},
        "securitySchemes": {"type": "object", "additionalProperties": {"type": "object", "required": ["type"]}}}}}}


def walk(value):
    yield value
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from walk(child)


def resolve(document, reference):
    at = document
    for part in reference.removeprefix("#/").split("/"):
        at = at[part.replace("~1", "/").replace("~0", "~")]
    return at


def check_examples(document):
    """Each example has the schema beside it; with tags, each operation has one of them, and an example where it has JSON."""
    names = {tag["name"] for tag in document.get("tags", [])}
    used, complete = set(), bool(names)
    for value in walk(document["paths"]):
        if isinstance(value, dict) and "schema" in value:
            is_json = "in" in value  # a parameter; of a body its media type says so, below
            if complete and is_json:
                assert "example" in value, f"no example: {value}"
            if "example" in value:
                whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", "components": document["components"], **value["schema"]}
                jsonschema.Draft202012Validator(whole).validate(value["example"])
    for template, item in document["paths"].items():
        for operation in item.values():
            tags = operation.get("tags", [])
            assert not complete or len(tags) == 1, template + " has no tag"
            assert set(tags) <= names, template + ": a tag that is not declared"
            used |= set(tags)
            for body in (operation.get("requestBody"), operation["responses"].get("200")):
                media = (body or {}).get("content", {}).get("application/json")
                assert not complete or media is None or "example" in media, template + " has no example"
    assert used == names, f"tags without an operation: {names - used}"


def main(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    jsonschema.Draft202012Validator(DOCUMENT).validate(document)
    for schema in document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
    for value in walk(document):
        if isinstance(value, dict) and isinstance(value.get("$ref"), str):
            resolve(document, value["$ref"])
        if isinstance(value, dict) and "schema" in value and isinstance(value["schema"], dict):
            jsonschema.Draft202012Validator.check_schema(value["schema"])
    check_examples(document)
    names = set()
    schemes = document["components"]["securitySchemes"]
    for template, item in document["paths"].items():
        for operation in item.values():
            assert operation["operationId"] not in names, operation["operationId"] + " is there twice"
            names.add(operation["operationId"])
            declared = {p["name"] for p in operation.get("parameters", []) if p["in"] == "path"}
            assert declared == set(re.findall(r"{([^}]+)}", template)), template + ": parameters differ from the template"
            for requirement in operation.get("security", []):
                assert set(requirement) <= set(schemes), template + ": unknown security scheme"


if __name__ == "__main__":
    main(sys.argv[1])
