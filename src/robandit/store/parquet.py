"""One play as one Parquet file that holds only what the cell, the code and the seed determine."""

import hashlib
import json
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from robandit.lab.trace import Team, Trace

FORMAT = 2
KEY = b"robandit"


class Damaged(Exception):
    """A stored file is not what was written; the message says how."""


def as_bytes(trace: Trace, provenance: dict[str, Any]) -> bytes:
    """The file: one row per run; rounds, gaps, summary, provenance and a checksum of everything in its metadata."""
    table = pa.table(
        {
            "regret": rows(trace.regret),
            "corruption_paid": rows(trace.corruption_paid),
            "pulls": rows(trace.pulls),
            "rounds_changed": pa.array(trace.rounds_changed),
            **{name: rows(column.reshape(len(trace.regret), -1)) for name, column in wider(trace).items()},
        }
    )
    metadata = {
        "format": FORMAT,
        "rounds": trace.rounds.tolist(),
        "gaps": trace.gaps.tolist(),
        **({} if trace.team is None else {"message_size": trace.team.numbers}),
        "engine": trace.engine,
        "summary": trace.summary(),
        "provenance": provenance,
    }
    metadata["checksum"] = checksum(trace, metadata)
    sink = pa.BufferOutputStream()
    schema = {KEY: json.dumps(metadata, sort_keys=True).encode()}
    pq.write_table(table.replace_schema_metadata(schema), sink, compression="zstd", write_statistics=False)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def from_bytes(content: bytes) -> tuple[Trace, dict[str, Any]]:
    """The trace and the provenance, or Damaged."""
    try:
        table = pq.read_table(pa.BufferReader(content))
        metadata = json.loads(table.schema.metadata[KEY])
        trace = Trace(
            np.array(metadata["rounds"], dtype=np.int64),
            matrix(table["regret"]),
            matrix(table["corruption_paid"]),
            matrix(table["pulls"]),
            table["rounds_changed"].to_numpy(),
            gaps=np.array(metadata["gaps"], dtype=np.float64),
            engine=metadata["engine"],
            nanoseconds=float("nan"),
            **read_wider(table, metadata),
        )
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError) as error:
        raise Damaged(f"it cannot be read ({type(error).__name__})") from error
    if metadata.pop("checksum", None) != checksum(trace, metadata):
        raise Damaged("its checksum does not match")
    provenance: dict[str, Any] = metadata["provenance"]
    return trace, provenance


def checksum(trace: Trace, metadata: dict[str, Any]) -> str:
    """A digest of every number and word in the file."""
    digest = hashlib.sha256(json.dumps(metadata, sort_keys=True).encode())
    for array in (trace.regret, trace.corruption_paid, trace.pulls, trace.rounds_changed, *wider(trace).values()):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def wider(trace: Trace) -> dict[str, Any]:
    """What agents, slates, contexts and checks add, one entry per run; nothing for plain arms."""
    columns = {} if trace.best_rounds is None else {"best_rounds": trace.best_rounds}
    columns |= {} if trace.checks is None else {"checks": trace.checks}
    team = trace.team
    return columns if team is None else {**columns, "team_pulls": team.pulls, "messages": team.messages}


def read_wider(table: Any, metadata: dict[str, Any]) -> dict[str, Any]:
    """The same as a trace holds it."""
    fields: dict[str, Any] = {}
    if "best_rounds" in table.column_names:
        fields["best_rounds"] = matrix(table["best_rounds"]).ravel()
    if "checks" in table.column_names:
        fields["checks"] = matrix(table["checks"]).ravel()
    if "messages" in table.column_names:
        pulls = matrix(table["team_pulls"]).reshape(len(table), -1, len(metadata["gaps"]))
        fields["team"] = Team(pulls, matrix(table["messages"]).ravel(), metadata["message_size"])
    return fields


def rows(array: Any) -> Any:
    """A matrix as one fixed-size list per row."""
    return pa.FixedSizeListArray.from_arrays(pa.array(np.ascontiguousarray(array).ravel()), array.shape[1])


def matrix(column: Any) -> Any:
    """The matrix behind a column of fixed-size lists."""
    combined = column.combine_chunks()
    return combined.flatten().to_numpy().reshape(len(column), -1)
