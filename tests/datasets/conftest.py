import pytest


@pytest.fixture(params=["pandas", "polars"])
def backend(request):
    return request.param


@pytest.fixture(autouse=True)
def no_data_folder(monkeypatch):
    monkeypatch.delenv("NLN_DATA", raising=False)


@pytest.fixture(autouse=True)
def offline(monkeypatch):
    """Fail like a machine without a network, at once."""

    def fetch_openml(**arguments):
        raise ConnectionError("no network in tests")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)


@pytest.fixture
def openml(monkeypatch):
    """Let OpenML answer with a frame; returns the list of what was asked for."""
    from sklearn.utils import Bunch

    asked = []

    def answer(frame):
        def fetch_openml(**arguments):
            asked.append(arguments)
            return Bunch(frame=frame)

        monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
        return asked

    return answer
