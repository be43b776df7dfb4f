"""A page as one file: a template, with styles, scripts and data inside it.

The data stands in a script element as JSON, which no browser runs. The styles and the script are named by their digests
in the page's Content-Security-Policy: nothing else is run, and nothing is loaded from anywhere.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from typing import Any

import jinja2
import msgspec
from markupsafe import Markup

import wireproof

#: Characters that could end the script element, or a line of script, as JSON escapes.
_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def json_for_script(data: Any) -> str:
    """JSON that can stand in a script element."""
    text = msgspec.json.encode(data).decode()
    for character, escape in _ESCAPES.items():
        text = text.replace(character, escape)
    return text


def page(name: str, data: Mapping[str, Any], **said: str) -> str:
    """The page of the template `name`, with its data; `said`: what the template shows without a script."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("wireproof.html"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )

    def text_of(*files: str) -> str:
        texts = (environment.loader.get_source(environment, file)[0] for file in files if environment.loader)
        return "\n".join(text.strip() for text in texts) + "\n"

    style, script = text_of("style.css"), text_of("common.js", f"{name}.js")
    policy = f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; base-uri 'none'"
    return environment.get_template(f"{name}.html").render(
        policy=f"{policy}; form-action 'none'",
        style=Markup(style),  # noqa: S704 (the project's own file)
        script=Markup(script),  # noqa: S704 (the project's own files)
        data=Markup(json_for_script(data)),  # noqa: S704 (escaped for a script element)
        kit=wireproof.__version__,
        **said,
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
