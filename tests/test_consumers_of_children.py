"""Everything that judges rows takes `tables=`: it gives what it gives for counts that were made by hand.

The other side of each comparison is a program over one table: its schema has the counts as ordinary columns, and the
test counts the rows of the child tables in loops.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import nln
from nln import Child, Constraints, NLNClassifier, compose, plots
from nln.compose.core.measure import measure
from nln.model import SavedModel, model_of
from nln.report.write import read_all, write_report
from nln.rules import ChildTable, Feature, LogicProgram, Schema, Target

VISITS = ChildTable(
    "visits", "patient", (Feature("dept", "categorical", ("ER", "eye")), Feature("level", "continuous"))
)
DRUGS = ChildTable("drugs", "row", (Feature("dose", "continuous"),), parent_key="")
FEATURES = (Feature("age", "continuous"), Feature("sex", "binary", ("f", "m")))
SCHEMA = Schema(FEATURES, Target("back", "binary", ("no", "yes")), (VISITS, DRUGS))
PROGRAM = LogicProgram.parse(
    "IF age >= 50 AND at least 2 visits (dept = ER) THEN back = yes (weight 0.8) "
    "IF no drugs (dose >= 1) AND sex = f THEN back = yes (weight 0.6) "
    "IF some visits (level >= 0.5) AND age < 70 THEN back = yes (weight 0.3)",
    schema=SCHEMA,
)
OTHER = LogicProgram.parse("IF some visits (dept = ER) THEN back = yes (weight 0.7)", schema=SCHEMA)


def made(seed: int = 0, rows: int = 80) -> tuple[pd.DataFrame, dict[str, pd.DataFrame], np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"patient": np.arange(rows) + 100, "age": rng.integers(20, 90, rows), "sex": rng.choice(["f", "m"], rows)}
    )
    owner, taker = (np.repeat(np.arange(rows), rng.poisson(2, rows)) for _ in range(2))
    visits = pd.DataFrame({"patient": owner + 100, "dept": rng.choice(["ER", "eye"], len(owner))})
    visits["level"] = rng.random(len(owner)).round(2)
    drugs = pd.DataFrame({"row": taker, "dose": rng.random(len(taker)).round(2) * 2})
    return X, {"visits": visits, "drugs": drugs}, rng.choice(["no", "yes"], rows)


def by_hand(program: LogicProgram) -> LogicProgram:
    """The program over one table, whose columns are the counts."""
    features = tuple(replace(feature, derived=None) for feature in program.schema.features)
    return replace(program, schema=Schema(features, program.schema.target))


def counted(X: pd.DataFrame, tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """The table with the counts that the programs ask for, one child after the other."""
    tests: dict[str, tuple[str, Callable[[Any], bool]]] = {
        "number of visits (dept = ER)": ("visits", lambda child: child.dept == "ER"),
        "number of visits (level >= 0.5)": ("visits", lambda child: child.level >= 0.5),
        "number of drugs (dose >= 1)": ("drugs", lambda child: child.dose >= 1),
    }
    found = X.copy()
    for name, (table, test) in tests.items():
        owners = X["patient"] if table == "visits" else range(len(X))
        children = list(tables[table].itertuples(index=False))
        found[name] = [sum(child[0] == owner and test(child) for child in children) for owner in owners]
    return found


X, TABLES, Y = made()
FLAT = counted(X, TABLES)
PLAIN, PLAIN_OTHER = by_hand(PROGRAM), by_hand(OTHER)


def weights(program: LogicProgram) -> Any:
    rules = [(tuple(c.feature for c in rule.conditions), rule.weight, rule.coverage) for rule in program.rules]
    return program.biases, program.thresholds, rules


def figure(name: str, *programs: Any, data: tuple[Any, ...], **options: Any) -> Any:
    """What a figure draws: all lines, bars, squares and texts that do not write a condition."""
    ax = np.ravel(np.asarray(getattr(plots, name)(*programs, *data, **options), dtype=object))[0]
    lines = [np.asarray(line.get_xydata()).tolist() for line in ax.lines]
    bars = [patch.get_path().vertices.tolist() for patch in ax.patches]
    squares = [image.get_array().tolist() for image in ax.images]
    return lines, bars, squares, [text.get_text() for text in ax.texts if "visits" not in text.get_text()]


CONSUMERS: dict[str, Callable[..., Any]] = {
    "adjust": lambda p, q, X, **t: weights(compose.adjust(p, X, Y, **t)),
    "audit": lambda p, q, X, **t: nln.audit(p, X, Y, ["sex"], min_rows=5, **t).to_dict()["groups"],
    "compare": lambda p, q, X, **t: nln.compare(p, q, X, **t).included.tolist(),
    "diff": lambda p, q, X, **t: nln.diff(p, q, X, **t).to_dict()["rows"],
    "edit": lambda p, q, X, **t: nln.edit(p, X, Y, **t).drop(1).after,
    "gather": lambda p, q, X, **t: compose.gather(p, X, Y, **t),
    "merge": lambda p, q, X, **t: weights(nln.merge([p, q], X=X, y=Y, **t).program),
    "prune": lambda p, q, X, **t: weights(compose.prune(p, X, Y, price=0.1, **t)),
    "select": lambda p, q, X, **t: (nln.select(p, X, Y, **t).kept, nln.select(p, X, metric="accuracy", **t).score),
    "stability": lambda p, q, X, **t: nln.stability([p, q], X, **t),
    "transfer": lambda p, q, X, **t: weights(nln.transfer(p, X, Y, **t)),
    "update": lambda p, q, X, **t: nln.update(p.with_coverage(X, Y, **t), X, Y, **t).drift,
    "NLNClassifier": lambda p, q, X, **t: NLNClassifier.from_program(p, X, Y, **t).score(X, Y, **t),
    "SavedModel": lambda p, q, X, **t: model_of(p).predict_proba(X, **t).tolist(),
    "LogicProgram": lambda p, q, X, **t: p.rule_memberships(X, **t).tolist(),
    "plot_calibration": lambda p, q, X, **t: figure("plot_calibration", p, data=(X, Y), **t),
    "plot_comparison": lambda p, q, X, **t: figure("plot_comparison", p, q, data=(X,), **t),
    "plot_confusion": lambda p, q, X, **t: figure("plot_confusion", p, data=(X, Y), **t),
    "plot_coverage": lambda p, q, X, **t: figure("plot_coverage", p, data=(X, Y), **t),
    "plot_overlap": lambda p, q, X, **t: figure("plot_overlap", p, data=(X,), **t),
    "plot_precision_recall": lambda p, q, X, **t: figure("plot_precision_recall", p, data=(X, Y), **t),
    "plot_roc": lambda p, q, X, **t: figure("plot_roc", p, data=(X, Y), **t),
    "plot_rule": lambda p, q, X, **t: figure("plot_rule", p, 1, data=(X, Y), **t)[0],
    "plot_rules": lambda p, q, X, **t: figure("plot_rules", p, data=(X, Y), **t)[0],
    "plot_scores": lambda p, q, X, **t: figure("plot_scores", p, data=(X, Y), **t),
}  # fmt: skip
REFUSING = {"teach"}
WITHOUT_ROWS = {
    *("plot_boards", "plot_history", "plot_intervals", "plot_network", "plot_path", "plot_structure", "plot_wiring"),
    *("network_svg", "load_model", "aggregates", "between", "neighbours", "windows", "compose", "datasets"),
}


def test_every_public_name_is_looked_at() -> None:
    public = {*nln.__all__, *compose.__all__, *plots.__all__}
    functions = {name for name in public if not inspect.isclass(_found(name))}
    classes = {"NLNClassifier", "SavedModel", "LogicProgram"}
    assert functions | classes == {*CONSUMERS} | REFUSING | WITHOUT_ROWS


def _found(name: str) -> Any:
    return next(getattr(place, name) for place in (nln, compose, plots) if name in place.__all__)


@pytest.mark.parametrize("name", CONSUMERS)
def test_the_result_is_that_of_counts_made_by_hand(name: str) -> None:
    found = CONSUMERS[name](PROGRAM, OTHER, X, tables=TABLES)
    assert repr(found) == repr(CONSUMERS[name](PLAIN, PLAIN_OTHER, FLAT))  # as text, in which NaN equals NaN


@pytest.mark.parametrize("name", CONSUMERS)
def test_without_the_tables_the_refusal_names_what_to_give(name: str) -> None:
    with pytest.raises(ValueError, match=r"count rows of '(visits|drugs)': give this table too, as tables="):
        CONSUMERS[name](PROGRAM, OTHER, X)


def methods(kind: type) -> set[str]:
    """The methods that take rows: those that judge them must take their children, too."""
    found = (name for name, _ in inspect.getmembers(kind, callable) if not name.startswith("_"))
    return {name for name in found if {"X", "row"} & {*inspect.signature(getattr(kind, name)).parameters}}


@pytest.mark.parametrize("kind", [NLNClassifier, SavedModel, LogicProgram])
def test_all_methods_that_take_rows_take_their_children(kind: type) -> None:
    taken = methods(kind)
    assert {"predict", "predict_proba", "explain", "rule_memberships", "counterfactuals"} <= taken
    assert {name for name in taken if "tables" in inspect.signature(getattr(kind, name)).parameters} == taken


def changed(found: Any) -> Any:
    return found.decision, found.probabilities, [(change.feature, change.old, change.new) for change in found.changes]


def test_explanations_and_counterfactuals_are_those_of_the_counts() -> None:
    for i in range(20):
        row, flat = X.iloc[i].to_dict(), FLAT.iloc[i].to_dict()
        tables = {"visits": TABLES["visits"], "drugs": TABLES["drugs"][lambda drugs, i=i: drugs.row == i].assign(row=0)}
        one, two = PROGRAM.explain(row, tables=tables), PLAIN.explain(flat)
        assert one.outputs[0].probability == two.outputs[0].probability
        assert [check.number for check in one.outputs[0].fired] == [check.number for check in two.outputs[0].fired]
        both = {"number of visits (dept = ER)", "number of visits (level >= 0.5)"}  # of one table: they stay
        expected = PLAIN.counterfactuals(flat, frozen=both)
        found = PROGRAM.counterfactuals(row, tables=tables)
        assert list(map(changed, found)) == list(map(changed, expected))
        for change in found:
            assert PROGRAM.predict([change.apply(row)], tables=tables)[0] == change.decision


def test_a_count_changes_by_the_least_that_turns_the_decision() -> None:
    row, tables = {"patient": 1}, {"visits": {"patient": [1, 1, 1], "dept": ["ER", "ER", "eye"]}}
    (found,) = OTHER.counterfactuals(row, tables=tables)
    assert str(found) == 'back = no if "number of visits (dept = ER)" from 2 to 0'
    assert OTHER.counterfactuals(row, frozen="number of visits (dept = ER)", tables=tables) == []
    assert OTHER.counterfactuals(row, missing=True, tables=tables) == [found]
    more = replace(OTHER, rules=(replace(OTHER.rules[0], weight=0.4),))
    assert more.counterfactuals(row, tables=tables) == []


def test_counts_that_are_given_as_columns_are_taken() -> None:
    assert (PROGRAM.predict_proba(FLAT) == PLAIN.predict_proba(FLAT)).all()
    some = FLAT.drop(columns=["number of drugs (dose >= 1)"])
    assert (PROGRAM.predict_proba(some, tables=TABLES) == PLAIN.predict_proba(FLAT)).all()
    assert "here 3 visits" in str(OTHER.explain({"number of visits (dept = ER)": 3}))
    for wrong in (-1, 0.5, None):
        with pytest.raises(ValueError, match=r"'number of visits \(dept = ER\)' is .* in row 1. It counts rows"):
            OTHER.predict({"number of visits (dept = ER)": [2, wrong]})


@pytest.mark.parametrize("include", [False, True])
def test_a_report_has_the_scores_of_the_counts(tmp_path: Path, include: bool) -> None:
    from nln.report import summarize

    tables, columns = read_all(PROGRAM, X, TABLES), read_all(PLAIN, FLAT)
    truth = (Y == "yes")[:, None]
    one, two = (
        summarize(program, inputs.columns, truth, include_rows=include)
        for program, inputs in ((PROGRAM, tables), (PLAIN, columns))
    )
    for part in ("scores", "confusion", "calibration", "coverage", "errors", "rows"):
        assert one[part] == two[part]
    assert [feature["counts"] for feature in one["features"]] == [feature["counts"] for feature in two["features"]]
    page = write_report(PROGRAM, X, Y, tmp_path / "report.html", include_rows=include, tables=TABLES)
    assert "at least 2 visits (dept = ER)" in page.read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="give this table too"):
        write_report(PROGRAM, X, Y, tmp_path / "other.html")


def test_a_report_counts_what_no_rule_asks_about() -> None:
    bare = LogicProgram.parse("IF age >= 50 AND some visits THEN back = yes", schema=SCHEMA)
    schema = bare.schema.with_features(PROGRAM.schema.features[2:])
    program = LogicProgram.parse("IF age >= 50 THEN back = yes", schema=schema)
    found = read_all(program, X, TABLES).columns
    assert found["number of visits"].tolist() == [int((TABLES["visits"].patient == key).sum()) for key in X["patient"]]
    assert np.isnan(found["number of visits (dept = ER)"]).all()  # a column of visits that no rule needs may be absent


def test_an_audit_learns_again_from_the_children() -> None:
    tables = {"visits": Child(TABLES["visits"], key="patient"), "drugs": TABLES["drugs"]}
    plain = LogicProgram.parse("IF some visits (dept = ER) THEN back = yes", schema=SCHEMA)
    y = np.where(FLAT["number of visits (dept = ER)"] >= 1, "yes", "no")
    with pytest.raises(TypeError, match=r"tables\['drugs'\] .* Child\(table, key=...\)"):
        nln.audit(plain, X, y, ["sex"], refit=NLNClassifier(random_state=0), tables=tables)
    del tables["drugs"]
    found = nln.audit(plain, X, y, ["sex"], refit=NLNClassifier(starts=2, random_state=0), tables=tables)
    assert found.refit is not None
    assert found.refit.forbidden == ("sex",)
    assert "some visits (dept = ER)" in str(found.refit.program)
    assert found.refit.after == measure(found.refit.program, *_left_out(y), tables=tables)


def _left_out(y: Any) -> tuple[Any, Any]:
    from sklearn.model_selection import train_test_split

    _, test_X, _, test_y = train_test_split(X, y, test_size=0.25, random_state=0)
    return test_X, test_y


def test_teaching_refuses_rules_that_count() -> None:
    with pytest.raises(ValueError, match=r"counts rows of 'drugs'\. Learning begins with rules about columns"):
        nln.teach(PROGRAM, X, Y)
    with pytest.raises(ValueError, match="no child table visits"):
        nln.teach("IF some visits THEN class = yes", X, Y)


def test_forbidden_columns_go_with_children() -> None:
    y = np.where((FLAT["number of visits (dept = ER)"] >= 1) | (X["age"] >= 70), "yes", "no")
    tables = {"visits": Child(TABLES["visits"], key="patient")}
    limits = Constraints(forbidden=["age"], max_rules_per_target=1)
    program = NLNClassifier(starts=2, constraints=limits, random_state=0).fit(X, y, tables=tables).program_
    assert limits.violations(program) == ()
    assert "visits (dept = ER" in str(program)
    for asked in ({"monotone": {"age": 1}}, {"required": ["age"]}, {"price_factors": {"age": 2.0}}):
        with pytest.raises(ValueError, match="forbidden= and max_rules_per_target= may stay"):
            NLNClassifier(constraints=Constraints(**asked)).fit(X, y, tables=tables)
