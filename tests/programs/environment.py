"""As a module and as a program: answers with what RUST_BACKTRACE is in its environment."""

from __future__ import annotations

import os

SET = os.environ.get("RUST_BACKTRACE", "not set")


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> str:
    """The setting."""
    return SET


if __name__ == "__main__":
    from program import Question, answer, serve

    def act(question: Question) -> None:
        """The setting, at the culprit."""
        answer({"seq": question["seq"], "value": SET})

    serve(act)
