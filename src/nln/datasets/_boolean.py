"""Boolean networks of gene regulation: every state, and the state that follows it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

import narwhals as nw
import numpy as np
import numpy.typing as npt

from nln.datasets._frame import Backend, build_frame

States = npt.NDArray[np.bool_]
"""(states, genes)"""

NETWORKS = ("mammalian", "fission", "budding", "arabidopsis")
"""The networks that come with the package."""

MOST_GENES = 20
"""A table of all states is refused for more genes than this, which make a million rows."""

_RULE = re.compile(r"(?P<head>\w+)\s*(?::-\s*(?P<body>.*))?", re.DOTALL)
_LITERAL = re.compile(r"(?P<negation>not\s+)?(?P<gene>\w+)")
_GENES = re.compile(r"%\s*genes:(.*)")


@dataclass(frozen=True, slots=True)
class BooleanRule:
    """A sufficient condition for a gene to be on in the next state.

    Parameters
    ----------
    head : str
        The gene that is switched on.
    body : tuple of (str, bool)
        Genes and whether they must be on (True) or off (False) now.
    """

    head: str
    body: tuple[tuple[str, bool], ...]

    def __str__(self) -> str:
        literals = ", ".join(gene if on else f"not {gene}" for gene, on in self.body)
        return f"{self.head} :- {literals}." if literals else f"{self.head}."


@dataclass(frozen=True, slots=True)
class BooleanNetwork:
    """Genes that are on or off, and the rules that switch them on in the next state.

    Rules of the same gene are alternatives; a gene none of whose rules holds is off in the next state.

    Parameters
    ----------
    genes : tuple of str
        The genes, in order.
    rules : tuple of BooleanRule
        The rules.

    Examples
    --------
    >>> network = BooleanNetwork.from_text("a :- b, not c. b :- a. c :- a. c :- b.")
    >>> network.genes
    ('a', 'b', 'c')
    >>> network.successors([[True, False, False]]).astype(int).tolist()
    [[0, 1, 1]]
    """

    genes: tuple[str, ...]
    rules: tuple[BooleanRule, ...]

    @classmethod
    def from_text(cls, text: str, *, source: str = "the text") -> Self:
        """Read rules such as `a9 :- not a5, a6.`; `%` begins a comment.

        A line `% genes: a, b, ...` gives the order of the genes. Without it, they stand in the order in which they
        occur, heads before bodies.

        Parameters
        ----------
        text : str
            The rules, each ended by a full stop.
        source : str, default="the text"
            Name of the text in errors, for example the name of its file.
        """
        rules = tuple(_read_rules(text, source))
        heads = [rule.head for rule in rules]
        used = list(dict.fromkeys([*heads, *(gene for rule in rules for gene, _ in rule.body)]))
        listed = _GENES.search(text)
        genes = [name.strip() for name in listed.group(1).split(",")] if listed else used
        unknown = [gene for gene in used if gene not in genes]
        if unknown:
            raise ValueError(f"{source}: the line '% genes:' lacks {', '.join(unknown)}. Add every gene of the rules.")
        return cls(tuple(genes), rules)

    def states(self) -> States:
        """Return all 2^n states in counting order; the last gene changes fastest."""
        n = len(self.genes)
        if n > MOST_GENES:
            raise ValueError(
                f"{n} genes have 2^{n} states; states are listed for at most {MOST_GENES} genes. "
                "Draw some states yourself and call successors."
            )
        return (np.arange(2**n)[:, None] >> np.arange(n)[::-1] & 1).astype(bool)

    def successors(self, states: npt.ArrayLike) -> States:
        """Return the next state of each state, (states, genes)."""
        now = np.asarray(states, dtype=bool)
        after = np.zeros_like(now)
        for rule in self.rules:
            after[:, self.genes.index(rule.head)] |= self.holds(rule, now)
        return after

    def holds(self, rule: BooleanRule, states: States) -> npt.NDArray[np.bool_]:
        """Return whether the body of a rule holds in each state."""
        found = np.ones(len(states), bool)
        for gene, on in rule.body:
            found &= states[:, self.genes.index(gene)] == on
        return found


def read_boolean_network(source: str | os.PathLike[str]) -> BooleanNetwork:
    """Read the rules of a Boolean network.

    Parameters
    ----------
    source : str or path
        `mammalian`, `fission`, `budding` or `arabidopsis` (see `load_boolean_network`), or the path of a file of your
        own with one rule per line: `a9 :- not a5, a6.` says that a9 is on in the next state if a5 is off and a6 is on
        now.

    Examples
    --------
    >>> network = read_boolean_network("fission")
    >>> len(network.genes), len(network.rules)
    (10, 24)
    >>> print(network.rules[0])
    SK :- Start.
    """
    if source in NETWORKS:
        text = files("nln.datasets").joinpath("networks", f"{source}.lp").read_text(encoding="utf-8")
        return BooleanNetwork.from_text(text, source=str(source))
    path = Path(source)
    if not path.is_file():
        raise FileNotFoundError(
            f"{str(source)!r} is neither a network of the package ({', '.join(NETWORKS)}) nor a file with rules."
        )
    return BooleanNetwork.from_text(path.read_text(encoding="utf-8"), source=str(path))


def load_boolean_network(source: str | os.PathLike[str], *, backend: Backend | None = None) -> tuple[Any, Any]:
    """Load all states of a Boolean network with the states that follow them.

    Parameters
    ----------
    source : str or path
        `mammalian` (10 genes, 23 rules), `fission` (10, 24), `budding` (12, 54), `arabidopsis` (15, 28), or the path of
        a file of rules (see `read_boolean_network`).
    backend : {"pandas", "polars"}, default=None
        Table library; by default pandas if it is installed, else polars.

    Returns
    -------
    X : frame
        2^n rows, with one column of 0 and 1 for each gene.
    y : frame
        The next state, with one column `GENE_next` for each gene: a multi-label target.

    Notes
    -----
    The rules are those of the benchmark programs of learning from interpretation transition (LFIT). Some genes have
    other rules than in other versions of the networks, among them Cdh1 (mammalian), Rum1 (fission) and Sic1 (budding).

    References
    ----------
    mammalian: A. Fauré, A. Naldi, C. Chaouiya and D. Thieffry (2006), Dynamical analysis of a generic Boolean model
    for the control of the mammalian cell cycle, Bioinformatics 22. fission: M. Davidich and S. Bornholdt (2008),
    Boolean network model predicts cell cycle sequence of fission yeast, PLoS ONE 3. budding: F. Li, T. Long, Y. Lu, Q.
    Ouyang and C. Tang (2004), The yeast cell-cycle network is robustly designed, PNAS 101. arabidopsis: Á. Chaos, M.
    Aldana, C. Espinosa-Soto et al. (2006), From genes to flower patterns and evolution: dynamic models of gene
    regulatory networks, Journal of Plant Growth Regulation 25. As rule programs: K. Inoue, T. Ribeiro and C. Sakama
    (2014), Learning from interpretation transition, Machine Learning 94.

    Examples
    --------
    >>> X, y = load_boolean_network("mammalian", backend="polars")
    >>> X.shape, y.shape
    ((1024, 10), (1024, 10))
    >>> y.columns[:3]
    ['CycD_next', 'CycE_next', 'Rb_next']
    """
    network = read_boolean_network(source)
    now = network.states()
    return (
        _bits(now, list(network.genes), backend),
        _bits(network.successors(now), [f"{gene}_next" for gene in network.genes], backend),
    )


def _bits(states: States, names: list[str], backend: Backend | None) -> Any:
    columns = {name: states[:, place].astype(np.int64).tolist() for place, name in enumerate(names)}
    return build_frame(columns, dict.fromkeys(names, nw.Int64), backend).to_native()


def _read_rules(text: str, source: str) -> list[BooleanRule]:
    """Split the text at full stops; errors name the line where a rule begins."""
    bare = re.sub("%.*", "", text)
    pieces = bare.split(".")
    if pieces[-1].strip():
        raise ValueError(f"{source}: the last rule does not end with a full stop: {pieces[-1].strip()!r}.")
    rules, line = [], 1
    for piece in pieces[:-1]:
        begin = line + piece[: len(piece) - len(piece.lstrip())].count("\n")
        rules.append(_read_rule(piece.strip(), f"{source}, line {begin}"))
        line += piece.count("\n")
    if not rules:
        raise ValueError(f"{source} has no rules. A rule reads `a9 :- not a5, a6.`")
    return rules


def _read_rule(text: str, place: str) -> BooleanRule:
    found = _RULE.fullmatch(text)
    literals = [] if found is None or found["body"] is None else [part.strip() for part in found["body"].split(",")]
    matches = [_LITERAL.fullmatch(literal) for literal in literals]
    if found is None or not all(matches) or found["head"] == "not":
        raise ValueError(f"{place}: {text!r} is not a rule. A rule reads `a9 :- not a5, a6.`")
    body = tuple((match["gene"], match["negation"] is None) for match in matches if match is not None)
    clash = [gene for gene, on in body if (gene, not on) in body]
    if clash:
        raise ValueError(f"{place}: {text!r} asks {clash[0]} to be both on and off. Leave this rule out.")
    return BooleanRule(found["head"], body)
