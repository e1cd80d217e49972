"""The service's log: one line per event, as text or as JSON, by the standard library's logging.

An event has a name that stays the same for programs, a sentence for people, and fields. What visitors send (sources,
units, rewards, contexts) and what clients must keep secret (tokens, decision ids) is in none of them.
"""

import json
import logging
import re
import sys
import time
from typing import Any, NamedTuple

LOG = logging.getLogger("robandit.service")
FORMATS = ("text", "json")
LEVELS = ("debug", "info", "warning", "error")
ID = re.compile(rb"[\w.:/+=-]{1,100}").fullmatch
OTHERS = ("uvicorn", "asyncio")  # libraries whose warnings belong into the same log


def log_event(level: int, event: str, sentence: str, **fields: Any) -> None:
    """Log an event.

    Args:
        level: one of logging's.
        event: its name, for programs: words with underscores.
        sentence: for people.
        fields: further values, for programs.
    """
    if LOG.isEnabledFor(level):
        LOG.log(level, "%s", sentence, extra={"event": event, "fields": fields})


def log_fault(error: BaseException) -> None:
    """Log a fault of ours, with the place where it happened."""
    LOG.error("%s", f"a request failed: {error!r}", exc_info=error, extra={"event": "fault"})


def request_id(header: bytes | None) -> bytes | None:
    """Returns the id that a client or a proxy gave to a request (X-Request-Id), if it can stand in a log."""
    return header if header is not None and ID(header) else None


def log_request(summary: str, status: int, began: float, id: bytes | None) -> None:
    """Log one request: its kind, not its address, which may name a source.

    Args:
        summary: what it asks for.
        status: of the answer.
        began: when, by time.perf_counter.
        id: that it came with.
    """
    fields: dict[str, Any] = {"status": status, "ms": round(1000 * (time.perf_counter() - began), 2)}
    if id is not None:
        fields["request"] = id.decode()
    log_event(logging.INFO, "request", summary, **fields)


class LineFormatter(logging.Formatter):
    """One line per event: time, level, event, sentence, fields."""

    def format(self, record: logging.LogRecord) -> str:
        words = [utc(record), record.levelname.lower(), event_of(record), one_line(record.getMessage())]
        words += [f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in fields_of(record).items()]
        text = " ".join(words)
        return text if record.exc_info is None else f"{text}\n{self.formatException(record.exc_info)}"


class JsonFormatter(logging.Formatter):
    """One JSON object per event."""

    def format(self, record: logging.LogRecord) -> str:
        entry = {"time": utc(record), "level": record.levelname.lower(), "event": event_of(record)}
        entry |= {"message": record.getMessage(), **fields_of(record)}
        if record.exc_info is not None:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry, ensure_ascii=False)


def utc(record: logging.LogRecord) -> str:
    """Returns when an event was, to the millisecond."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z"


def event_of(record: logging.LogRecord) -> str:
    """Returns the name of an event; that of the logger for one of a library."""
    return str(getattr(record, "event", record.name))


def fields_of(record: logging.LogRecord) -> dict[str, Any]:
    """Returns an event's further values."""
    fields: dict[str, Any] = getattr(record, "fields", {})
    return fields


def one_line(text: str) -> str:
    """Returns a text without line breaks: nobody can write a second line into the log."""
    return text.replace("\r", "\\r").replace("\n", "\\n")


class LogSettings(NamedTuple):
    """What is logged, and how."""

    form: str = "text"  # one of FORMATS
    level: str = "warning"  # one of LEVELS
    access: bool = False  # whether every request is


def begin_logging(settings: LogSettings) -> None:
    """Write events to standard error."""
    level = "info" if settings.access and settings.level != "debug" else settings.level
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if settings.form == "json" else LineFormatter())
    for logger, threshold in ((LOG, level), *((logging.getLogger(name), "warning") for name in OTHERS)):
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(threshold.upper())
