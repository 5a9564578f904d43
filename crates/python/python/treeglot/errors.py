"""What can go wrong, as exceptions.

>>> import treeglot
>>> try:
...     treeglot.align(["das Haus", "ein Buch"], ["the house"])
... except treeglot.Error as error:
...     print(error, error.file, error.line, sep=" | ")
source:2: this line has no partner: target has only 1 lines | source | 2
"""

from __future__ import annotations

import errno as _errno
import os as _os


class Error(ValueError):
    """Something that was given cannot be used. The message names file and line, where there are some."""

    file: str | None = None
    """The file, or what a list or an iterator is called, as ``source``."""
    line: int | None = None
    """The line, from 1."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class FileMissingError(FileError, FileNotFoundError):
    """There is no such file."""


class InternalError(Error, RuntimeError):
    """A fault of Treeglot itself: please report it."""


_NUMBERS = {"NotFound": _errno.ENOENT, "PermissionDenied": _errno.EACCES, "IsADirectory": _errno.EISDIR}


def make(
    message: str,
    *,
    file: str | None = None,
    line: int | None = None,
    number: int | None = None,
    kind: str | None = None,
) -> Error:
    """Make the exception for an error of the library."""
    error: Error
    if kind is not None:
        number = number if number is not None else _NUMBERS.get(kind)
        missing = number == _errno.ENOENT or "there is no such file" in message
        error = (FileMissingError if missing else FileError)(message)
        error.errno = number
        error.strerror = _os.strerror(number) if number is not None else message
        error.filename = file
    elif message.startswith("a fault of treeglot itself"):
        error = InternalError(message)
    elif message.endswith("there is no such file"):
        error = FileMissingError(message)
    else:
        error = Error(message)
    error.file, error.line = file, line
    return error
