"""A program small enough to check by hand, in the words of a nephrologist."""

from nln.rules import Feature, LogicProgram, Schema, Target

SCHEMA = Schema(
    (
        Feature("albumin", "categorical", (0, 1, 2, 3)),
        Feature("hemoglobin", "continuous"),
        Feature("serum_creatinine", "continuous"),
        Feature("appetite", "binary", ("good", "poor")),
    ),
    Target("class", "binary", ("notckd", "ckd")),
)
PROGRAM = LogicProgram.parse(
    """
    IF   albumin != 0 AND hemoglobin < 12.9 ± 0.3 THEN class = ckd (0.97; covers 190 of 250 ckd, 231 of 400 rows)
    IF   serum_creatinine >= 1.3 or missing (0.25) THEN class = ckd (0.9; covers 100 of 250 ckd, 100 of 400 rows)
    IF   appetite = poor AND albumin in {2, 3} AND hemoglobin < 11 THEN class = ckd
    OTHERWISE class = notckd (P(class = ckd) = 0.02; class = ckd from 0.5)
    """,
    schema=SCHEMA,
)
SICK = {"albumin": 3, "hemoglobin": 9.4, "serum_creatinine": 0.9, "appetite": "good"}
