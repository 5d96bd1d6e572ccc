"""`nln fit`: learn a model from a table file."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from nln.cli.arguments import AsJson, Force, Missing
from nln.cli.children import ChildFiles, read_children
from nln.cli.columns import (
    TYPES_HELP,
    ColumnLine,
    code_columns,
    describe_columns,
    describe_target,
    keep_columns,
    read_calculations,
    read_types,
)
from nln.cli.errors import InputError, refusals_as_input_errors
from nln.cli.folder import check_options, first_rows, fit_folder, is_long, open_engine, open_folder
from nln.cli.inputs import open_table
from nln.cli.learning import (
    Examples,
    about,
    cross_validate,
    learn,
    positive_first,
    print_folds,
    progress_bar,
    score,
    split_table,
    target_of,
    warnings_as_notes,
)
from nln.cli.outputs import check_output, print_notes, print_program, print_table, quietly, say, spinner, write_output
from nln.model import SavedModel
from nln.rules.language.words import counted
from nln.rules.storage.files import model_bytes

_Data = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="Table file with named columns: CSV, TSV, Parquet, Arrow or JSON lines, which may be compressed (.gz); "
        "- is standard input. A folder of such files, or a quoted pattern, is one table, which may be larger than the "
        "memory.",
    ),
]
_Targets = Annotated[
    list[str],
    typer.Option("--target", metavar="COLUMN", help="Column to decide; repeat it for labels: columns of 0 and 1."),
]
_Model = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Model file to write.")]
_Types = Annotated[list[str] | None, typer.Option("--types", metavar="COLUMN=KIND", help=TYPES_HELP)]
_Calculated = Annotated[
    list[str] | None,
    typer.Option(
        "--feature",
        metavar='"NAME = EXPRESSION"',
        help='Column to calculate from others, such as "bmi = weight / height / height"; may be repeated.',
    ),
]
_Ignored = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="COLUMN", help="Column that rules must not ask about; may be repeated."),
]
_Kept = Annotated[
    list[str] | None,
    typer.Option("--keep", metavar="COLUMN", help="Column to use though it looks like an identifier; may be repeated."),
]
_Positive = Annotated[str | None, typer.Option(metavar="CLASS", help="Of two classes, the one that rules conclude.")]
_MaxRules = Annotated[int | None, typer.Option(metavar="N", min=1, help="Learn at most N rules.")]
_Folds = Annotated[int | None, typer.Option(metavar="K", min=2, help="First score by K-fold cross-validation.")]
_Weights = Annotated[str | None, typer.Option(metavar="COLUMN", help="Column with the weights of the rows.")]
_Groups = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="Column that marks rows that belong together, such as the visits of a patient."
    ),
]
_MinRows = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Rows that a rule must cover; by default more the noisier the table is."),
]
_Size = Annotated[
    Literal["short", "balanced", "accurate"],
    typer.Option(help="How long the program is; accurate keeps the rules of ten starts side by side."),
]
_Plain = Annotated[
    bool,
    typer.Option("--plain", help="Rules as people write them: crisp boundaries, at most three conditions."),
]
_Arithmetic = Annotated[
    bool | None,
    typer.Option("--arithmetic/--no-arithmetic", help="Whether rules may calculate: weight / height / height >= 30."),
]
_Counts = Annotated[
    bool | None,
    typer.Option("--counts/--no-counts", help="Whether rules may count: at least 2 of {temp > 38; pulse > 90; ...}."),
]
_Price = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER", help="Squared error, in rows, that a literal must save; by default chosen on left-out rows."
    ),
]
_Threshold = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER|both|f1|accuracy",
        help="Probability from which a class is decided, or the score for which it is chosen; both by default.",
    ),
]
_Seed = Annotated[int, typer.Option(metavar="N", min=0, help="The same data and seed give the same rules.")]


def fit(
    data: _Data,
    target: _Targets,
    output: _Model = Path("model.json"),
    tables: ChildFiles = None,
    types: _Types = None,
    feature: _Calculated = None,
    ignore: _Ignored = None,
    keep: _Kept = None,
    positive: _Positive = None,
    max_rules: _MaxRules = None,
    min_rows: _MinRows = None,
    plain: _Plain = False,
    arithmetic: _Arithmetic = None,
    counts: _Counts = None,
    size: _Size = "balanced",
    price: _Price = None,
    threshold: _Threshold = None,
    cv: _Folds = None,
    weights: _Weights = None,
    groups: _Groups = None,
    seed: _Seed = 0,
    missing: Missing = None,
    as_json: AsJson = False,
    force: Force = False,
) -> None:
    """Learn rules from a table, print them and save the model."""
    check_output(output, force)
    parameters = _parameters(price, threshold, seed) | {"size": size}
    parameters["language"] = _language(
        plain, max_rules=max_rules, min_rows=min_rows, arithmetic=arithmetic, counts=counts
    )
    folder = open_folder(data, missing)
    if folder is not None and is_long(folder):
        check_options(cv=cv, groups=groups, positive=positive, table=tables or None)
        engine = open_engine(folder, target, ignore or (), weights)
        notes: list[str] = []
        with refusals_as_input_errors(), warnings_as_notes(notes):
            begin = first_rows(folder)
            folder.codes = code_columns(types or (), folder.names)
            kinds = read_calculations(feature or (), read_types(types or (), begin, folder.name))
            kinds = keep_columns(keep or (), kinds, begin, folder.name)
            model, scores = fit_folder(engine, parameters | {"feature_types": kinds or None})
        print_notes(folder.notes + notes)
        _finish(model, scores, [], [], folder.name, folder.notes + notes, output, as_json)
        return
    file = folder or open_table(data, missing)
    with refusals_as_input_errors():
        file.codes = code_columns(types or (), file.names)
        with spinner(f"reading {data}"):
            table = file.read()
        examples = split_table(table, target, ignore or (), weights, groups, file.name)
        kinds = read_types(types or (), examples.X, file.name)
        kinds = read_calculations(feature or (), kinds)
        kinds = keep_columns(keep or (), kinds, examples.X, file.name)
        classes = None if positive is None else positive_first(examples, positive)
        _check(examples, cv)
        children = read_children(tables, missing, file.notes) or None
        lines = [describe_target(name, examples.y[name].to_pylist(), examples.left_out) for name in target]
        lines += describe_columns(examples.X, target_of(examples), kinds)
    _show_columns(lines, examples.X.num_rows)
    print_notes(file.notes)
    notes = []
    folds: list[dict[str, Any]] = []
    with refusals_as_input_errors(), warnings_as_notes(notes):
        parameters["feature_types"] = kinds or None
        if cv is not None:
            folds = cross_validate(examples, classes, cv, seed, children, **parameters)
            print_folds(folds)
        model = learn(examples, classes, children, **parameters)
    print_notes(notes)
    scores = score(model.program_, examples.X, examples.truth, children)
    _finish(model, scores, folds, lines, file.name, file.notes + notes, output, as_json)


def _finish(
    model: SavedModel,
    scores: dict[str, Any],
    folds: list[dict[str, Any]],
    lines: list[ColumnLine],
    table: str,
    notes: list[str],
    output: Path,
    as_json: bool,
) -> None:
    """Save the model, and print its rules."""
    document = {
        "model": str(output),
        "rules": model.program_.to_records(),
        "scores": {"training": scores, "cross_validation": folds},
        "columns": [asdict(line) for line in lines],
        "notes": notes,
    }
    try:
        with quietly(True):  # the last line says it
            write_output(model_bytes(about(model, table, scores, folds).to_dict()), output)
    except Exception:
        print_program(model.program_, document, as_json)  # so that they are not lost
        raise
    print_program(model.program_, document, as_json)
    said = f"F1 {scores['f1']:.3f}, accuracy {scores['accuracy']:.3f} on the rows learned from."
    say(f"{counted(scores['rules'], 'rule')}; {said} Saved to {output}.")


def _check(examples: Examples, folds: int | None) -> None:
    """Refuse what learning would refuse, before anything is shown."""
    from nln.tables.target import read_target

    read_target(target_of(examples))
    if folds is not None and folds > examples.X.num_rows:
        raise InputError(
            f"--cv {folds} needs at least {folds} rows, but there are {examples.X.num_rows}. Give fewer folds."
        )


def _show_columns(lines: list[ColumnLine], rows: int) -> None:
    head = ("column", "kind", "values", "missing", "association", "")
    cells = [
        (
            line.name,
            line.kind,
            line.values,
            str(line.missing or ""),
            "" if line.association is None else f"{line.association:.2f}",
            line.note,
        )
        for line in lines
    ]
    print_table(f"{rows} rows to learn from", head, cells, right=(3, 4))


def _parameters(price: float | None, threshold: str | None, seed: int) -> dict[str, Any]:
    """Give the parameters of `NLNClassifier` that the options stand for."""
    return {
        "price": price,
        "threshold": _number_or_text(threshold),
        "random_state": seed,
        "callbacks": progress_bar(),
    }


def _language(plain: bool, **options: Any) -> Any:
    """Give what rules may say: the defaults where an option is None."""
    from nln.learning.options import LanguageOptions

    given = {name: value for name, value in options.items() if value is not None}
    return (LanguageOptions.plain if plain else LanguageOptions)(**given)


def _number_or_text(text: str | None) -> float | str | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return text
