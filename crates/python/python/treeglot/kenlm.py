"""KenLM's module, over Treeglot's language models: ``import treeglot.kenlm as kenlm`` runs its scripts.

>>> import tempfile, pathlib
>>> import treeglot, treeglot.kenlm as kenlm
>>> folder = tempfile.TemporaryDirectory()
>>> file = pathlib.Path(folder.name, "small.arpa")
>>> _ = treeglot.LanguageModel.build(["the house is small", "the house is old"], order=2, arpa=file)
>>> model = kenlm.Model(str(file))
>>> model
<Model from small.arpa>
>>> state, out = kenlm.State(), kenlm.State()
>>> model.BeginSentenceWrite(state)
>>> total = model.BaseScore(state, "the", out) + model.BaseScore(out, "house", state)
>>> abs(total - model.score("the house", eos=False)) < 1e-5
True
>>> folder.cleanup()
"""

from __future__ import annotations

import os
from typing import Any, cast

from ._lm import LanguageModel as _LanguageModel
from ._treeglot import FullScore as FullScoreReturn
from ._treeglot import State

__all__ = ["ARPALoadComplain", "Config", "FullScoreReturn", "LanguageModel", "LoadMethod", "Model", "State"]


class LoadMethod:
    """How KenLM reads files. Treeglot's own are mapped, and ARPA is read: all methods are one here."""

    LAZY = 0
    POPULATE_OR_LAZY = 1
    POPULATE_OR_READ = 2
    READ = 3
    PARALLEL_READ = 4


class ARPALoadComplain:
    """When KenLM complains that a file is ARPA. Treeglot does not."""

    ALL = 0
    EXPENSIVE = 1
    NONE = 2


class Config:
    """KenLM's configuration: kept, and without consequence."""

    def __init__(self) -> None:
        self.load_method = LoadMethod.POPULATE_OR_READ
        self.show_progress = True
        self.arpa_complain = ARPALoadComplain.ALL


class Model(_LanguageModel):
    """A model from an ARPA file, or a binary file of ``treeglot lm build``."""

    path: bytes

    def __new__(cls, path: str | bytes | os.PathLike[str], config: Config | None = None) -> Model:
        """Open a model; what cannot be read is an ``OSError``, as with KenLM."""
        if not isinstance(path, (str, bytes, os.PathLike)):
            raise TypeError(f"Cannot convert {type(path)} to string")
        try:
            model = cast(Model, super().__new__(cls, os.path.abspath(os.fsdecode(path))))
        except (OSError, ValueError) as error:
            raise OSError(f"Cannot read model '{os.fsdecode(path)}' ({error})") from error
        model.path = os.path.abspath(os.fsencode(path))
        return model

    def __repr__(self) -> str:
        return f"<Model from {os.path.basename(os.fsdecode(self.path))}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.path,))


class LanguageModel(Model):
    """The old name of :class:`Model`."""
