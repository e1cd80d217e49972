"""Writes schema.ts: the messages of the service as TypeScript types, from the OpenAPI document that it serves."""

from pathlib import Path
from typing import Any

from robandit.service.openapi import document

HEAD = "// Written by make_types.py from the OpenAPI document: change the messages of the service, not this file.\n"
PLAIN = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean", "null": "null"}


def type_of(schema: dict[str, Any]) -> str:
    """Returns a schema as a type."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "enum" in schema:
        return " | ".join(f'"{value}"' for value in schema["enum"])
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return " | ".join(type_of(one) for one in schema[choice])
    kind = schema.get("type")
    if kind == "array":
        if "prefixItems" in schema:
            return f"[{', '.join(type_of(one) for one in schema['prefixItems'])}]"
        inner = type_of(schema["items"]) if isinstance(schema.get("items"), dict) else "unknown"
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if kind == "object":
        more = schema.get("additionalProperties")
        return f"Record<string, {type_of(more) if isinstance(more, dict) else 'unknown'}>"
    return PLAIN.get(str(kind), "unknown")


def interface(name: str, schema: dict[str, Any]) -> str:
    """Returns one message as an interface."""
    required = schema.get("required", [])
    lines = [f"/** {schema['description']} */"] if "description" in schema else []
    lines.append(f"export interface {name} {{")
    for field, inner in schema.get("properties", {}).items():
        lines.append(f"  {field}{'' if field in required else '?'}: {type_of(inner)};")
    return "\n".join([*lines, "}", ""])


def types() -> str:
    """Returns the whole file."""
    schemas = document()["components"]["schemas"]
    return "\n".join([HEAD, *(interface(name, schemas[name]) for name in sorted(schemas))])


if __name__ == "__main__":
    Path(__file__).with_name("schema.ts").write_text(types())
