"""The tree of errors.

    LongwaysError              an error that a user can cause and fix
    |-- ConfigError            a setting is unknown, of the wrong type, or out of range
    |-- ShapeError             tensors whose shapes do not fit together
    |-- CorpusError            a corpus, or prepared data, cannot be used as it is
    |-- TextError              a text pipeline cannot be learned, loaded or applied
    |   `-- FormatError        a file violates its format and cannot be repaired
    |-- WindowError            a window is longer than the model has positions
    |-- DiskFull               the disk has no space left for a file
    `-- CheckpointError        a model folder cannot be used
        |-- DamagedCheckpoint  a file is missing, truncated, or does not fit its config
        |-- NewerCheckpoint    the folder has a later format version
        `-- UnsafeCheckpoint   the file is a pickle, which is never loaded: it could run code

Every message says what is wrong, where, and how to fix it. The command line prints it without a
traceback and exits with code 2.
"""


class LongwaysError(Exception):
    """An error that a user can cause and fix."""


class ConfigError(LongwaysError):
    """A setting is unknown, of the wrong type, or out of range."""


class ShapeError(LongwaysError):
    """Tensors have shapes that do not fit together."""


class CorpusError(LongwaysError):
    """A corpus, or prepared data, cannot be used as it is."""


class TextError(LongwaysError):
    """A text pipeline cannot be learned, loaded or applied."""


class FormatError(TextError):
    """A file violates its format and cannot be repaired."""


class WindowError(LongwaysError):
    """A window is longer than the model has positions."""


class DiskFull(LongwaysError):
    """The disk has no space left for a file."""


class CheckpointError(LongwaysError):
    """A model folder cannot be used."""


class DamagedCheckpoint(CheckpointError):
    """A file is missing, truncated, or does not fit its config."""


class NewerCheckpoint(CheckpointError):
    """The folder has a later format version."""


class UnsafeCheckpoint(CheckpointError):
    """The file is a pickle, which is never loaded: it could run code."""


def unreadable(name: object, error: OSError) -> str:
    """The message for a file that cannot be read: it vanished, is protected, or is no file."""
    return f"{name} cannot be read: {error.strerror}. Check that it is a file you may read."


_OUT_OF_MEMORY = "out of memory", "can't allocate memory", "failed to allocate", "bad_alloc"
"""Words in the out-of-memory errors of torch, ONNX Runtime and C++."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error of any library means that memory could not be allocated."""
    message = str(error).lower()
    return isinstance(error, MemoryError) or any(words in message for words in _OUT_OF_MEMORY)
