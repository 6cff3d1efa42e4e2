"""What can go wrong, as a family.

    LongwaysError              everything a user can cause and mend
    |-- ConfigError            a setting is unknown, of the wrong type, or out of range
    |-- ShapeError             tensors that do not belong together
    |-- CorpusError            a corpus, or prepared data, cannot be used as it is
    |-- TextError              a text pipeline cannot be learned, loaded or applied
    |   `-- FormatError        a file is not what its format says, beyond mending
    |-- WindowError            a window is longer than the model has positions
    |-- DiskFull               there is no space left where something is to be written
    `-- CheckpointError        a model folder cannot be used
        |-- DamagedCheckpoint  a file is missing, cut short, or does not fit its config
        |-- NewerCheckpoint    written by a later version of the format
        `-- UnsafeCheckpoint   a pickle: loading it could run code, so we never do

Every message says what is wrong, where, and how to mend it. The command line prints it without a
traceback and exits with code 2.
"""


class LongwaysError(Exception):
    """Everything a user can cause and mend."""


class ConfigError(LongwaysError):
    """A setting is unknown, of the wrong type, or out of range."""


class ShapeError(LongwaysError):
    """Tensors that do not belong together."""


class CorpusError(LongwaysError):
    """A corpus, or prepared data, cannot be used as it is."""


class TextError(LongwaysError):
    """A text pipeline cannot be learned, loaded or applied."""


class FormatError(TextError):
    """A file is not what its format says, beyond mending."""


class WindowError(LongwaysError):
    """A window is longer than the model has positions."""


class DiskFull(LongwaysError):
    """There is no space left where something is to be written."""


class CheckpointError(LongwaysError):
    """A model folder cannot be used."""


class DamagedCheckpoint(CheckpointError):
    """A file is missing, cut short, or does not fit its config."""


class NewerCheckpoint(CheckpointError):
    """Written by a later version of the format."""


class UnsafeCheckpoint(CheckpointError):
    """A pickle: loading it could run code, so we never do."""


_NO_MEMORY = "out of memory", "can't allocate memory", "failed to allocate", "bad_alloc"
"""How torch, ONNX Runtime and C++ say so."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error, of whatever library, is about memory that could not be had."""
    said = str(error).lower()
    return isinstance(error, MemoryError) or any(words in said for words in _NO_MEMORY)
