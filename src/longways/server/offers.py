"""Which languages the server translates between, and the models that do it.

A model is opened when it is first asked for, and then stays open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from longways.server.batches import Batcher
from longways.server.errors import RequestError
from longways.server.settings import ServerSettings
from longways.text.languages.codes import best_code, language_tag, main_language
from longways.text.languages.identify import Identified, identified
from longways.translation.installed.choice import fitting
from longways.translation.installed.found import InstalledModel, installed_models
from longways.translation.installed.lookup import find_model
from longways.translation.model_folder import ModelFolder
from longways.translation.translator import load


@dataclass(frozen=True)
class Pair:
    """A source and a target language."""

    source: str
    target: str


class Offers:
    """The models of a server."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.models = _offered(settings.models)
        self._open: dict[Path, Batcher] = {}
        self._lock = Lock()

    @property
    def pairs(self) -> list[Pair]:
        """All pairs of languages, without repetitions."""
        return list(dict.fromkeys(Pair(one.source, one.target) for one in self.models))

    @property
    def sources(self) -> list[str]:
        """The languages that are translated from."""
        return list(dict.fromkeys(pair.source for pair in self.pairs))

    def detect(self, text: str) -> Identified:
        """The language of a text, among those that are translated from or into."""
        codes = dict.fromkeys([*self.sources, *(pair.target for pair in self.pairs)])
        return identified(text, codes)

    def model(self, source: str | None, target: str, text: str = "") -> InstalledModel:
        """The model for two languages; without a source, that of the text."""
        codes = [pair.source for pair in self.pairs if _writes(pair, target)]
        if source is None:
            source = identified(text, codes).language or next(iter(codes), None)
        models = fitting(self.models, source, target)
        if not models:
            known = ", ".join(f"{pair.source} to {pair.target}" for pair in self.pairs) or "nothing"
            raise RequestError(
                f"No model here translates from {source or 'any language'} to {target}. "
                f"This server translates {known}."
            )
        return models[0]

    def opened(self, model: InstalledModel) -> Batcher | None:
        """The queue of a model that is open."""
        return self._open.get(model.folder)

    def batcher(self, model: InstalledModel) -> Batcher:
        """The queue of a model, which is opened now if it is not open yet."""
        with self._lock:
            if model.folder not in self._open:
                translator = load(model.folder, threads=self.settings.threads)
                self._open[model.folder] = Batcher(translator, self.settings.max_waiting)
            return self._open[model.folder]

    def close(self) -> None:
        """Finish all requests, and close all models."""
        with self._lock:
            for batcher in self._open.values():
                batcher.close()
            self._open.clear()


def _offered(names: Sequence[str]) -> list[InstalledModel]:
    """The models with these names or folders; all installed ones that work, without any."""
    if not names:
        return [model for model in installed_models() if model.error is None]
    return [_opened(name) for name in names]


def _opened(name: str) -> InstalledModel:
    folder = find_model(name)
    text = ModelFolder.read(folder).text
    return InstalledModel(name, folder, "", text.source_language, text.target_language)


def _writes(pair: Pair, target: str) -> bool:
    return best_code([pair.target], target) is not None


def as_code(code: str) -> str:
    """A language code in the form of LibreTranslate: two letters, with a script if it matters."""
    tag = language_tag(code)
    return main_language(code) if tag.lower() in ("zh-cn", "zh-hans") else tag
