"""Every number of the paper's tables, as it prints them; benchmarks take the paper's figures from here.

V. Perreault, K. Inoue, R. Labib, A. Hertz, *Neural Logic Networks for Interpretable Classification*, TMLR 2026.
"""

from __future__ import annotations

DATA_SETS = (
    "tic-tac-toe",
    "chess",
    "monk2",
    "kidney",
    "wine",
    "adult",
    "balance (continuous)",
    "balance (categorical)",
)

CHARACTERISTICS_COLUMNS = ("Bin.", "Cat.", "Con.", "Classes", "Samples", "PP", "FC", "TP")
CHARACTERISTICS: dict[str, tuple[int | str, ...]] = {
    "tic-tac-toe": (0, 9, 0, 2, 958, 1152, "128, 1", 4865),
    "chess": (35, 1, 0, 2, 3196, 128, "128, 1", 5249),
    "monk2": (0, 6, 0, 2, 432, 768, "128, 1", 3201),
    "kidney": (0, 13, 11, 2, 400, 3787, "128, 1", 68513),
    "wine": (0, 0, 13, 3, 178, 2509, "128, 3", 71651),
    "adult": (1, 7, 6, 2, 32561, 2054, "128, 1", 46913),
    "balance (continuous)": (0, 0, 4, 3, 625, 772, "128, 3", 22403),
    "balance (categorical)": (0, 4, 0, 3, 625, 512, "128, 3", 3587),
}
"""Inputs, outputs, rows, and the pre-processing nodes, fully connected nodes and parameters of NLN."""
RRL_CAPACITIES: dict[str, tuple[int, str, int]] = {
    "tic-tac-toe": (0, "1024, 2", 28672),
    "chess": (0, "1024, 2", 39936),
    "monk2": (0, "1024, 2", 18432),
    "kidney": (220, "1024, 2", 277724),
    "wine": (260, "1024, 3", 268036),
    "adult": (120, "4096, 4096, 2", 17686648),
    "balance (continuous)": (80, "1024, 3", 83536),
    "balance (categorical)": (0, "1024, 3", 22016),
}

F1: dict[str, tuple[float, ...]] = {
    "NLN": (100, 99.31, 79.22, 98.08, 94.44, 65.38, 57.54, 53.75),
    "RRL": (100, 99.47, 95.26, 98.91, 95.58, 80.31, 73.86, 78.84),
    "ODD": (83.85, 97.89, 66.67, 97.67, 95.87, 60.45, 53.86, 53.28),
    "XGB": (99.91, 99.34, 87.85, 99.03, 98.22, 70.47, 66.86, 66.86),
}
"""F1 in percent, in the order of `DATA_SETS`."""

GROUND_TRUTH = {"tic-tac-toe": "8 rules of size 3", "chess": "? rules", "monk2": "15 rules of size 6"}
RULES: dict[str, tuple[tuple[float, float], ...]] = {
    "NLN": (
        (8.0, 3.00),
        (9.2, 5.56),
        (18.6, 5.65),
        (6.8, 2.49),
        (29.4, 5.53),
        (69.2, 22.53),
        (94.2, 12.14),
        (71.8, 5.07),
    ),
    "RRL": (
        (313.6, 2.02),
        (461.8, 1.55),
        (101.0, 2.07),
        (35.0, 1.05),
        (38.6, 1.09),
        (2855.2, 4.02),
        (691.6, 2.61),
        (169.2, 1.26),
    ),
    "ODD": (
        (29.8, 4.88),
        (18.8, 4.56),
        (16.6, 4.70),
        (3.0, 1.67),
        (4.2, 2.32),
        (5.6, 2.55),
        (20.4, 4.36),
        (22.6, 4.87),
    ),
}
"""Average number of rules and average rule size, in the order of `DATA_SETS`."""

RECOVERY_COLUMNS = ("recovered (%)", "excess (%)")
RECOVERY: dict[str, dict[str, tuple[float, float]]] = {
    "NLN": {"tic-tac-toe": (100, 0), "monk2": (53.3, 24.0)},
    "RRL": {"tic-tac-toe": (75.0, 3820.0), "monk2": (0, 573.33)},
    "ODD": {"tic-tac-toe": (0, 360.0), "monk2": (20.0, 86.7)},
}

KIDNEY: dict[str, dict[str, float]] = {
    "NLN": {
        "five models": 34,
        "merged, pruned, adjusted": 11,
        "fewest rules": 4,
        "choices": 4,
        "fewest rules: accuracy (%)": 100,
        "best two: F1 (%)": 98.99,
        "best two: choices": 2,
    },
    "RRL": {"five models": 175, "merged, pruned, adjusted": 62, "fewest rules": 13, "fewest rules: accuracy (%)": 100},
}
"""Rules of the models of the five folds, of the merged one, and of the smallest one that decides all rows rightly."""

