"""From a URL, or from the variable that holds one, to a source: which kind it is, and how a file names it."""

from __future__ import annotations

import os
import re
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

import attrs

from rivet_core.config import ConfigurationInvalid, parse
from rivet_core.config.hints import option_fields
from rivet_core.engine.scaffold.text import SourceText, render_source
from rivet_core.errors import EnvironmentFailure, Place, RivetError, UsageError
from rivet_core.types import Secret

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rivet_core.hookspecs import SourceType
    from rivet_core.plugins import Plugins
    from rivet_core.protocols import Source

DEFAULT_VARIABLE: Final = "DATABASE_URL"
#: What a file names instead, when that variable leads to another database.
_OTHER_VARIABLE: Final = "SOURCE_URL"
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
#: Stands for the URL while it is in no file.
_PARAM: Final = "SOURCE_URL"
_ANY_EXPORT: Final = """
exports:
  - {name: any, table: any, format: parquet, destination: {type: local, path: any}}
"""


@attrs.frozen(kw_only=True)
class Origin:
    """A source that a person pointed to.

    :param text: the ``source`` block as it is written.
    :param variable: the variable that the block names, if it names one; it holds the source's URL, or nothing yet.
    :param passed_over: the variable that the block would name if it did not hold something else.
    :param params: what must be set for the block to be read before the variable is.
    """

    declaration: SourceType
    options: Any
    text: SourceText
    variable: str | None
    params: Mapping[str, str]
    passed_over: str | None = None

    def open(self) -> Source:
        """Return the source, closed."""
        return self.declaration.factory(self.options)


def find_origin(
    plugins: Plugins,
    *,
    url: str | None,
    variable: str | None,
    tls: tuple[tuple[str, str], ...],
    folder: Path,
    environ: Mapping[str, str],
) -> Origin:
    """Return what a URL, or else a variable, points to.

    :param tls: the block of that name; paths in it are already relative to the folder.
    :param folder: where the configuration will lie, absolute.
    :raises RivetError: when the URL, or a kind of source that takes it, is not there.
    """
    given = url if url is not None else _value(variable or DEFAULT_VARIABLE, environ)
    declaration = _declaration(plugins, given)
    keys = {field.key for field in option_fields(declaration.options)}
    if tls and "tls" not in keys:
        msg = f"a source of the type {declaration.kind} has no TLS"
        raise UsageError(msg, code="RIVET_CLI_OPTION_UNSUPPORTED", remedy="leave out --tls and --tls-ca")
    asked = SourceText(kind=declaration.kind, keys=(("url", f"${{{_PARAM}}}"),), tls=tls)
    options = _options(asked, plugins, given, folder, environ)
    if url is not None and "path" in keys and "url_env" not in keys:
        # A file has no password, so it is named as it is.
        path = relative_to(unquote(urlsplit(given).path[1:]), folder)
        text = SourceText(kind=declaration.kind, keys=(("path", path),))
        return Origin(declaration=declaration, options=options, text=text, variable=None, params={})
    name = _free_variable(environ, given) if variable is None else _agreeing(variable, environ, given)
    remark = f"The URL is not in this file: set the variable {name} to it."
    key = ("url_env", name) if "url_env" in keys else ("url", f"${{{name}}}")
    text = SourceText(kind=declaration.kind, keys=(key,), tls=tls, remark=remark)
    passed_over = DEFAULT_VARIABLE if variable is None and name != DEFAULT_VARIABLE else None
    return Origin(
        declaration=declaration,
        options=options,
        text=text,
        variable=name,
        params={name: given},
        passed_over=passed_over,
    )


def relative_to(path: str, folder: Path) -> str:
    """Return a path of this process as a file in a folder names it: an absolute one stays as it is."""
    named = path if Path(path).is_absolute() else Path(os.path.relpath(path, folder)).as_posix()
    return named.replace("${", "$${")


def _free_variable(environ: Mapping[str, str], url: str) -> str:
    """Return the first of the usual variables that holds this URL or nothing: the others lead to other databases."""
    names = chain((DEFAULT_VARIABLE, _OTHER_VARIABLE), (f"{_OTHER_VARIABLE}_{number}" for number in count(2)))
    return next(name for name in names if environ.get(name) in {None, "", url})


def _agreeing(variable: str, environ: Mapping[str, str], url: str) -> str:
    """Return the variable that was asked for, unless a run would be led elsewhere by it."""
    if environ.get(variable) in {None, "", url}:
        return variable
    msg = f"--source is not what the variable {variable} holds, which a run would read instead"
    raise UsageError(
        msg,
        code="RIVET_CLI_OPTION_UNSUPPORTED",
        remedy=f"leave out --source, or name another variable, or set {variable} to this URL first",
    )


def _value(variable: str, environ: Mapping[str, str]) -> str:
    value = environ.get(variable)
    if not value:
        msg = f"the variable {variable} is not set"
        raise EnvironmentFailure(
            msg, code="RIVET_CONFIG_SECRET_UNSET", remedy=f"set {variable} to the source's URL, or give --source URL"
        )
    return value


def _declaration(plugins: Plugins, url: str) -> SourceType:
    """Return the kind that takes a URL's scheme; the one that is called like the scheme is asked first."""
    Secret(url)  # from here on no message shows it
    match = _SCHEME.match(url)
    if match is None:
        msg = "this is no URL: it does not begin with a scheme and ://"
        file = Path(url)
        remedy = "write it as in postgresql://user:password@host:5432/database or sqlite:///folder/file.db"
        if file.is_file():
            remedy = "for a file of SQLite write sqlite:/// and its path"
        raise UsageError(msg, code="RIVET_CONFIG_SOURCE_URL_INVALID", remedy=remedy)
    scheme = match[1].lower()
    kinds = [row.kind for row in plugins.listing() if row.seam == "source"]
    for kind in sorted(kinds, key=lambda kind: (kind != scheme, not scheme.startswith(kind), kind)):
        try:
            declaration = plugins.source_type(kind)
        except RivetError:  # a broken one may be of another kind: it is no concern of this command
            continue
        if scheme in declaration.schemes:
            return declaration
    # Nobody takes it: the error for a kind of that name says what to install.
    return plugins.source_type(scheme.partition("+")[0])


def _options(text: SourceText, plugins: Plugins, url: str, folder: Path, environ: Mapping[str, str]) -> Any:
    """Return the options as the loader makes them, so that nothing is taken here that it refuses."""
    whole = "\n".join(render_source(text)) + _ANY_EXPORT
    try:
        found = parse(
            whole, plugins, path=folder / "init", file="the command line", params={_PARAM: url}, environ=environ
        )
    except ConfigurationInvalid as error:
        problem = error.problems[0]
        raise UsageError(
            problem.message, code=problem.code, place=Place(path=problem.place.path), remedy=problem.remedy
        ) from None
    return found.source.options
