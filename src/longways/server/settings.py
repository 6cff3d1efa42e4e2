"""Settings of the server. Loads without FastAPI."""

from __future__ import annotations

from dataclasses import dataclass

from longways.errors import ConfigError

LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, kw_only=True)
class ServerSettings:
    """How the server listens, and what it accepts."""

    host: str = "127.0.0.1"
    """The address to listen at."""
    port: int = 7300
    """The port to listen at; 0 takes a free one."""
    models: tuple[str, ...] = ()
    """Names or folders of the models to offer; by default all installed ones."""
    threads: int | None = None
    """CPU threads of each model; None: the runtime's own choice."""
    beam: int = 4
    """Hypotheses of the beam search."""
    max_characters: int = 100_000
    """Characters of the texts of one request."""
    max_texts: int = 1_000
    """Texts in one request."""
    max_waiting: int = 256
    """Requests that wait for a model; more are told to come back later."""

    def __post_init__(self) -> None:
        for name in ("beam", "max_characters", "max_texts", "max_waiting"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} is {getattr(self, name)}, but it must be at least 1.")
        if not 0 <= self.port <= 65_535:
            raise ConfigError(f"The port is {self.port}, but it must be from 0 to 65535.")
        if self.host not in LOOPBACK:
            raise ConfigError(
                f"The host is {self.host}, but this server has no keys yet, so it listens to this "
                "machine only. Use 127.0.0.1, with a proxy that checks who asks in front of it."
            )

    @property
    def max_body(self) -> int:
        """The largest body of a request, in bytes: no character has more than six in JSON."""
        return 6 * self.max_characters + 65_536
