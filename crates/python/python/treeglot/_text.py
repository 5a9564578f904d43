"""Words out of text, and text out of words."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, overload

from . import _treeglot

# Texts that are cut at a time, where they come from an iterator.
_BLOCK = 4096


class _Cutter:
    def __init__(self, raw: Any) -> None:
        self._raw = raw

    @overload
    def __call__(self, text: str) -> str: ...
    @overload
    def __call__(self, text: list[str] | tuple[str, ...]) -> list[str]: ...
    @overload
    def __call__(self, text: Iterator[str]) -> Iterator[str]: ...
    def __call__(self, text: str | Iterable[str]) -> str | list[str] | Iterator[str]:
        if isinstance(text, str):
            return str(self._raw.one(text))
        if isinstance(text, (list, tuple)):
            return list(self._raw.many(text))
        return self._streamed(iter(text))

    def _streamed(self, texts: Iterator[str]) -> Iterator[str]:
        while block := list(islice(texts, _BLOCK)):
            yield from self._raw.many([text.rstrip("\r\n") for text in block])


class Tokenizer(_Cutter):
    """Cuts text of a language into words, as ``treeglot tokenize`` does.

    European languages by Moses' rules, Chinese and Japanese by dictionaries.

    >>> tokenize = Tokenizer("de")
    >>> tokenize("Die Katze (sie heißt Mo) schläft.")
    'Die Katze ( sie heißt Mo ) schläft .'
    >>> tokenize(["Wer?", "Ich."])
    ['Wer ?', 'Ich .']
    """

    def __init__(
        self,
        lang: str,
        *,
        lower: bool = False,
        aggressive: bool = False,
        escape: bool = True,
        nfc: bool = False,
        normalize_punctuation: bool = False,
        prefixes: str | os.PathLike[str] | None = None,
    ) -> None:
        super().__init__(_treeglot.Tokenizer(lang, lower, aggressive, escape, nfc, normalize_punctuation, prefixes))


class Detokenizer(_Cutter):
    """Joins words to text, as ``treeglot detokenize`` does.

    >>> Detokenizer("de")("Die Katze ( sie heißt Mo ) schläft .")
    'Die Katze (sie heißt Mo) schläft.'
    """

    def __init__(self, lang: str, *, unescape: bool = True, recase: bool = False) -> None:
        super().__init__(_treeglot.Detokenizer(lang, unescape, recase))


def tokenize(text: Any, lang: str, **options: Any) -> Any:
    """Cut a text, or each of several, into words with blanks between them.

    A list gives a list, an iterator an iterator.

    >>> tokenize("It's done.", "en")
    'It &apos;s done .'
    >>> tokenize("It's done.", "en", escape=False)
    "It 's done ."
    """
    return Tokenizer(lang, **options)(text)


def detokenize(text: Any, lang: str, **options: Any) -> Any:
    """Join words to text.

    >>> detokenize("It &apos;s done .", "en")
    "It's done."
    """
    return Detokenizer(lang, **options)(text)


def split_sentences(text: str, lang: str) -> list[str]:
    """Cut a paragraph into sentences.

    >>> split_sentences("Dr. Meier schläft. Sie liest.", "de")
    ['Dr. Meier schläft.', 'Sie liest.']
    """
    return _treeglot.split_sentences(text, lang)


def languages() -> list[str]:
    """List the codes of the languages that have rules of their own."""
    return _treeglot.languages()