KDD_COLUMNS = ("Samples", "Attacks", "normal", "anomaly", "normal of 5", "DoS", "Probe", "U2R", "R2L")
KDD_CHARACTERISTICS: dict[str, tuple[float, ...]] = {
    "training": (125973, 23, 53, 47, 53, 36, 9, 0.04, 0.8),
    "test": (22544, 39, 43, 56, 43, 33, 11, 0.9, 12),
}
"""Rows, kinds of attacks, and shares of the classes in percent."""
KDD_RESULTS_COLUMNS = ("rules", "training", "test", "full")
KDD_RESULTS: dict[str, dict[str, tuple[float, ...]]] = {
    "NLN": {"binary": (24, 99.73, 81.37, 96.94), "transferred": (17, 88.97, 60.86, 84.70)},
    "LAD": {"binary": (37, 95.94, 84.78, 94.25)},
}

SHARES = (8, 16, 40, 80)
ROT = "ROT"
"""Run out of time: more than five hours."""
BOOLEAN: dict[str, dict[str, tuple[float | str, ...]]] = {
    "mammalian": {
        "NLN": (92.42, 98.46, 100, 100),
        "NN-LFIT": (96.60, 94.35, 99.89, 99.91),
        "D-LFIT": (71.67, 75.9, 80.09, 82.84),
        "LF1T": (76.01, 76.48, 76.73, 91.56),
        "JRip": (77.84, 75.44, 76.41, 74.66),
    },
    "fission": {
        "NLN": (91.59, 97.69, 100, 100),
        "NN-LFIT": (98.80, 99.80, 99.92, 99.87),
        "D-LFIT": (80.45, 85.33, 93.13, 92.89),
        "LF1T": (76.85, 77.03, 77.15, 100),
        "JRip": (79.14, 78.05, 80.04, 78.47),
    },
    "budding": {
        "NLN": (97.03, 99.57, 100, 100),
        "NN-LFIT": (ROT, ROT, ROT, ROT),
        "D-LFIT": (71.96, 71.39, 70.50, 76.52),
        "LF1T": (ROT, ROT, ROT, ROT),
        "JRip": (67.97, 68.55, 67.91, 68.35),
    },
    "arabidopsis": {
        "NLN": (100, 100, 100, 100),
        "NN-LFIT": (ROT, ROT, ROT, ROT),
        "D-LFIT": (84.35, 86.83, 88.56, 89.70),
        "LF1T": (ROT, ROT, ROT, ROT),
        "JRip": (68.84, 69.00, 68.79, 68.67),
    },
}
"""Accuracy in percent for each share of the states."""

ABLATION_TABLES = ("tic-tac-toe", "chess", "monk2", "kidney", "wine", "average")
ABLATION: dict[tuple[str, str], tuple[tuple[float, float], ...]] = {
    ("on", "none"): ((99.74, 0.30), (99.66, 0.07), (79.09, 4.05), (99.15, 0.24), (95.11, 1.00), (94.55, 1.13)),
    ("on", "threshold"): ((99.95, 0.16), (99.40, 0.26), (78.68, 4.47), (98.39, 0.67), (94.05, 1.91), (94.09, 1.49)),
    ("on", "descending"): ((100, 0), (99.53, 0.09), (81.27, 2.61), (98.60, 0.54), (94.85, 1.59), (94.85, 0.96)),
    ("on", "ascending"): ((100, 0), (99.49, 0.08), (81.67, 3.38), (98.68, 0.68), (94.62, 1.56), (94.89, 1.14)),
    ("on", "additive"): ((100, 0), (99.47, 0.09), (85.91, 2.53), (98.37, 0.58), (95.08, 1.18), (95.77, 0.87)),
    ("on", "subtractive"): ((100, 0), (99.51, 0.08), (80.69, 3.00), (98.51, 0.42), (94.52, 1.32), (94.65, 0.96)),
    ("off", "none"): ((99.73, 0.31), (99.65, 0.08), (78.73, 4.84), (99.13, 0.24), (95.11, 1.00), (94.47, 1.29)),
    ("off", "descending"): ((100, 0), (99.51, 0.08), (81.15, 3.46), (98.34, 0.51), (94.84, 1.49), (94.77, 1.11)),
}
"""By rule reset and discretization: mean F1 in percent and its standard deviation over ten seeds, for each table."""

AUTHORS_SECONDS = 1268
"""Discretization and pruning of a fold of tic-tac-toe by the authors' program: measured, not from the paper."""
