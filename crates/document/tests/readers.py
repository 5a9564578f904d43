"""Reads a document and its translation with the packages that people read such documents with, and compares what must be equal.

Usage: readers.py html|po|srt ORIGINAL TRANSLATED; what differs ends with an assertion.
"""

import sys
from collections import Counter
from pathlib import Path

import html5lib
import polib
import srt


def html(original: str, translated: str) -> None:
    """Elements and attributes are the same, and there is no fault that was not there; colours of confidence may be added."""

    def parsed(page: str) -> tuple[Counter, list]:
        parser = html5lib.HTMLParser(html5lib.getTreeBuilder("etree"), namespaceHTMLElements=False)
        tree = parser.parse(page)
        kept = [one for one in tree.iter() if isinstance(one.tag, str) and one.get("class") != "confidence"]
        return Counter((one.tag, *sorted(one.attrib.items())) for one in kept), [code for _, code, _ in parser.errors]

    (before, faults), (after, new) = parsed(original), parsed(translated)
    assert before == after, (before - after, after - before)
    assert Counter(new) <= Counter(faults), new


def po(original: str, translated: str) -> None:
    """Entries, comments and finished translations are the same; all that can be translated is."""
    before, after = polib.pofile(original), polib.pofile(translated)
    assert before.metadata == after.metadata
    assert len(before) == len(after)
    for one, other in zip(before, after, strict=True):
        assert (one.msgid, one.msgctxt, one.comment, one.occurrences) == (
            other.msgid,
            other.msgctxt,
            other.comment,
            other.occurrences,
        )
        if one.translated() or one.obsolete:
            assert one.msgstr == other.msgstr
        else:
            assert other.fuzzy, other
            assert other.msgstr or all(other.msgstr_plural.values()), other


def subtitles(original: str, translated: str) -> None:
    """Numbers and times are the same, and so is the number of lines."""
    before, after = list(srt.parse(original)), list(srt.parse(translated))
    assert len(before) == len(after)
    for one, other in zip(before, after, strict=True):
        assert (one.index, one.start, one.end, one.proprietary) == (other.index, other.start, other.end, other.proprietary)
        assert one.content.count("\n") >= other.content.count("\n"), (one, other)


if __name__ == "__main__":
    kind, *files = sys.argv[1:]
    compare = {"html": html, "po": po, "srt": subtitles}[kind]
    compare(*[Path(file).read_text(encoding="utf-8") for file in files])
