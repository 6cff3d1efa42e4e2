"""Export a model folder: a copy of the folder with ONNX graphs instead of torch weights."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from longways.atomic_folder import atomic_folder
from longways.decoding.onnx.session import (
    ALIGNMENT_FILE,
    CONSTANTS_FILE,
    DECODER_FILE,
    ENCODER_FILE,
    GRAPH_FILES,
    LARGE_BATCH_DECODER_FILE,
    checksums,
)
from longways.decoding.shortlist.folder import SHORTLIST_FOLDER, StoredShortlist
from longways.errors import ConfigError
from longways.export.constants import Constants
from longways.export.model_graphs import alignment_graph, decoder_graph, encoder_graph
from longways.export.quantise import Int8
from longways.export.shortlist.folder import add_shortlist
from longways.export.weights import Float32, Weights
from longways.model.alignment_heads import AlignmentHead, alignment_heads
from longways.model.checkpoint import load_model
from longways.model.manifest import (
    CONFIG_FILE,
    WEIGHTS_FILE,
    ModelManifest,
    read_manifest,
    write_manifest,
)
from longways.model.translation import TranslationModel


def export_model(
    folder: Path,
    out: Path,
    int8: bool = False,
    window: int | None = None,
    shortlist: StoredShortlist | None = None,
) -> None:
    """Export the model in a folder to another folder, with the text pipeline and the model card.

    The new folder is written atomically. `int8` weights make it four times smaller. `window` is the
    default L of translation, if it differs from the L of training.
    """
    if out.resolve() == folder.resolve():
        raise ConfigError(f"{out} is the model itself. Name another folder to export it to.")
    manifest = read_manifest(folder)
    if manifest.model.cross.gate != "none":
        raise ConfigError(
            f"{folder} has a gate in cross attention (cross.gate), which exported models have not. "
            "Such models are for studies: translate with the folder itself."
        )
    if window is not None and manifest.model.is_stream:
        raise ConfigError(
            f"The window is {window}, but {folder} is a stream model, which has no windows: it "
            "reads the whole document so far. Export it without a window."
        )
    if window is not None and not 1 <= window <= int(manifest.facts.get("L", 1)):
        trained = manifest.facts.get("L", 1)
        raise ConfigError(f"The window is {window}, but it must be 1 to {trained}, as trained.")
    model = load_model(folder)
    with atomic_folder(out) as draft:
        _copy_rest(folder, draft)
        heads = alignment_heads(manifest.facts, manifest.model, str(folder / CONFIG_FILE))
        write_graphs(model, draft, Int8() if int8 else Float32(), heads)
        if shortlist:
            add_shortlist(draft, shortlist)
        about = {"weights": "int8" if int8 else "float32", "files": checksums(draft)}
        facts = {**manifest.facts, **({"window": window} if window else {}), "export": about}
        write_manifest(draft, ModelManifest(manifest.model, facts))


def export_with_shortlist(folder: Path, out: Path, shortlist: StoredShortlist) -> None:
    """Copy an exported model to another folder, with a shortlist."""
    if out.resolve() == folder.resolve():
        raise ConfigError(f"{out} is the model itself. Name another folder to export it to.")
    manifest = read_manifest(folder)
    export = dict(manifest.facts.get("export", {}))
    with atomic_folder(out) as draft:
        shutil.copytree(folder, draft, dirs_exist_ok=True)
        add_shortlist(draft, shortlist)
        export["files"] = checksums(draft)
        write_manifest(draft, replace(manifest, facts={**manifest.facts, "export": export}))


def write_graphs(
    model: TranslationModel, draft: Path, weights: Weights, heads: Sequence[AlignmentHead] = ()
) -> None:
    """Write all graphs and their shared constants into an unfinished folder."""
    constants, for_large_batches = Constants(CONSTANTS_FILE), weights.for_large_batches()
    graphs = {
        ENCODER_FILE: encoder_graph(model.eval(), weights, constants),
        DECODER_FILE: decoder_graph(model, weights, constants),
        ALIGNMENT_FILE: alignment_graph(model, weights, constants, heads),
    }
    if for_large_batches is not weights:
        graphs[LARGE_BATCH_DECODER_FILE] = decoder_graph(model, for_large_batches, constants)
    for name, graph in graphs.items():
        (draft / name).write_bytes(graph.SerializeToString())
    (draft / CONSTANTS_FILE).write_bytes(constants.to_bytes())


def _copy_rest(folder: Path, draft: Path) -> None:
    """Copy all files except weights and graphs: the text pipeline, the model card."""
    ignored = shutil.ignore_patterns(WEIGHTS_FILE, SHORTLIST_FOLDER, *GRAPH_FILES)
    shutil.copytree(folder, draft, ignore=ignored, dirs_exist_ok=True)
