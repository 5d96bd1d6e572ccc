"""An Excel workbook with the rules as a table, and a sheet that decides the case typed into it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from io import BytesIO
from typing import Any

import numpy as np

from nln.export.calculations import asked_columns, asked_prefixes, calculation, calculations
from nln.export.plain import plain_conditions, rules_by_output
from nln.export.wording import check_characters
from nln.export.xlsx.calculations import calculation_formula
from nln.export.xlsx.formulas import Listed, membership_formula, number, split_values
from nln.rules.condition import Condition, ValueCondition
from nln.rules.derived.count import Count
from nln.rules.evaluate import membership
from nln.rules.language.text import closing_text, conclusion_text, condition_text, condition_texts
from nln.rules.language.words import spelled
from nln.rules.program import LogicProgram
from nln.rules.readings import PrefixReading
from nln.rules.schema import Feature, Value

_MOST_TEXT = 32_767
"""Characters that a cell holds."""

_FORMATS: dict[str, dict[str, Any]] = {
    "title": {"bold": True, "font_size": 14},
    "head": {"bold": True, "bottom": 1, "valign": "top"},
    "wrapped": {"text_wrap": True, "valign": "top"},
    "top": {"valign": "top"},
    "percent": {"num_format": "0.0%", "valign": "top", "align": "right"},
    "probability": {"num_format": "0.0%", "align": "left"},
    "weight": {"num_format": "0.0##", "valign": "top"},
    "degree": {"num_format": "0.00", "valign": "top"},
    "rule": {"bold": True, "top": 1},
    "rule degree": {"bold": True, "num_format": "0.00", "top": 1},
    "rule weight": {"num_format": "0.0##", "top": 1},
    "input": {"bg_color": "#FFF2CC", "border": 1, "align": "left"},
    "input text": {"bg_color": "#FFF2CC", "border": 1, "align": "left", "num_format": "@"},
    "decision": {"bold": True, "font_size": 14, "align": "left"},
    "note": {"italic": True, "font_color": "#666666"},
    "holds": {"bg_color": "#D9EAD3"},
}


def to_xlsx(program: LogicProgram) -> bytes:
    """Write an Excel workbook.

    The sheet *Case* decides about a case: type its values into the coloured cells, and formulas compute how far each
    condition and each rule holds, the probabilities and the decision. An empty cell is a missing value. The sheet
    *Rules* is a table of the rules.

    Parameters
    ----------
    program : LogicProgram
        The program to write.

    Returns
    -------
    bytes
        The file. Formulas follow `predict_proba` and `predict` to the 15 digits that Excel keeps.

    Raises
    ------
    ImportError
        If XlsxWriter is not installed.
    ValueError
        If a name or a value cannot be written to a cell.

    Examples
    --------
    >>> from pathlib import Path
    >>> from nln.rules import Feature, LogicProgram, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF x < 3 THEN class = yes (0.75)", schema=schema)
    >>> Path("rules.xlsx").write_bytes(to_xlsx(program))  # doctest: +SKIP
    """
    try:
        from xlsxwriter import Workbook
    except ModuleNotFoundError as error:
        raise ImportError(
            'Workbooks are written with XlsxWriter, which is not installed: pip install "nln[excel]".'
        ) from error
    file = BytesIO()
    with Workbook(file, {"in_memory": True}) as book:
        book.set_properties({"title": f"Rules for {program.schema.target.name}", "created": datetime(2000, 1, 1)})
        book.set_calc_mode("auto")
        _Sheets(book, program).write()
    return file.getvalue()


class _Sheets:
    """The three sheets of a workbook while they are written."""

    def __init__(self, book: Any, program: LogicProgram) -> None:
        self.program, self.target = program, program.schema.target
        self.formats = {name: book.add_format(how) for name, how in _FORMATS.items()}
        self.case, self.rules, self.lists = (book.add_worksheet(name) for name in ("Case", "Rules", "Lists"))
        self.next_list = 0  # the next free column of the sheet of lists
        self.cells: dict[str, str] = {}  # where the value of each feature is typed

    def write(self) -> None:
        self._write_rules()
        row = self._write_inputs()
        results = row + 1
        first = results + len(self.target.labels) + 4
        self._write_results(results, self._write_memberships(first))
        self.case.set_column("A:A", 30)
        self.case.set_column("B:B", 50)
        self.case.set_column("C:E", 14)
        self.lists.hide()
        for sheet in (self.case, self.rules):
            sheet.set_landscape()
            sheet.fit_to_pages(1, 0)

    def _write_rules(self) -> None:
        sheet, percent, top = self.rules, self.formats["percent"], self.formats["top"]
        head = ("rule", "IF", "THEN", "rows", "precision", "of its label", "weight")
        self._row(sheet, 0, head, self.formats["head"])
        records = self.program.to_records()
        for i, (rule, record) in enumerate(zip(self.program.rules, records, strict=True), 1):
            asked = "\nAND ".join(condition_texts(rule, self.program.schema)) or "always"
            sheet.write_number(i, 0, i, top)
            self._text(sheet, i, 1, asked, "wrapped")
            self._text(sheet, i, 2, conclusion_text(self.target, rule.label), "wrapped")
            for place, name, shape in ((3, "rows", top), (4, "precision", percent), (5, "coverage", percent)):
                if record[name] is not None:
                    sheet.write_number(i, place, record[name], shape)
            sheet.write_number(i, 6, rule.weight, self.formats["weight"])
        self._text(sheet, len(records) + 2, 1, closing_text(self.program), "wrapped")
        sheet.set_column("B:B", 70)
        sheet.set_column("C:C", 30)
        sheet.freeze_panes(1, 0)

    def _write_inputs(self) -> int:
        """Write a cell to type in for each feature that rules ask about; return the row below."""
        sheet = self.case
        self._text(sheet, 0, 0, f"A case: {self.target.name}", "title")
        self._text(sheet, 1, 0, "Type the values into the coloured cells; an empty cell is a missing value.", "note")
        self._row(sheet, 3, ("feature", "value", "takes"), self.formats["head"])
        row = 3
        for row, (name, feature) in enumerate(asked_columns(self.program).items(), 4):
            is_text = not feature.is_numeric and all(isinstance(value, str) for value in feature.values)
            self._text(sheet, row, 0, name, "top")
            sheet.write_blank(row, 1, None, self.formats["input text" if is_text else "input"])
            self._text(sheet, row, 2, _takes(feature), "note")
            if not isinstance(feature.reading, PrefixReading):
                sheet.data_validation(row, 1, row, 1, self._validation(feature))
            self.cells[name] = f"$B${row + 1}"
        return self._write_calculations(self._write_prefixes(row + 1))

    def _write_prefixes(self, first: int) -> int:
        """Write the first characters of the codes typed in; return the row below."""
        prefixes = asked_prefixes(self.program)
        for row, (name, reading) in enumerate(prefixes.items(), first):
            code = self.cells[reading.column]
            self._text(self.case, row, 0, name, "top")
            formula = f'=IF({code}="","",LEFT({code},{reading.length}))'
            self.case.write_formula(row, 1, formula, self.formats["top"], "")
            self._text(self.case, row, 2, "calculated", "note")
            self.cells[name] = f"$B${row + 1}"
        return first + len(prefixes)

    def _write_calculations(self, first: int) -> int:
        """Write what is calculated from the values typed in; return the row below."""
        row = first
        for row, feature in enumerate(calculations(self.program), first):
            self._text(self.case, row, 0, feature.name, "top")
            said = calculation(feature, self.program.schema)
            formula = calculation_formula(said, self.cells, self._listed)
            is_count = "members" in said
            self.case.write_formula(row, 1, formula, self.formats["top"], 0 if is_count else "")
            self._text(self.case, row, 2, "calculated", "note")
            self.cells[feature.name] = f"$B${row + 1}"
        return row + bool(calculations(self.program))

    def _validation(self, feature: Feature) -> dict[str, Any]:
        if not feature.is_numeric:
            note = "The rules have not seen this value. Is it spelled as in the list?"
            return {
                "validate": "list",
                "source": "=" + self._list(feature.values),
                "error_type": "warning",
                "error_message": note,
            }
        low, high = (0, 1) if feature.kind == "probability" else (-1e300, 1e300)
        said = "Type a number from 0 to 1." if feature.kind == "probability" else "Type a number."
        return {"validate": "decimal", "criteria": "between", "minimum": low, "maximum": high, "error_message": said}

    def _write_memberships(self, first: int) -> list[tuple[str, float]]:
        """Write how far rules and conditions hold; return, for each output, the formula of 1 - P and its value now."""
        sheet, absent, row = self.case, [], first + 1
        self._row(sheet, first, ("rule", "asks", "holds", "weight", "1 - weight × holds"), self.formats["head"])
        for k, rules in enumerate(rules_by_output(self.program)):
            start, value = row, 1.0 - self.program.biases[k]
            for i in rules:
                row, held = self._write_rule(i, row)
                value *= 1.0 - self.program.rules[i].weight * held
            factors = f"*PRODUCT(E{start + 1}:E{row})" if rules else ""
            absent.append((f"(1-{number(self.program.biases[k])}){factors}", value))
        green = {"type": "formula", "criteria": f"=AND(ISNUMBER($C{first + 2}),$C{first + 2}>=0.5)"}
        sheet.conditional_format(first + 1, 2, row, 2, {**green, "format": self.formats["holds"]})
        return absent

    def _write_rule(self, i: int, row: int) -> tuple[int, float]:
        """Write a rule and its conditions; return the row below, and how far it holds if nothing is typed."""
        sheet, rule, schema = self.case, self.program.rules[i], self.program.schema
        plain = {condition.feature: condition for condition, _ in plain_conditions(rule, self.program, reads=True)}
        last, held = row + len(rule.conditions), 1.0
        for place, condition in enumerate(rule.conditions, row + 1):
            feature = schema[condition.feature]
            self._text(sheet, place, 1, condition_text(condition, feature), "wrapped")
            formula = self._membership(plain[feature.name], feature)
            now = self._held_at_first(condition, feature)
            sheet.write_formula(place, 2, formula, self.formats["degree"], now)
            held *= now
        self._text(sheet, row, 0, f"rule {i + 1}", "rule")
        self._text(sheet, row, 1, f"THEN {conclusion_text(self.target, rule.label)}", "rule")
        product = f"=PRODUCT(C{row + 2}:C{last + 1})" if rule.conditions else "=1"
        sheet.write_formula(row, 2, product, self.formats["rule degree"], held)
        sheet.write_number(row, 3, rule.weight, self.formats["rule weight"])
        rest = 1.0 - rule.weight * held
        sheet.write_formula(row, 4, f"=1-D{row + 1}*C{row + 1}", self.formats["rule degree"], rest)
        return last + 1, held

    def _held_at_first(self, condition: Condition, feature: Feature) -> float:
        """Return how far a condition holds while nothing is typed: all is missing, and all counts are 0."""
        if not isinstance(feature.derived, Count):
            return condition.missing
        return float(membership(condition, np.zeros(1, np.int32), feature)[0])

    def _membership(self, condition: Condition, feature: Feature) -> str:
        listed = self._listed(condition.values if isinstance(condition, ValueCondition) else ())
        return membership_formula(condition, feature, self.cells[feature.name], listed)

    def _listed(self, values: Sequence[Value]) -> Listed:
        """Write values into the sheet of lists, texts and numbers apart."""
        return Listed(*(self._list(some) if some else None for some in split_values(tuple(values))))

    def _write_results(self, row: int, absent: Sequence[tuple[str, float]]) -> None:
        """Write the decision, then for each label its probability and, if it is an output, what decides about it."""
        target, offset = self.target, len(self.target.labels) - len(absent)
        now = np.array([[1.0 - value for _, value in absent]])
        shown, decided = self.program.label_probabilities(now)[0].tolist(), self.program.decide(now)[0]
        last_head = {"binary": "", "multiclass": "P / threshold", "multilabel": "holds"}[target.kind]
        head = ("label", "probability", "P of its rules", "threshold", last_head)
        self._row(self.case, row + 1, head, self.formats["head"])
        first, last = row + 3, row + 2 + len(target.labels)  # as Excel counts
        total = f"SUM($C${first}:$C${last})"
        for j, label in enumerate(target.labels):
            at = first + j
            self._text(self.case, at - 1, 0, conclusion_text(target, label), "top")
            formula = f"=C{at}" if j >= offset else f"=1-C{at + 1}"
            if target.kind == "multiclass":
                formula = f"=IF({total}>0,C{at}/{total},1/{len(target.labels)})"
            self.case.write_formula(at - 1, 1, formula, self.formats["probability"], shown[j])
            if j >= offset:
                self._write_output(j - offset, at, absent[j - offset])
        value = f"{decided.sum()} of {decided.size} labels" if decided.ndim else target.labels[decided]
        self._text(self.case, row, 0, "decision", "decision")
        self.case.write_formula(row, 1, self._decision(first, last), self.formats["decision"], value)

    def _write_output(self, k: int, at: int, absent: tuple[str, float]) -> None:
        formula, now = absent[0], 1.0 - absent[1]
        threshold = self.program.thresholds[k] if self.program.thresholds else 1.0
        self.case.write_formula(at - 1, 2, f"=1-{formula}", self.formats["percent"], now)
        self.case.write_number(at - 1, 3, threshold, self.formats["weight"])
        if self.target.kind == "multiclass":
            self.case.write_formula(at - 1, 4, f"=C{at}/D{at}", self.formats["degree"], now / threshold)
        elif self.target.kind == "multilabel":
            self.case.write_formula(at - 1, 4, f"=IF(C{at}>=D{at},1,0)", None, int(now >= threshold))

    def _decision(self, first: int, last: int) -> str:
        decides = f"E{first}:E{last}"
        if self.target.kind == "multilabel":
            found = f'SUM({decides})&" of {len(self.target.labels)} labels"'
        else:
            place = (
                f"IF(C{last}>=D{last},2,1)" if self.target.kind == "binary" else f"MATCH(MAX({decides}),{decides},0)"
            )
            found = f"INDEX({self._list(self.target.labels)},{place})"
        return f'=IFERROR({found},"Check the values.")'

    def _list(self, values: Sequence[Value]) -> str:
        """Write values into a column of the sheet of lists; return where they stand."""
        column, self.next_list = self.next_list, self.next_list + 1
        for row, value in enumerate(values):
            if isinstance(value, str):
                self._text(self.lists, row, column, value, None)
            elif isinstance(value, bool):
                self.lists.write_boolean(row, column, value)
            else:
                number(value)
                self.lists.write_number(row, column, value)
        letters = _letters(column)
        return f"Lists!${letters}$1:${letters}${len(values)}"

    def _row(self, sheet: Any, row: int, texts: Sequence[str], shape: Any) -> None:
        for column, text in enumerate(texts):
            sheet.write_string(row, column, text, shape)

    def _text(self, sheet: Any, row: int, column: int, text: str, shape: str | None) -> None:
        check_characters(text, "Excel")
        if len(text) > _MOST_TEXT:
            raise ValueError(
                f"A cell of Excel holds {_MOST_TEXT} characters, but this text has {len(text)}: {text[:40]!r}."
            )
        sheet.write_string(row, column, text, self.formats[shape] if shape else None)


def _takes(feature: Feature) -> str:
    if feature.kind == "probability":
        return "a number from 0 to 1"
    if feature.period is not None:
        return f"a number; {spelled(feature.period)} is 0 again"
    if isinstance(feature.reading, PrefixReading):
        return "a code"
    unit = getattr(feature.reading, "unit", "")
    return f"a number{unit and f' in {unit}'}" if feature.is_numeric else "a value of the list"


def _letters(column: int) -> str:
    """Name a column as Excel does: A, B, ..., Z, AA."""
    letters = ""
    while column >= 0:
        letters, column = chr(ord("A") + column % 26) + letters, column // 26 - 1
    return letters
