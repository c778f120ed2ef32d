"""What rankings of archives at random say is true of their bundles."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import msgspec
import truth
from making import SHIPPED
from msgspec import UNSET
from random_archives import archive
from truth import N

from perfguide.bundle import Result, digest
from perfguide.bundles.decode import Loaded
from perfguide.bundles.guide_key import version
from perfguide.catalog import benchmarks
from perfguide.catalog.board_names import Boards
from perfguide.common import units
from perfguide.figures import rows
from perfguide.figures.pool import Pool, Record
from perfguide.pages import benchmark as benchmark_pages
from perfguide.pages import ranking
from perfguide.pages.ranking import RankedFigures

CATALOG = benchmarks.load([SHIPPED])[0]
PARAMS = ("algorithm", "block_size", "buffer_size", "direction", "frame_size")
"""The parameters of the archives but the engine; others are defaults."""

NEAR = r"(?:(?P<near>\d+) of the other (?P<of>\d+) SoCs are|all (?P<all>\d+) others are|(?P<near_one>\S+) is) within 5 % of it"
FORMS = (
    r"(?P<first>\S+) leads with {figure} in {release}(?:; the next (?P<next>\d+) are close together \({ends}\))?",
    rf"(?P<first>\S+) is first with {{figure}} in {{release}}; {NEAR}",
    r"(?P<equal>\S.*) lead with {figure}",
    rf"(?P<equal>\S.*) are first with {{figure}}; {NEAR}",
    r"only (?P<first>\S+), with {figure} in {release}",
)
FIGURE = (
    rf"(?:a score of )?(?P<figure>{N})(?: (?P<unit>[^ .;(]+))?"
    rf"(?: at (?P<load>{N}) % (?:of one core over all sizes|of all cores|CPU))?(?: \((?P<engine>.+?)\))?"
)
RELEASE = r"(?:RT-)?Linux (?P<release>[\w.]*\w)"
ENDS = rf"(?P<least>{N})(?: to (?P<most>{N}))?"
SPREAD = rf"(?: Its runs differ, from (?P<low>{N}) to (?P<high>{N}), so its rank is not certain\.)?"


def archive_of_socs(seed: int) -> list[Loaded]:
    """Bundles of four SoCs, three of which are about equally fast, and whose boards have other releases."""
    out = []
    for number, factor in enumerate((1.0, (1.0, 1.02, 1.2)[seed % 3], (1.04, 1.09)[seed % 2], 1.0)):
        bundles = archive(seed + 100 * (number == 3)).bundles[-9 : -1 if number == 1 else None]
        for item in bundles:
            name = f"{number}-{item.bundle.id}"
            board = msgspec.structs.replace(item.bundle.board, soc=f"S{number}")
            own = [
                Result(each.benchmark, each.metric, each.unit, params=each.params, status="fail")
                if (number, each.metric) == (3, "scale")
                else scaled(each, factor)
                for each in item.bundle.results
                # The newest release of a SoC lacks the engines on the CPU.
                if number != 2
                or item.bundle.sdk != bundles[-1].bundle.sdk
                or each.params.get("engine", "hw") == "hw"
            ]
            bundle = msgspec.structs.replace(item.bundle, id=name, board=board, results=own)
            out.append(Loaded(item.root, name, bundle, digest(bundle)))
    return out


def scaled(result: Result, factor: float) -> Result:
    """A result with its figures but for loads multiplied by a factor."""
    if result.unit == "%" or result.status is not UNSET:
        return result
    own = {n: getattr(result, n) for n in ("value", "min", "max")}
    changed = {n: factor * value for n, value in own.items() if value is not UNSET}
    if result.samples is not UNSET:
        changed["samples"] = [factor * each for each in result.samples]
    return msgspec.structs.replace(result, **changed)


@dataclass(frozen=True)
class Best:
    """The best sound figure of a SoC, in the base unit of its kind, and what ran."""

    soc: str
    figure: float
    runs: truth.Runs
    load: float | None
    engine: str
    release: tuple[object, ...]

    @property
    def is_on_cpu(self) -> bool | None:
        """True for an engine on the CPU, recorded or seen by a busy CPU; ``None`` if that is unknown."""
        if self.engine:
            return self.engine != "hw"
        # OpenSSL has one load for all sizes of blocks.
        return None if self.load is None or 60 <= self.load < 85 else self.load >= 85


Row = tuple[str, bool | None]
"""A SoC and the side of its engine in a ranking of both, or ``None``."""

HEADS = {
    True: "On the CPU (by record or load)",
    False: "With the accelerator",
    None: "Engine not known",
}

Place = tuple[str, str, str]
"""A benchmark, a SoC and a board."""


class Measured:
    """The results of all releases of each board."""

    def __init__(self, bundles: Sequence[Loaded]) -> None:
        self.results: dict[Place, dict[Any, dict[Any, list[Result]]]] = {}
        self.of_older_engines = 0
        self.of_best_ever = 0
        for item in bundles:
            own, release = item.bundle.board, version(item.bundle.sdk.version)
            for each in item.bundle.results:
                place = (each.benchmark, own.soc, own.name)
                of_release = self.results.setdefault(place, {}).setdefault(release, {})
                of_release.setdefault((each.metric, *sorted(each.params.items())), []).append(each)

    def socs(self, benchmark: str) -> set[str]:
        return {soc for name, soc, _ in self.results if name == benchmark}

    def best(
        self, benchmark: str, figures: RankedFigures
    ) -> tuple[dict[Row, Best], dict[str, bool]]:
        """The best figure of each SoC on each side, of the newest release with one that is not in doubt and, if
        all of its engines are on the CPU or none is, of the newest release with others; and for each SoC that
        ran it whether that is a figure."""
        sign = -1 if figures.ranking.better == "lower" else 1
        runs_by_release = self._by_release(benchmark, figures)
        out: dict[Row, Best] = {}
        having: dict[str, bool] = {}
        for soc, by_release in runs_by_release.items():
            having[soc] = True
            for release in sorted(by_release, reverse=True):
                measured = [each for each in by_release[release] if each[1].runs.mean is not None]
                sound = [
                    best for board, best in measured if not is_doubtful(soc, board, figures.metric)
                ]
                if sound:
                    sides = {best.is_on_cpu for _, best in measured}
                    if benchmark == "openssl" and sides in ({True}, {False}):
                        others = [
                            best
                            for older in sorted(by_release)
                            for board, best in by_release[older]
                            if older < release
                            and best.runs.mean is not None
                            and best.is_on_cpu not in (None, *sides)
                            and not is_doubtful(soc, board, figures.metric)
                        ]
                        sound += [each for each in others if each.release == others[-1].release]
                        self.of_older_engines += bool(others)
                    for each in sorted(sound, key=lambda best: sign * best.figure):
                        out[soc, each.is_on_cpu if benchmark == "openssl" else None] = each
                if sound or not measured:
                    having[soc] = bool(sound)
                    break
        if {True, False} <= {side for _, side in out}:
            return out, having
        ordered = sorted(out.items(), key=lambda item: sign * item[1].figure)
        return {(soc, None): best for (soc, _), best in ordered}, having

    def _by_release(
        self, benchmark: str, figures: RankedFigures
    ) -> dict[str, dict[Any, list[tuple[str, Best]]]]:
        """The boards and figures of each SoC by release."""
        wanted = {n: v for n, v in figures.params.items() if n in PARAMS}
        runs_by_release: dict[str, dict[Any, list[tuple[str, Best]]]] = {}
        for (name, soc, board), releases in self.results.items():
            for release, own in releases.items() if name == benchmark else ():
                for (metric, *pairs), results in own.items():
                    params = dict(pairs)
                    engine = params.pop("engine", "")
                    if (metric, params) == (figures.metric, wanted):
                        of_release = runs_by_release.setdefault(soc, {}).setdefault(release, [])
                        load = _load(own, metric, params, engine)
                        runs = truth.runs_of(results)
                        of_release.append(
                            (board, Best(soc, runs.mean or 0.0, runs, load, engine, release))
                        )
        return runs_by_release

    def is_best_ever(self, benchmark: str, figures: RankedFigures, now: Best) -> bool:
        """Whether the best figure of any release is named if it is better than the best of now."""
        sign = -1 if figures.ranking.better == "lower" else 1
        sound = [
            best
            for soc, releases in self._by_release(benchmark, figures).items()
            for own in releases.values()
            for board, best in own
            if best.runs.mean is not None and not is_doubtful(soc, board, figures.metric)
        ]
        most = max(sign * best.figure for best in sound)
        if not figures.is_headline or most <= sign * now.figure:
            return not figures.best_ever
        form = rf"The best of any release is {FIGURE} on (?P<soc>\S+) in {RELEASE}\."
        match = re.fullmatch(form, figures.best_ever)
        self.of_best_ever += match is not None
        return match is not None and any(
            sign * best.figure == most
            and truth.rounds(match["figure"], best.figure / units.parse(figures.ranking.unit).scale)
            and (match["soc"], version(match["release"])) == (best.soc, best.release)
            and (match["load"] is None) == (best.load is None)
            and (best.load is None or truth.rounds(match["load"], best.load))
            for best in sound
        )


def _load(own: Any, metric: str, params: dict[str, Any], engine: str) -> float | None:
    start = metric.removesuffix("throughput") if metric.endswith("throughput") else ""
    # OpenSSL has one load for all sizes of blocks.
    of_run = {n: v for n, v in params.items() if n != "block_size"} | (
        {"engine": engine} if engine else {}
    )
    results = own.get((f"{start}cpu_load", *sorted(of_run.items())))
    return truth.runs_of(results).mean if results else None


def is_engine(said: str, best: Best) -> bool:
    if said.startswith("likely"):
        waits = best.load is not None and best.load < 60
        return best.engine == "" and (said == "likely the accelerator") == waits
    names = {"": "engine not recorded", "hw": "accelerator", "arm-ce": "Arm Crypto Extension"}
    return said in (names | {"sw": "software"})[best.engine]


def is_doubtful(soc: str, board: str, metric: str) -> bool:
    """Whether a figure of the archives is taken to be in doubt."""
    return (soc, board, metric) in {("S0", "evm", "copy"), ("S3", "evm", "write_throughput")} or (
        soc == "S2" and metric == "lat_pipe"
    )


def doubt(record: Record) -> str:
    return "odd" if is_doubtful(record.guide.soc, record.board, record.metric) else ""


def rankings_of(bundles: Sequence[Loaded]) -> Iterator[tuple[str, RankedFigures]]:
    pool = Pool(rows.build([*bundles]), CATALOG)
    platforms = {guide.platform: guide.soc for guide in pool.guides()}
    site: Any = SimpleNamespace(
        pool=pool,
        catalog=CATALOG,
        boards=Boards({}),
        marks=SimpleNamespace(doubt=doubt),
        platform_slugs=platforms,
    )
    for name in pool.benchmarks():
        measured = [*pool.guides_and_boards(name)]
        pages = dict.fromkeys((guide.soc for guide, _ in measured), "")
        benchmark, records = CATALOG.benchmark(name), pool.of_benchmark(name)
        for each in ranking.rankings(site, benchmark, records, pages):
            yield name, each


def ratio(one: float, other: float) -> float:
    small, large = sorted((one, other))
    return large / small if small else math.inf if large else 1.0


def is_true_row(
    row: benchmark_pages.BenchmarkRow, said: str, same: Sequence[str], near: int, is_uncertain: bool
) -> bool:
    """Whether the row of a benchmark in the list names the SoCs with the best figure and counts those near it."""
    remark = (
        r"(?:and (\d+) more (within 5 % of it|with the same figure))?(?:; )?(rank not certain)?"
    )
    match = re.fullmatch(remark, row.remark)
    named = {*row.leaders.split(" and ")}
    return (
        match is not None
        and named <= {*same}
        and len(named) == (len(same) if len(same) < 3 else 1)
        and len(named) + int(match[1] or 0) == near
        and match[2] in (None, "within 5 % of it" if near > len(same) else "with the same figure")
        and bool(match[3]) == is_uncertain
        and bool(row.release) == (len(same) == 1)
        and row.release in said
        and f" {row.figure}{'' if len(same) > 1 else ' in '}" in said
    )


Form = tuple[int, bool, bool, bool]
"""The number of a form of the sentence, and whether it names a spread, SoCs near the first, and SoCs near the
second."""


def check(
    benchmark: str, figures: RankedFigures, measured: Measured
) -> tuple[set[Form], list[str]]:
    """Return the forms of the sentences about a ranking, and what of them and its lists is false."""
    said = ranking.lead(figures)
    best, having = measured.best(benchmark, figures)
    sign = 1 if figures.ranking.better == "lower" else -1
    scale = units.parse(figures.ranking.unit).scale
    by_side: dict[bool | None, list[Best]] = {}
    for (_, side), each in sorted(best.items(), key=lambda item: sign * item[1].figure):
        by_side.setdefault(side, []).append(each)
    order = next(iter(by_side.values()))
    rows = {(row.soc, row.is_on_cpu): row.number * scale for row in figures.ranking.rows}
    forms, truths = set[Form](), dict[str, bool]()
    truths["rows"] = rows.keys() == best.keys() and all(
        math.isclose(number, best[row].figure, rel_tol=1e-6) for row, number in rows.items()
    )
    parts = [said]
    if len(by_side) > 1:
        _, *named = re.split(rf" ?({'|'.join(map(re.escape, HEADS.values()))}): ", said)
        parts = named[1::2]
        truths["sides"] = named[::2] == [HEADS[side] for side in by_side]
    for part, (side, of_side) in zip(parts, by_side.items(), strict=True):
        form, of_part = check_part(part, of_side, scale)
        forms.add(form)
        truths |= {f"{why} ({side})": holds for why, holds in of_part.items()}
    # OpenSSL counts the time of its process, the other tools that of all cores.
    cores = "of one core over all sizes" if benchmark == "openssl" else "of all cores"
    truths["cores"] = {*re.findall(r" % (of \w+ cores?(?: over all sizes)?|CPU)", said)} <= {cores}
    first_side = next(iter(figures.ranking.sides.values()))
    listed = ranking._lead(msgspec.structs.replace(figures.ranking, rows=first_side))
    same, near, spread = leading(order)
    truths |= {
        "row of the list": is_true_row(
            benchmark_pages.ranked_row(figures),
            listed,
            same,
            near,
            len(same) == 1 and spread >= 1.5,
        ),
        "best ever": measured.is_best_ever(benchmark, figures, order[0]),
        "not measured": {*figures.not_measured} == measured.socs(benchmark) - {*having},
        "failed": {*figures.failed} == {soc for soc, gave in having.items() if not gave},
        "left out": {name.split()[0] for name, _ in figures.left_out}
        >= {soc for soc, gave in having.items() if gave} - {soc for soc, _ in best},
    }
    return forms, [f"{why}: {said}" for why, holds in truths.items() if not holds]


def is_near(other: Best, first: Best) -> bool:
    """Return whether a figure is within 5 % of the first one."""
    distance = abs(other.figure - first.figure)
    return distance == 0 or distance < 0.05 * abs(first.figure)


def leading(order: Sequence[Best]) -> tuple[list[str], int, float]:
    """Return the SoCs with the best figure, the number within 5 % of it, and the spread of its runs."""
    first = order[0]
    same = [each.soc for each in order if math.isclose(each.figure, first.figure, rel_tol=1e-12)]
    near = sum(is_near(each, first) for each in order)
    return same, near, first.runs.high / first.runs.low if first.runs.low else 1.0


def check_part(said: str, order: Sequence[Best], scale: float) -> tuple[Form, dict[str, bool]]:
    """Return the form of a sentence about some SoCs, best first, and whether each part of it is true."""
    first, second = order[0], order[min(1, len(order) - 1)]
    number, match = next(
        (number, match)
        for number, form in enumerate(FORMS)
        if (
            match := re.fullmatch(
                rf"{form.format(figure=FIGURE, release=RELEASE, ends=ENDS)}\.{SPREAD}", said
            )
        )
    )
    at = match.groupdict()
    same, _, spread = leading(order)
    near = [each for each in order if is_near(each, first)]
    close = [each for each in order[1:] if ratio(each.figure, second.figure) <= 1.1]
    truths = {
        "figure": truth.rounds(at["figure"], first.figure / scale),
        "first": len(same) > 1 or at["first"] == first.soc,
        "equal": len(same) == 1 or {*re.split(", | and ", at["equal"] or "")} == {*same},
        "alone": ("only" in said) == (len(order) == 1),
        "leads": len(order) == 1
        or ("leads" in said) == (len(same) == 1 and not is_near(second, first)),
        "near": ("within 5 %" not in said and len(near) == len(same))
        or (
            (rest := len(near) - len(same)) > 0
            and (at["near_one"] is None or [at["near_one"]] == [each.soc for each in near[-1:]])
            and (at["near_one"] is not None) == (rest == 1)
            and int(at["all"] or 0) == (rest if 1 < rest == len(order) - len(same) else 0)
            and (int(at["near"] or 0), int(at["of"] or 0))
            in ((0, 0), (rest, len(order) - len(same)))
        ),
        "next": "leads" not in said or int(at.get("next") or 1) == len(close),
        "ends": not at.get("next")
        or all(
            truth.rounds(text, end / scale)
            for text, end in zip(
                (at["least"], at["most"] or at["least"]),
                sorted(close[end].figure for end in (0, -1)),
                strict=True,
            )
        ),
        "load": len(same) > 1
        or (
            (at["load"] is None) == (first.load is None)
            and (first.load is None or truth.rounds(at["load"], first.load))
        ),
        "release": len(same) > 1 or version(at["release"]) == first.release,
        "engine": len(same) > 1 or is_engine(at.get("engine") or "", first),
        "spread": len(same) > 1
        or (len(order) == 1 and at["low"] is None)
        or (
            (at["low"] is not None) == (spread >= 1.5)
            and (
                spread < 1.5
                or (
                    truth.rounds(at["low"], first.runs.low / scale)
                    and truth.rounds(at["high"], first.runs.high / scale)
                )
            )
        ),
    }
    return (number, at["low"] is not None, "within 5 %" in said, at.get("next") is not None), truths


def test_what_a_ranking_says_is_true() -> None:
    met: Counter[Form] = Counter()
    lists: Counter[str] = Counter()
    false = []
    for seed in range(8):
        bundles = archive_of_socs(seed)
        measured = Measured(bundles)
        for benchmark, figures in rankings_of(bundles):
            forms, wrong = check(benchmark, figures, measured)
            met.update(forms)
            for name in ("failed", "left_out", "not_measured"):
                lists[name] += bool(getattr(figures, name))
            lists["of older engines"] += measured.of_older_engines
            lists["best ever"] += measured.of_best_ever
            false += [f"seed {seed}, {benchmark}, {figures.name}: {each}" for each in wrong]
    assert false == []
    assert len(lists) == 5 and all(lists.values()), lists
    assert {number for number, *_ in met} == {0, 1, 2, 3, 4}
    assert all({form[at] for form in met} == {True, False} for at in (1, 2, 3))
