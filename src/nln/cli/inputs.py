"""What commands read: model files, program files and table files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from nln.cli.errors import InputError, refusals_as_input_errors
from nln.model import SavedModel, model_from_dict
from nln.rules import LogicProgram, ModelFormatError
from nln.rules.schema import Schema
from nln.rules.storage.files import read_json
from nln.tables.files.table_file import TableFile


def load_program(path: Path) -> LogicProgram:
    """Read the program of a model file or of a program file: what `nln fit` or a method `save` wrote."""
    return load_saved(path).program_


def load_saved(path: Path) -> SavedModel:
    """Read a model file, or a program file as a model of the program."""
    hint = "Give a file that nln fit or save() wrote."
    if path.is_dir():
        raise InputError(f"{path} is a folder. {hint}")
    try:
        document = read_json(path)
    except ModelFormatError as error:
        raise InputError(f"{error} {hint}") from None
    except FileNotFoundError:
        raise InputError(f"There is no file {path}. {hint}") from None
    try:
        return model_from_dict(document)
    except ModelFormatError as error:
        raise InputError(f"{path}: {error}") from None


def open_table(path: Path, missing: Sequence[str] | None = None) -> TableFile:
    """Open a table file; `-` is standard input, and `missing` is what `--missing` gives."""
    with refusals_as_input_errors():
        return TableFile(path, missing or None)


def used_schema(*programs: LogicProgram, also: Sequence[str] = ()) -> Schema:
    """Join the schemas of programs for one target; of the features, those that a rule or `also` names."""
    from nln.compose.core.schemas import join_schemas  # here: commands that read one program do without `nln.compose`

    with refusals_as_input_errors():
        joined = join_schemas([program.schema for program in programs])
    wanted = {*also, *(name for program in programs for name in program.features_used)} & {*joined.names}
    wanted |= {feature.name for feature in joined.plain(wanted)}
    wanted |= {name for each in wanted if (derived := joined[each].derived) is not None for name in derived.features}
    wanted = wanted or {*joined.names[:1]}  # one column tells how many rows there are
    return replace(joined, features=tuple(feature for feature in joined.features if feature.name in wanted))
