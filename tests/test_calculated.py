"""Columns that the user calculates: learned from, printed by their names, saved with the model."""

from __future__ import annotations

import numpy as np
import pytest

from nln import Calculated, LanguageOptions, NLNClassifier, TrainingOptions, load_model

QUICK = {"starts": 2, "training": TrainingOptions(epochs=30), "random_state": 0}
BMI = {"bmi": Calculated("weight / height / height")}


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    height = rng.normal(1.7, 0.1, 300).round(2)
    weight = (rng.normal(26, 5, 300) * height**2).round(1)
    return {"weight": weight, "height": height}, (weight / height / height >= 30).astype(int)


def test_a_named_calculation_is_one_condition_and_saved_with_the_model(frame, people, tmp_path):
    columns, y = people
    crisp = LanguageOptions(fuzzy=False)
    model = NLNClassifier(**QUICK, feature_types=BMI, language=crisp).fit(frame(columns), y)
    (rule,) = model.program_.rules
    assert [condition.feature for condition in rule.conditions] == ["bmi"]
    assert str(model.program_).startswith("IF   bmi >= ")
    assert model.schema_["bmi"].derived.text == "weight / height / height"
    assert model.score(frame(columns), y) == 1.0
    assert model.n_features_in_ == 2
    np.testing.assert_allclose(model.feature_importances_.sum(), 1.0)
    model.save(tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict(frame(columns)), model.predict(frame(columns)))
    assert str(loaded.program_) == str(model.program_)


def test_calculations_may_use_earlier_ones_and_columns_that_look_like_identifiers(frame, people):
    columns, y = people
    columns = {**columns, "id": np.arange(1000, 1300)}
    kinds = {
        "slim": Calculated("height / weight"),
        "odd": Calculated("slim * height"),
        "far": Calculated("id - weight"),
    }
    model = NLNClassifier(**QUICK, feature_types=kinds).fit(frame(columns), y)
    assert model.schema_["odd"].derived.text == "height * height / weight"
    assert "id" in model.schema_.names


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        ({"bmi": Calculated("weight / hight")}, "'bmi' by 'weight / hight', which cannot be read.*Did you mean height"),
        ({"bmi": Calculated("weight /")}, "'bmi' by 'weight /', which cannot be read.*The text ends here"),
        ({"bmi": Calculated("weight + name")}, "'bmi' by .*but 'name' in 'name' is categorical"),
        ({"bmi": Calculated("weight")}, "'bmi' by 'weight', which cannot be read.*A single column has a name already"),
        ({"height": Calculated("weight / height")}, "'height' by .*X has a column of that name"),
    ],
)
def test_errors_name_the_column_and_the_expression(frame, people, kinds, said):
    columns, y = people
    names = np.resize(["a", "b", "c"], len(y))
    with pytest.raises(ValueError, match=f"(?s)feature_types calculates {said}"):
        NLNClassifier(**QUICK, feature_types=kinds).fit(frame({**columns, "name": names}), y)


def test_a_calculation_is_a_text():
    with pytest.raises(TypeError, match="A calculation is a text"):
        Calculated(3)
