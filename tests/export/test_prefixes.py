"""Every format takes the first characters of codes as the program does."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from nln.export import asp_facts, to_asp, to_pmml, to_prolog, to_r, to_sql
from nln.rules import Feature, LogicProgram, PrefixReading, Schema, Target
from tests import tools
from tests.export import nodejs
from tests.export.asp.test_answer_sets import solve
from tests.export.loading import loaded
from tests.export.pmml.test_document import Document
from tests.export.test_prolog import as_dict
from tests.export.test_r import table
from tests.export.xlsx.spreadsheet import answers

FEATURES = (
    Feature("icd_first_1", "categorical", ("0", "I", "É"), reading=PrefixReading("icd", 1)),
    Feature("x", "continuous"),
    Feature("icd_first_3", "categorical", ("I2", "I21", "ÉX1"), reading=PrefixReading("icd", 3)),
    Feature("zip_first_2", "categorical", ("10", "20"), reading=PrefixReading("zip", 2)),
)
TEXT = """
IF icd_first_1 = I AND x < 3 THEN class = yes (weight 0.5)
IF icd_first_3 in {I2, "ÉX1"} or missing THEN class = yes (weight 0.25)
IF icd_first_3 != I21 THEN class = yes (weight 0.125)
IF at least 1 of {icd_first_1 = "0"; zip_first_2 = "10"} THEN class = yes (weight 0.375)
"""
PROGRAM = LogicProgram.parse(TEXT, schema=Schema(FEATURES, Target("class", "binary", ("no", "yes"))))
CODES = ("I21.9", "I21", "I2", "I", "0", "06", "ÉX1.5", "Z99", "i21", " I2", None)
ROWS = [
    {"icd": code, "x": x, "zip": number}
    for place, code in enumerate(CODES)
    for x, number in (((1.0, 1099), (5.0, 2099))[place % 2], (None, None), (2.0, 1))
]
EXPECTED = PROGRAM.predict_proba(ROWS)[:, 1].tolist()


def in_python(tmp_path: Path) -> list[float]:
    return [loaded(PROGRAM.export("python"))["predict_proba"](row)["yes"] for row in ROWS]


def in_javascript(tmp_path: Path) -> list[float]:
    with nodejs.started() as node:
        return [row[1] for row in nodejs.run(node, PROGRAM, ROWS)["probabilities"]]


def in_r(tmp_path: Path) -> list[float]:
    file = tmp_path / "rules.R"
    said = f'cat(sprintf("%.17g", predict_rules({table(ROWS)})$p_yes), sep = "\\n")\n'
    file.write_text(f"{to_r(PROGRAM)}\n{said}", encoding="utf-8")
    return printed([tools.program("Rscript"), "--vanilla", str(file)])


def in_prolog(tmp_path: Path) -> list[float]:
    rules, driver = tmp_path / "rules.pl", tmp_path / "driver.pl"
    rules.write_text(to_prolog(PROGRAM), encoding="utf-8")
    goal = 'once(probability(Row, "yes", P)), writeln(P)'
    driver.write_text(
        ":- encoding(utf8).\n:- use_module(rules).\n"
        f":- forall(member(Row, [{', '.join(map(as_dict, ROWS))}]), ({goal})), halt.\n",
        encoding="utf-8",
    )
    return printed([tools.program("swipl"), "-q", str(driver)])


def printed(command: list[str]) -> list[float]:
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": os.environ.get("HOME", "/")}
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8", env=environment, timeout=120)
    return [float(line) for line in done.stdout.split()]


def in_sqlite(tmp_path: Path) -> list[float]:
    with closing(sqlite3.connect(":memory:")) as database:
        return in_database(database, "sqlite")


def in_duckdb(tmp_path: Path) -> list[float]:
    with closing(tools.package("duckdb").connect()) as database:
        return in_database(database, "duckdb")


def in_database(database: Any, dialect: str) -> list[float]:
    database.execute("CREATE TABLE data (id INT, icd TEXT, x DOUBLE, zip INT)")
    records = [(place, *row.values()) for place, row in enumerate(ROWS)]
    database.executemany("INSERT INTO data VALUES (?, ?, ?, ?)", records)
    query = to_sql(PROGRAM, dialect=dialect)
    return [p for (p,) in database.execute(f"SELECT p_yes FROM ({query}) AS t ORDER BY id").fetchall()]


def in_postgres(tmp_path: Path) -> list[float]:
    server = os.environ.get("NLN_TEST_POSTGRES", "")
    if not server:
        pytest.skip("NLN_TEST_POSTGRES names no server; scripts/test-postgres starts one")
    cells = [", ".join("NULL" if v is None else f"'{v}'" for v in (i, *row.values())) for i, row in enumerate(ROWS)]
    script = "CREATE TEMP TABLE data (id int, icd text, x float8, zip int);"
    script += f"INSERT INTO data VALUES {', '.join(f'({one})' for one in cells)};"
    script += f"SELECT p_yes FROM ({to_sql(PROGRAM, dialect='postgres')}) AS t ORDER BY id;"
    command = [tools.program("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", server]
    done = subprocess.run(command, input=script, capture_output=True, encoding="utf-8", check=True)
    return [float(line) for line in done.stdout.split()]


def in_pmml(tmp_path: Path) -> list[float]:
    document = Document(to_pmml(PROGRAM))
    return [document.evaluate(row)["p_yes"] for row in as_text()]


def in_jpmml(tmp_path: Path) -> list[float]:
    tools.program("java")
    module, file = tools.package("jpmml_evaluator"), tmp_path / "rules.pmml"
    file.write_text(to_pmml(PROGRAM), encoding="utf-8", newline="")
    evaluator = module.make_evaluator(str(file), backend=module.make_backend("jpype"))
    return [evaluator.evaluate(row)["p_yes"] for row in as_text()]


def as_text() -> list[dict[str, Any]]:
    """Rows whose codes are all text, as a field of PMML and a cell of a form hold them."""
    return [{**row, "zip": None if row["zip"] is None else str(row["zip"])} for row in ROWS]


def in_clingo(tmp_path: Path) -> list[float]:
    atoms = solve(to_asp(PROGRAM) + asp_facts(PROGRAM, ROWS))
    found = {a.arguments[0].number: float(a.arguments[2].string) for a in atoms if a.name == "probability"}
    return [found[row] for row in range(len(ROWS))]


@pytest.mark.parametrize(
    "answer",
    [
        in_python, in_javascript, in_r, in_prolog, in_sqlite, in_duckdb, in_postgres, in_pmml, in_jpmml, in_clingo,
    ],
)  # fmt: skip
def test_formats_agree(answer: Callable[[Path], list[float]], tmp_path: Path) -> None:
    assert answer(tmp_path) == pytest.approx(EXPECTED, abs=1e-9)


def test_workbooks_agree(tmp_path: Path) -> None:
    some = [(PROGRAM, row) for row in as_text()[::4]]
    found = [labels[1] for labels, _, _ in answers(some, tmp_path)]
    assert found == pytest.approx(EXPECTED[::4], abs=1e-9)


def test_the_rows_tell_the_rules_apart() -> None:
    assert len(set(EXPECTED)) > 8


@pytest.mark.parametrize("code", [1.5, True, -3])
def test_python_refuses_what_is_no_code(code: object) -> None:
    predict = loaded(PROGRAM.export("python"))["predict"]
    with pytest.raises(ValueError, match=f"Column 'zip' is read as codes, but a row holds {code!r}"):
        predict({"icd": "I21", "x": 1, "zip": code})


def test_the_first_characters_may_be_given() -> None:
    row = {"icd_first_1": "I", "icd_first_3": "I2", "zip_first_2": "10", "x": 1}
    expected = PROGRAM.predict_proba([row])[0, 1]
    assert loaded(PROGRAM.export("python"))["predict_proba"](row)["yes"] == pytest.approx(expected)


def test_texts_of_the_program_read_back() -> None:
    assert LogicProgram.parse(PROGRAM.export("text"), schema=PROGRAM.schema) == PROGRAM
    assert LogicProgram.from_dict(PROGRAM.to_dict()) == PROGRAM
