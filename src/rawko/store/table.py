"""A derived SQLite file: opened when it is first asked, thrown away when it cannot answer.

SQLite's rollback journal is used throughout: its other mode maps a file that anyone may cut short.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from typing import TYPE_CHECKING, Any

from rawko.store.log import Broken, stamp_of_file

if TYPE_CHECKING:
    from collections.abc import Iterator

_REFUSALS = (sqlite3.Error, ValueError, OverflowError, TypeError)
_PATIENCE = 10.0


class Table:
    """One SQLite file of ours with its schema and format, or a table in memory where there is no path."""

    def __init__(self, path: str | None, schema: str, version: int) -> None:
        self._path = path
        self._schema = schema
        self._version = version
        self._connection: sqlite3.Connection | None = None
        self._abandoned: list[sqlite3.Connection] = []
        self._inode = 0

    def ask(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows that answer a query. Raises Broken."""
        try:
            return self._open().execute(query, values).fetchall()
        except _REFUSALS as error:
            raise Broken(str(error)) from error

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Let several questions see one and the same state."""
        connection = self._begin("BEGIN")
        try:
            yield
        finally:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("COMMIT")

    @contextlib.contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """A connection whose changes are all made, or none of them. Raises Broken."""
        connection = self._begin("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException as error:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            if isinstance(error, _REFUSALS):
                raise Broken(str(error)) from error
            raise

    def discard(self) -> None:
        """Remove the file."""
        self.close()
        for suffix in ("", "-journal"):
            with contextlib.suppress(OSError):
                os.unlink(f"{self._path or ''}{suffix}")

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def close_if_replaced(self) -> None:
        """Close the connection to a file that is no longer the one under its name."""
        with contextlib.suppress(OSError):
            if self._connection is not None and os.stat(self._path or "").st_ino != self._inode:
                self.close()

    def abandon(self) -> None:
        """Leave the connection alone: a fork must neither use nor close its parent's."""
        if self._connection is not None:
            self._abandoned.append(self._connection)
            self._connection = None

    def _begin(self, how: str) -> sqlite3.Connection:
        try:
            connection = self._open()
            connection.execute(how)
        except _REFUSALS as error:
            raise Broken(str(error)) from error
        return connection

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            with contextlib.suppress(OSError):  # SQLite has its own words for what is missing or refused
                stamp_of_file(self._path or "")
            self._connection = self._connected()
            with contextlib.suppress(OSError):
                self._inode = os.stat(self._path or "").st_ino
        return self._connection

    def _connected(self) -> sqlite3.Connection:
        path = self._path or ":memory:"
        connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version != self._version:
                self._prepare(connection, version)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection, version: int) -> None:
        if version:
            raise sqlite3.DatabaseError(f"the file has format {version}")
        connection.executescript(f"BEGIN EXCLUSIVE; PRAGMA user_version = {self._version}; {self._schema} COMMIT;")
