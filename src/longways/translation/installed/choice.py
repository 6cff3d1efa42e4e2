"""Which installed model translates between two languages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from longways.errors import CheckpointError
from longways.text.languages.codes import is_traditional, language_tag, main_language
from longways.translation.installed.found import (
    ADDED,
    BUNDLED,
    InstalledModel,
    check_usable,
)

_NAMED = 8
"""The most models that a message names."""


class Choice(NamedTuple):
    """The model that is taken, and the others that translate between the same languages."""

    model: InstalledModel
    others: Sequence[InstalledModel] = ()

    @property
    def note(self) -> str:
        """Which of several models is taken and how to choose; empty if there is one."""
        if not self.others:
            return ""
        names = ", ".join(model.name for model in self.others[:_NAMED])
        why = {
            ADDED: "since you have added it",
            BUNDLED: "since it is bundled",
        }.get(self.model.origin, f"from the package {self.model.origin}")
        return (
            f"{len(self.others) + 1} models translate from {self.model.source} to "
            f"{self.model.target}: {self.model.name} is taken, {why}; the others are {names}. "
            f"Choose with --model NAME."
        )


def fitting(
    models: Sequence[InstalledModel], source: str | None, target: str | None
) -> list[InstalledModel]:
    """The models for two languages, the best first; None is any language.

    zh_CN, zho and zh-Hans are zh. A model for simplified Chinese reads traditional Chinese, but
    does not write it.
    """
    found = [
        model
        for model in models
        if reads(model, source) and writes(model, target) and model.source and model.target
    ]
    wanted = [code and language_tag(code) for code in (source, target)]

    def other(model: InstalledModel) -> tuple[bool, bool]:
        tags = language_tag(model.source), language_tag(model.target)
        differs = [code not in (None, tag) for code, tag in zip(wanted, tags, strict=True)]
        return differs[1], differs[0]

    return sorted(found, key=other)


def reads(model: InstalledModel, source: str | None) -> bool:
    """Whether a model translates from a language."""
    return source is None or main_language(model.source) == main_language(source)


def writes(model: InstalledModel, target: str | None) -> bool:
    """Whether a model translates into a language."""
    return target is None or (
        main_language(model.target) == main_language(target)
        and is_traditional(model.target) == is_traditional(target)
    )


def chosen(models: Sequence[InstalledModel], source: str | None, target: str | None) -> Choice:
    """The model for two languages; the error says what is installed and how to get others."""
    found = fitting(models, source, target)
    usable = [model for model in found if model.error is None]
    if not usable:
        if found:
            check_usable(found[0])
        raise no_model(models, source, target)
    first, *others = usable
    same = [m for m in others if reads(m, first.source) and writes(m, first.target)]
    return Choice(first, same)


def no_model(
    models: Sequence[InstalledModel], source: str | None, target: str | None
) -> CheckpointError:
    """The error where no installed model translates between two languages."""
    names = [f"{model.name} ({model.languages})" for model in models[:_NAMED]]
    more = " and others" if len(models) > _NAMED else ""
    has = f"Installed are: {', '.join(names)}{more}." if names else "None is installed."
    command = "`longways import`"
    if source and target:
        pair = f"{main_language(source)}-{main_language(target)}"
        command = f"longways import opus-mt-{pair} -o {pair}; longways models add {pair}"
    return CheckpointError(
        f"No installed model translates from {source or 'any language'} into "
        f"{target or 'any language'}. {has} Add a folder, a wheel or a package with `longways "
        f"models add`, or import an OPUS-MT model and add it: {command}"
    )
