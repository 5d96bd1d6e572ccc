import pytest

from nln.rules import Feature, LogicProgram, Schema, Target
from nln.rules.adopt import adopt


@pytest.mark.parametrize(
    ("features", "text", "said"),
    [
        ((Feature("age", "continuous"),), "IF age < 3 THEN class = yes", "Rule 1 asks about 'age'"),
        ((Feature("colour", "categorical", ("red", "pink")),), "IF colour = pink THEN class = yes", "no value 'pink'"),
        ((Feature("size", "ordinal", ("L", "S")),), "IF size < S THEN class = yes", r"'size' with the values \('L'"),
        ((Feature("same", "continuous"),), "IF same < 3 THEN class = yes", "'same', which has no two different"),
        ((Feature("x", "categorical", ("low", "high")),), "IF x = low THEN class = yes", "takes intervals"),
    ],
)
def test_programs_over_another_schema_are_refused_by_name(features, text, said):
    given_program = LogicProgram.parse(text, schema=Schema(features, Target("class", "binary", ("no", "yes"))))
    colour, size = Feature("colour", "categorical", ("blue", "red")), Feature("size", "ordinal", ("S", "L"))
    here = Schema((Feature("x", "continuous"), colour, size), Target("class", "binary", ("no", "yes")))
    with pytest.raises(ValueError, match=said):
        adopt(given_program, here, ("x", "colour", "size", "same"))


def test_labels_of_another_target_are_refused():
    given_program = LogicProgram.parse(
        "IF x < 3 THEN class = ill",
        schema=Schema((Feature("x", "continuous"),), Target("class", "binary", ("healthy", "ill"))),
    )
    here = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    with pytest.raises(ValueError, match="concludes 'ill'; rules may conclude 'yes'"):
        adopt(given_program, here)
