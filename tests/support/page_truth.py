"""The sentences of guides, SoCs, benchmarks and lists, each verified independently from the bundles."""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from finding_truth import Bundles, Name, Owner
from making import pooled
from truth import CHANGE, Checked, N, Runs, is_change, number, rounds

from perfguide.bundle import decode
from perfguide.bundles.decode import Loaded
from perfguide.bundles.guide_key import GuideKey, guide_key, version
from perfguide.catalog.benchmarks import Catalog, Metric
from perfguide.catalog.board_names import Boards
from perfguide.common import units
from perfguide.compare.event_groups import BACK, MINOR
from perfguide.health import rules
from perfguide.health.finding import Finding
from perfguide.pages import newest

Guide = tuple[str, str, str, str]
"""An SDK, a SoC, a system and a release."""

ENGINES = {
    "accelerator": "hw",
    "Arm Crypto Extension": "arm-ce",
    "x86 crypto extension": "aes-ni",
    "software": "sw",
    "engine not recorded": "",
}
SYSTEMS = {"Linux": "linux", "RT-Linux": "rt-linux"}
CRYPTO = ("openssl", "throughput", "aes-128-cbc")


def plain(text: str) -> str:
    """Return reStructuredText without its markup."""
    text = re.sub(r":[\w-]+:`([^`<]*?)(?: ?<[^`]*>)?`", r"\1", text)
    text = re.sub(r"`([^`<]*?) ?<[^`]*>`_+", r"\1", text)
    return re.sub(r"\\(.)", r"\1", text.replace("**", "").replace("``", "")).replace("\\ ", "")


@dataclass(frozen=True)
class Row:
    """A headline result of a guide: each board's figures, and why one is in doubt."""

    metric: Metric
    name: Name
    runs: dict[str, Runs]
    doubtful: frozenset[str]

    @property
    def means(self) -> dict[str, float]:
        return {board: runs.mean for board, runs in self.runs.items() if runs.mean is not None}

    @property
    def sound(self) -> dict[str, float]:
        return {board: mean for board, mean in self.means.items() if board not in self.doubtful}

    def goodness(self, board: str) -> float:
        return self.sound[board] * (-1 if self.metric.better == "lower" else 1)

    @property
    def best(self) -> float:
        return max(map(self.goodness, self.sound), default=-math.inf)


class Site:
    """The bundles of a site, with the findings about them."""

    def __init__(self, bundles: Sequence[Loaded], catalog: Catalog) -> None:
        self.of, self.catalog = Bundles(bundles, catalog), catalog
        self.findings = _findings(bundles, catalog)
        self.bundles: dict[Guide, list[Loaded]] = defaultdict(list)
        for item in bundles:
            key = guide_key(item.bundle)
            self.bundles[key.sdk, key.soc, key.os, key.release].append(item)
        self.doubtful = {
            self.of.of_record(suspect.record)
            for finding in self.findings
            for suspect in finding.suspects
            if suspect.disqualified and finding.rule.marks
        }

    def guides_of(self, soc: str) -> list[Guide]:
        return [guide for guide in self.bundles if guide[1] == soc]

    def owners(self, guide: Guide) -> list[Owner]:
        return [o for o, own in self.of.results.items() if o[:3] == guide[:3] and guide[3] in own]

    def releases(self, guide: Guide) -> list[str]:
        return sorted({g[3] for g in self.bundles if g[:3] == guide[:3]}, key=version)

    def before(self, guide: Guide) -> str:
        own = self.releases(guide)
        return own[own.index(guide[3]) - 1] if own.index(guide[3]) else ""

    def names(self, guide: Guide) -> dict[Owner, set[Name]]:
        return {owner: {*self.of.results[owner][guide[3]]} for owner in self.owners(guide)}

    def count(self, guide: Guide, benchmarks: Collection[str] = ()) -> int:
        """Return the number of figures of a guide, or of some of its benchmarks. Units of two kinds
        make two figures."""
        return sum(
            len({units.parse(bundle.results[at].unit).kind for bundle, at in own})
            for owner in self.owners(guide)
            for name, own in self.of.results[owner][guide[3]].items()
            if not benchmarks or name[0] in benchmarks
        )

    def rows(self, guide: Guide) -> list[Row]:
        """Return the rows of the table of headline results: of similar ones, the three with the
        best figures."""
        rows: list[Row] = []
        for benchmark in self.catalog.benchmarks.values():
            for metric in benchmark.entry.metrics:
                if not (metric.headline and metric.short):
                    continue
                groups: dict[Name, dict[str, Runs]] = defaultdict(dict)
                for owner, names in self.names(guide).items():
                    for name in names:
                        if self._is_at(name, metric):
                            groups[name][owner[3]] = self.of.runs(owner, guide[3], name)
                for key, wanted in metric.at.items():
                    if isinstance(wanted, list | tuple):
                        # The first value that any board measured counts.
                        value = {name: self._value(name, key) for name in groups}
                        first = next((v for v in map(str, wanted) if v in value.values()), "")
                        groups = {name: groups[name] for name in groups if value[name] == first}
                own = [
                    Row(
                        metric,
                        name,
                        runs,
                        frozenset(
                            board
                            for board in runs
                            if ((*guide[:3], board), guide[3], name) in self.doubtful
                        ),
                    )
                    for name, runs in groups.items()
                ]
                own.sort(key=lambda row: row.best)
                rows += self._worst(own) if self._has_parts(own) else own[-3:]
        return rows

    def _has_parts(self, rows: Sequence[Row]) -> bool:
        return any(
            self.catalog.benchmarks[row.name[0]].param(name).worst
            for row in rows
            for name, _ in row.name[2]
        )

    @staticmethod
    def _worst(rows: Sequence[Row]) -> list[Row]:
        """Return the row of each board's worst part, such as a core, and others up to three."""
        boards = {board for row in rows for board in row.sound}
        worst = [
            min((row for row in rows if board in row.sound), key=lambda row: row.goodness(board))
            for board in boards
        ]
        kept = [row for row in rows if any(row is each for each in worst)]
        others = [row for row in rows if not any(row is each for each in worst)]
        return kept + others[: max(0, 3 - len(kept))]

    def _is_at(self, name: Name, metric: Metric) -> bool:
        benchmark = self.catalog.benchmarks.get(name[0])
        if benchmark is None or benchmark.metric(name[1]) is not metric:
            return False
        if {n for n, _ in name[2]} & {"workload", "background", "nice"}:
            return False
        return all(
            self._value(name, key)
            in map(str, wanted if isinstance(wanted, list | tuple) else [wanted])
            for key, wanted in metric.at.items()
        )

    def _value(self, name: Name, key: str) -> str:
        """Return the value of a parameter of a figure, or its default."""
        params = {n: v.partition(" ")[2] for n, v in name[2]}
        return params.get(key, str(self.catalog.benchmarks[name[0]].param(key).default))

    def load(self, owner: Owner, release: str, name: Name) -> float | None:
        """Return the CPU load of the run that a rate comes from."""
        rest = tuple(each for each in name[2] if each[0] != "block_size")
        return self.of.runs(owner, release, (name[0], "cpu_load", rest)).mean

    def title(self, benchmark: str) -> str:
        return self.catalog.title(benchmark)


def _findings(bundles: Sequence[Loaded], catalog: Catalog) -> list[Finding]:
    """Return the findings of each SoC, which are checked elsewhere."""
    by_soc: dict[str, list[Loaded]] = defaultdict(list)
    for item in bundles:
        by_soc[item.bundle.board.soc].append(item)
    pools = {soc: pooled(own, catalog) for soc, own in sorted(by_soc.items())}
    # SoCs are compared by the newest figures of each benchmark.
    newest_runs: dict[str, list[Loaded]] = defaultdict(list)
    for pool in pools.values():
        for name, runs in newest.survey(pool, catalog, Boards({})).runs.items():
            newest_runs[name] += [
                Loaded("results", f"{run.digest}.json", decode(run.data), run.digest)
                for run in runs
            ]
    hits = [
        hit for own in newest_runs.values() for hit in rules.across(pooled(own, catalog), catalog)
    ]
    out: list[Finding] = []
    for soc, pool in pools.items():
        own = tuple(hit for hit in hits if hit.guide.soc == soc)
        out += rules.examine(pool, catalog, rules.Beyond(frozenset(pools), own))[0]
    return out


@dataclass(frozen=True)
class Page:
    """The page of a guide, without markup."""

    site: Site
    guide: Guide
    text: str

    @cached_property
    def rows(self) -> list[Row]:
        return self.site.rows(self.guide)

    def fact(self, head: str) -> str:
        match = re.search(rf"^:{head}: (.+)$", self.text, re.MULTILINE)
        return match[1] if match else ""

    def chapters(self) -> dict[str, str]:
        """Return the paragraphs below each chapter's title, before its first section."""
        pieces = re.split(r"^(.+)\n-{3,}\n", self.text, flags=re.MULTILINE)[1:]
        return {
            title: text.partition("~~~")[0]
            for title, text in zip(pieces[::2], pieces[1::2], strict=True)
        }


def _unit(text: str) -> float:
    return units.parse(text.strip()).scale if text.strip() else 1.0


# ---------------------------------------------------------------- crypto


def _engine(row: Row) -> str:
    return dict(row.name[2]).get("engine", " ").partition(" ")[2]


def is_engine(said: str, engine: str, load: float | None) -> bool:
    """Return whether a text names an engine: an inferred accelerator waits, others do not."""
    own = said.split(", likely ")[0].split(":")[0]
    own = "engine not recorded" if own.startswith("likely ") else own
    if ENGINES.get(own) != engine:
        return False
    likely = re.search(r"likely (the accelerator|[\w ]+)", said)
    if not likely:
        return True
    waits = load is not None and load < 60
    return engine == "" and (likely[1] == "the accelerator") == waits


CRYPTO_PART = re.compile(
    rf"(?:; )?(?:(?P<label>[A-Z][^:;]*): )?(?P<figure>{N}) (?P<unit>\S+)(?: at (?P<load>{N}) % of (?P<cores>one core over all sizes|all cores))? "
    r"\((?P<boards>[^();]+?)(?:, the fastest of (?P<of>\d+) boards)?; (?P<engine>[^();]+)"
    r"(?:; (?P<fell>(?:regressed|best run) [^();]+) since the previous release)?\)"
)


def check_crypto(page: Page, checked: Checked) -> None:
    said, where = page.fact("Crypto"), f"{page.guide}"
    rows = [
        row
        for row in page.rows
        if row.sound and page.site.catalog.benchmarks[row.name[0]].param("engine").classes
    ]
    if not said and not rows:
        return
    left = CRYPTO_PART.sub("", said)
    parts = [*CRYPTO_PART.finditer(said)]
    is_true = left == "." and len(parts) == len(rows)
    for each in parts:
        at = each.groupdict()
        is_true &= any(_is_part(page, row, at) for row in rows)
    checked.note("crypto", said, is_true, where)


def _is_part(page: Page, row: Row, at: dict[str, str]) -> bool:
    best = max(row.sound.values())
    boards = [board for board, mean in row.sound.items() if mean == best]
    owner = (*page.guide[:3], boards[0])
    loads = [page.site.load((*page.guide[:3], b), page.guide[3], row.name) for b in boards]
    load = loads[0]
    return (
        rounds(at["figure"], best / _unit(at["unit"]))
        and any(
            (at["load"] is None) == (own is None) and (own is None or rounds(at["load"], own))
            for own in loads
        )
        and sorted(re.split(", | and ", at["boards"])) == sorted(boards)
        # OpenSSL counts the time of its process, the other tools that of all cores.
        and at["cores"]
        in (None, "one core over all sizes" if row.name[0] == "openssl" else "all cores")
        and (int(at["of"]) == len(row.sound) if at["of"] else len(boards) == len(row.sound))
        and is_engine(at["engine"], _engine(row), load)
        and owner in page.site.of.results
        and (not at["fell"] or any(sign in at["fell"] for sign in "−÷"))
    )


# ---------------------------------------------------------------- sizes

SIZES = re.compile(
    rf"Use large blocks: (?P<what>\S+) does (?P<most>{N}(?: to {N})?) (?P<unit>\S+) with (?P<large>\S+ \S+) and "
    rf"(?P<least>{N}(?: to {N})?) \S+ with (?P<small>\S+ \S+)\."
)


def check_sizes(page: Page, text: str, checked: Checked) -> None:
    """Check the rates with the largest and the smallest blocks: the fastest of all engines, and those
    of the boards that used it too."""
    if not (said := SIZES.search(text)):
        return
    at, of = said.groupdict(), page.site.of
    rates: dict[str, dict[int, list[tuple[float, str]]]] = {}
    for owner in page.site.owners(page.guide):
        for name in of.results[owner].get(page.guide[3], {}):
            params = dict(name[2])
            is_alone = params.keys() <= {"algorithm", "block_size", "engine"}
            runs = of.runs(owner, page.guide[3], name)
            if name[:2] == ("openssl", "throughput") and is_alone and runs.mean:
                size = int(params["block_size"].split()[1])
                own = rates.setdefault(params["algorithm"].split()[1].upper(), {})
                own.setdefault(size, []).append((runs.mean, params.get("engine", "")))
    own = rates[at["what"]]
    _, engine = max(own[max(own)])
    is_true = True
    for words, size, figures in (("large", max(own), "most"), ("small", min(own), "least")):
        means = sorted(mean / _unit(at["unit"]) for mean, by in own[size] if by == engine)
        ends = at[figures].split(" to ")
        is_true &= units.size(size) == at[words]
        is_true &= rounds(ends[0], means[0], 3) and rounds(ends[-1], means[-1], 3)
    checked.note("sizes", said[0], is_true, f"{page.guide}")


DOUBT = re.compile(
    rf"(?P<name>.+?): (?P<figure>{N})(?P<unit> \S+)? on (?P<board>\S+) is in doubt \((?P<why>.+)\)\."
)


def check_doubts(page: Page, checked: Checked) -> None:
    for line in page.text.splitlines():
        if said := DOUBT.fullmatch(line.removeprefix("- ")):
            at = said.groupdict()
            title, _, detail = at["why"].partition(": ")
            is_true = any(
                at["board"] in row.doubtful
                and at["name"].startswith(row.metric.short)
                and rounds(at["figure"], row.means[at["board"]] / _unit(at["unit"] or ""))
                for row in page.rows
                if at["board"] in row.means
            ) and any(
                finding.rule.title == title and suspect.detail == detail
                for finding in page.site.findings
                for suspect in finding.suspects
                if suspect.record.board == at["board"]
            )
            checked.note("in doubt", said[0], is_true, f"{page.guide}")


# ---------------------------------------------------------------- careful

SEVERITIES = {"wrong": "error", "suspect": "warning", "note": "note"}
"""The words for severities, worst first."""

COUNTED = re.compile(r"(\d+) (wrong|suspect|note)s?")


def check_careful(page: Page, checked: Checked) -> None:
    """Check the number of the worst findings among all that Health lists, and of those that most guides share."""
    said, site = page.fact("Careful"), page.site
    guides = site.guides_of(page.guide[1])
    # Neither the guide nor Health lists lost figures.
    of_lost = {"lost-table", "lost-rows"}
    every = [f for f in site.findings if _guide(f) == page.guide and f.rule.id not in of_lost]
    kinds = Counter(
        kind
        for guide in guides
        for kind in {(f.rule.id, f.benchmark) for f in site.findings if _guide(f) == guide}
    )
    usual = {kind for kind, count in kinds.items() if len(guides) >= 4 and 2 * count > len(guides)}
    shared = sum((f.rule.id, f.benchmark) in usual for f in every)
    if not every:
        is_true = said == "No check found a problem with these figures."
    else:
        head, _, tail = said.rpartition(" Health")
        wanted = Counter(f.severity for f in every)
        rest = re.search(
            r"\. (This finding|(\d+) of these findings) (?:is|are) in most guides of this SoC\.$",
            head,
        )
        first = re.match(
            r"(?:(\d+) findings, )?(\d+) (?:findings? )?(?:of )?(wrong|suspect|note)", head
        )
        worst = [f for f in every if f.severity == min(wanted, key=list(SEVERITIES.values()).index)]
        sizes = sorted((len(f.suspects) + f.left_out for f in worst), reverse=True)
        said_sizes = [number(size) for size in re.findall(r" \(([\d,]+) figures?\)", head)]
        titles = {f"{site.title(f.benchmark)}, {f.rule.title} (" for f in worst}
        more = re.search(r"; and (\d+) more\.", head)
        named = [title for title in titles if title in head]
        is_true = (
            not tail
            and (int(rest[2] or 1) if rest else 0) == shared
            and (not rest or (rest[1] == "This finding") == (len(every) == 1))
            and bool(first)
            and SEVERITIES[first[3]] == next(s for s in SEVERITIES.values() if wanted[s])
            and int(first[2]) == wanted[SEVERITIES[first[3]]]
            and int(first[1] or first[2]) == len(every)
            and said_sizes == sizes[: len(named)]
            and len(named) + int(more[1] if more else 0) == len(worst)
        )
    checked.note("careful", said, is_true, f"{page.guide}")


def _guide(finding: Finding) -> Guide:
    key = finding.guide
    return (key.sdk, key.soc, key.os, key.release)


# ---------------------------------------------------------------- counts of a guide


def check_counts(page: Page, checked: Checked) -> None:
    """Check the figures, boards and dates of a guide, and the figures of each chapter."""
    names, where = page.site.names(page.guide), f"{page.guide}"
    days = sorted(
        {item.bundle.created.date().isoformat() for item in page.site.bundles[page.guide]}
    )
    said = re.search(
        r"^([\d,]+) figures? on ([\d,]+|one) boards?, measured (?:on (\S+?)|from (\S+) to (\S+?))\.$",
        page.text,
        re.MULTILINE,
    )
    figures = page.site.count(page.guide)
    checked.note(
        "figures of a guide",
        said[0] if said else "",
        said is not None
        and number(said[1]) == figures
        and (1 if said[2] == "one" else int(said[2])) == len(names)
        and {days[0], days[-1]} == {each for each in said.groups()[2:] if each},
        where,
    )
    for chapter, text in page.chapters().items():
        count = re.search(r"^\W*How this was measured\W+([\d,]+) figures?$", text, re.MULTILINE)
        if count:
            described = page.site.catalog.benchmarks.items()
            of_chapter = {name for name, each in described if each.entry.chapter == chapter}
            own = page.site.count(page.guide, of_chapter)
            checked.note(
                "figures of a chapter", count[0], number(count[1]) == own, f"{where}, {chapter}"
            )
    bundles = re.search(r"Where from: (\d+) bundles?", page.text)
    checked.note(
        "bundles",
        bundles[0] if bundles else "",
        bool(bundles) and int(bundles[1]) == len(page.site.bundles[page.guide]),
        where,
    )
    before = re.search(r"previous release, ([^\s·]+)", page.text)
    checked.note(
        "previous release",
        before[0] if before else "",
        (before[1] if before else "") == page.site.before(page.guide),
        where,
    )


# ---------------------------------------------------------------- worth of an accelerator

FIGURE = rf"({N}) MB/s(?: at ({N}) % of one core over all sizes)?"
WORTH = re.compile(
    rf"(?P<algorithm>[A-Z]+-\S+) on (?P<board>.+?) with blocks of (?P<size>[\w ]+): {FIGURE} with (?P<what>.+?)"
    rf"(?:; {FIGURE} with (?P<cpu>.+?), the fastest on the CPU|; {FIGURE} in a run of (?P<release>\S+) whose engine is not recorded)?\."
    rf"(?P<apart> The two are of different releases\.)?(?: That run was faster (?P<busy>.+?)\.)?"
    r"(?P<note> One CPU load was measured for all sizes together: that of a single size may differ\.)?$"
)
MORE = "more data per second of CPU time"
SUBJECT = r"Hardware crypto(?:, last measured in (?P<old>\S+),)?"
VERDICTS = (
    rf"{SUBJECT} is (?:(?P<none>not) faster at any block size up to .+|faster (?P<faster>.+)); (?:its CPU time is not known|(?P<unclear>which takes less CPU time is not clear))",
    rf"{SUBJECT} is (?:(?P<none>not) faster at any block size up to .+, but|faster (?P<faster>.+), and) moves {MORE} (?P<thrifty>.+)",
    rf"{SUBJECT} is hardly worth it: it is (?P<none>not) faster at any block size up to .+, and moves {MORE} (?P<thrifty>with blocks of \w+ \w+ only)",
    rf"{SUBJECT} is (?:(?P<none>not) faster at any block size up to .+|faster (?P<faster>.+)), and moves as much data per second of CPU time as the CPU alone (?P<level>.+) \(within 5 %\)",
    rf"{SUBJECT} is faster (?P<faster>.+), but does (?P<costly>not) move {MORE} at any block size",
    rf"(?P<never>{SUBJECT} is not worth it at any block size up to .+: it is (?:neither faster nor moves {MORE}|(?P<equal>not faster, and moves at most as much data per second of CPU time \(within 5 %\))))",
    rf"{SUBJECT} is worth it (?P<both>.+): it is faster, and moves {MORE}",
)


def _bytes(text: str) -> float:
    count, _, unit = text.strip().partition(" ")
    return number(count) * 1024.0 ** {"KiB": 1, "MiB": 2}.get(unit, 0)


def _sizes(text: str, sizes: Sequence[float]) -> list[float] | None:
    """Return the block sizes that a text is about."""
    if text.startswith("at no block size"):
        return []
    if text == "at every block size":
        return [*sizes]
    if match := re.fullmatch(r"from blocks of (.+) on", text):
        return [size for size in sizes if size >= _bytes(match[1])]
    if match := re.fullmatch(r"with blocks of (.+) only", text):
        return [_bytes(each) for each in re.split(", | and ", match[1])]
    return None


@dataclass(frozen=True)
class EngineRun:
    """A run of an engine: its release, its rates in MB/s by block size, and its load."""

    release: str
    engine: str
    rates: dict[float, float]
    load: float | None

    @property
    def is_offload(self) -> bool:
        """True for an accelerator, recorded or inferred from a load at which the CPU waits."""
        return self.engine == "hw" or (
            self.engine == "" and self.load is not None and self.load < 60
        )


def engine_runs(site: Site, owner: Owner, last: str) -> list[EngineRun]:
    """Return the runs of AES-128-CBC on a board up to a release."""
    out = []
    for release in site.of.releases(owner):
        runs: dict[str, dict[float, float]] = defaultdict(dict)
        loads = {}
        for name in site.of.results[owner][release]:
            params = {n: v.partition(" ")[2] for n, v in name[2]}
            size = params.pop("block_size", None)
            engine = params.pop("engine", "")
            if name[:2] != CRYPTO[:2] or params != {"algorithm": CRYPTO[2]} or size is None:
                continue
            mean = site.of.runs(owner, release, name).mean
            if mean:
                runs[engine][float(size)] = mean / 1e6
                loads[engine] = site.load(owner, release, name)
        if version(release) <= version(last):
            out += [EngineRun(release, e, rates, loads[e]) for e, rates in runs.items()]
    return out


def check_worth(site: Site, guide: Guide, said: str, checked: Checked) -> None:
    """Check the verdict on an accelerator and its figures."""
    checked.note("worth", said, _is_worth(site, guide, said), f"{guide}")


def _is_worth(site: Site, guide: Guide, said: str) -> bool:
    match = WORTH.search(said)
    if match is None:
        return False
    at, groups = match.groupdict(), match.groups()
    verdict = said[: match.start()].strip()
    owner = (*guide[:3], at["board"])
    if owner not in site.of.results:
        return False
    runs = engine_runs(site, owner, guide[3])
    own_release = re.search(r" in (\S+)$", at["what"])
    own = _run(
        runs, at["what"], own_release[1] if own_release else guide[3], groups[3:5], at["size"]
    )
    other = None
    if at["cpu"]:
        release = re.search(r" in (\S+)$", at["cpu"])
        other = _run(runs, at["cpu"], release[1] if release else guide[3], groups[6:8], at["size"])
    elif at["release"]:
        other = _run(runs, "engine not recorded", at["release"], groups[9:11], at["size"])
    if own is None or not own.is_offload or (other is None and (at["cpu"] or at["release"])):
        return False
    if other is None:
        return "We cannot tell" in verdict and not at["apart"]
    if bool(at["apart"]) != (bool(at["cpu"]) and own.release != other.release):
        return False
    # It is the newest of each kind, and the fastest on the CPU.
    same = [
        run
        for run in runs
        if run.release == other.release and run is not other and not run.is_offload
    ]
    if at["cpu"] and any(
        run.rates[max(run.rates)] > other.rates[max(other.rates)]
        for run in same
        if run.engine and max(run.rates) == max(other.rates)
    ):
        return False
    sizes = sorted(own.rates.keys() & other.rates.keys())
    if sizes[-1] != _bytes(at["size"]):
        return False

    def over(ratio: float, edge: float) -> list[float]:
        """Return the sizes at which the accelerator's rate, divided by a ratio, is above a share of the other's."""
        return [size for size in sizes if own.rates[size] / ratio > edge * other.rates[size]]

    # Less than 5 % is no difference.
    faster, not_slower = over(1.0, 1.05), over(1.0, 1 / 1.05)
    thrifty, not_costlier = None, None
    if own.load and other.load:
        ratio = own.load / other.load
        thrifty, not_costlier = over(ratio, 1.05), over(ratio, 1 / 1.05)
    # As much CPU time is said of the largest sizes, if they are several.
    level = not_costlier if not_costlier and not_costlier == sizes[-len(not_costlier) :] else []
    level = level if len(level) > 1 else []
    if at["release"]:
        is_behind = not_slower == not_costlier == []
        return (
            ("We cannot tell" in verdict) != is_behind
            and ("probably not worth it. We cannot be sure" in verdict) == is_behind
            and _is_busy(at["busy"] or "", sizes, not_slower, not_costlier)
        )
    if not verdict:
        return True
    for pattern in VERDICTS:
        if verdict_said := re.fullmatch(rf"{pattern}\.", verdict):
            by = verdict_said.groupdict()
            if by["old"] != (own.release if own_release else None):
                return False
            if by.get("never"):
                return faster == thrifty == level == [] and bool(by["equal"]) == bool(not_costlier)
            if by.get("both"):
                return _sizes(by["both"], sizes) == faster == thrifty != []
            if (_sizes(by["faster"], sizes) if by.get("faster") else []) != faster:
                return False
            ends = sizes[-len(thrifty) :] if thrifty else []
            is_clear = thrifty == sizes or (thrifty == ends and len(ends) > 1)
            if by.get("unclear"):
                return bool(thrifty) and not is_clear and bool(at["note"])
            if by.get("costly"):
                return thrifty == level == []
            if by.get("level"):
                return thrifty == [] and _sizes(by["level"], sizes) == level
            return (
                thrifty is None
                if not by.get("thrifty")
                else _sizes(by["thrifty"], sizes) == thrifty and is_clear
            )
    return False


def _is_busy(
    said: str, sizes: list[float], faster: list[float], thrifty: list[float] | None
) -> bool:
    """Check the statement about the sizes at which a run with an unknown engine was ahead."""
    others = [size for size in sizes if size not in faster]
    more = None if thrifty is None else [size for size in sizes if size not in thrifty]
    first, _, second = said.partition(", ")
    if _sizes(first, sizes) != others:
        return False
    if not second:
        return more is None or (more == others == [])
    if second == "with more data per second of CPU time":
        return more == others
    match = re.fullmatch(r"and moved more data per second of CPU time (.+)", second)
    return bool(match) and _sizes(match[1], sizes) == more


def _is_worth_row(site: Site, guide: Guide, row: Sequence[str]) -> bool:
    """Return whether a row about an accelerator has figures of one size of blocks of runs, and what each moves
    per second of CPU time."""
    figures = [re.match(rf"({N}) MB/s(?: at ({N}) %)?", cell) for cell in row[2:4]]
    moved = row[4].removesuffix(" MB").split(" / ")
    if figures[0] is None or len(moved) != sum(map(bool, figures)):
        return False

    def is_of_run(said: re.Match[str], run: EngineRun, size: float, per_second: str) -> bool:
        if not rounds(said[1], run.rates[size]) or (said[2] is None) != (run.load is None):
            return False
        is_moved = (
            per_second == "—"
            if not run.load
            else rounds(per_second, 100 * run.rates[size] / run.load, 3)
        )
        return is_moved and (run.load is None or rounds(said[2], run.load))

    for owner in site.owners(guide):
        runs = engine_runs(site, owner, guide[3])
        for size in {size for run in runs for size in run.rates}:
            are_of_runs = [
                any(
                    size in run.rates and is_of_run(said, run, size, per_second)
                    for run in runs
                    if run.is_offload == (number == 0)
                )
                for number, (said, per_second) in enumerate(
                    zip(filter(None, figures), moved, strict=True)
                )
            ]
            if all(are_of_runs):
                return True
    return False


def _run(
    runs: Sequence[EngineRun], what: str, release: str, figure: Sequence[str], size: str
) -> EngineRun | None:
    """Return the run of a release that has this figure and this engine."""
    words = re.sub(r" in \S+$", "", what).removeprefix("what is ").removeprefix("the ")
    for run in runs:
        engine = ENGINES.get(words, "" if words.startswith("likely") else None)
        if run.release != release or engine != run.engine or _bytes(size) not in run.rates:
            continue
        has_load = (figure[1] is None) == (run.load is None)
        is_load = has_load and (run.load is None or rounds(figure[1], run.load))
        if is_load and rounds(figure[0], run.rates[_bytes(size)]):
            return run
    return None


# ---------------------------------------------------------------- remarks on engines

BUSY = re.compile(
    r"- Engine: the (.+) on (\S+) kept the CPU busy \((\d+)(?: to (\d+))? %\): it frees none"
)
LIKELY = re.compile(
    r"likely (the accelerator|CPU instructions|plain software) on (.+?) for (.+?) \((\S+): (?:CPU load (\d+)(?: to \d+)? %|"
    r"16-byte blocks at (\d+) % of the rate of the largest(?:, CPU load (\d+)(?: to \d+)? %)?)\)"
)


def check_engines(page: Page, checked: Checked) -> None:
    """Check which engine is named as likely, and which kept the CPU busy."""
    for line in page.text.splitlines():
        if said := BUSY.fullmatch(line.strip()):
            checked.note("engine", line, _is_busy_engine(page, said), f"{page.guide}")
        elif line.startswith("- Engine not recorded: "):
            rest = LIKELY.sub("", line.removeprefix("- Engine not recorded: "))
            is_true = not rest.strip(" ;.") and all(
                _is_likely(page, m) for m in LIKELY.finditer(line)
            )
            checked.note("likely", line, is_true, f"{page.guide}")
        elif line.startswith("- Engine"):
            checked.false.append(f"{page.guide}: nothing says when this is true: {line}")


def _loads(page: Page, board: str, engine: str) -> dict[str, float]:
    """Return the load of each algorithm."""
    owner, out = (*page.guide[:3], board), {}
    for name in page.site.of.results[owner][page.guide[3]]:
        params = {n: v.partition(" ")[2] for n, v in name[2]}
        if name[:2] == ("openssl", "cpu_load") and params.get("engine", "") == engine:
            mean = page.site.of.runs(owner, page.guide[3], name).mean
            if mean is not None:
                out[params["algorithm"]] = mean
    return out


def _is_busy_engine(page: Page, said: re.Match[str]) -> bool:
    loads = [load for load in _loads(page, said[2], ENGINES[said[1]]).values() if load >= 85]
    ends = f"{min(loads):.0f}", f"{max(loads):.0f}"
    return ENGINES[said[1]] == "hw" and ends == (said[3], said[4] or said[3])


def _algorithm(label: str) -> str:
    return {"3DES": "des3"}.get(label, label.lower().replace("sha-", "sha"))


def _is_likely(page: Page, said: re.Match[str]) -> bool:
    """Check each board and algorithm: the accelerator waits, others do not."""
    for board in re.split(r", | and ", said[2]):
        loads, owner = _loads(page, board, ""), (*page.guide[:3], board)
        for label in re.split(r", | and ", said[3]):
            load = loads.get(_algorithm(label))
            rates = {
                float(dict(name[2])["block_size"].split()[1]): page.site.of.runs(
                    owner, page.guide[3], name
                ).mean
                for name in page.site.of.results[owner][page.guide[3]]
                if name[:2] == CRYPTO[:2]
                and "engine" not in dict(name[2])
                and dict(name[2])["algorithm"] == f"str {_algorithm(label)}"
            }
            rates = {size: rate for size, rate in rates.items() if rate}
            if said[1] == "the accelerator":
                if load is None or load >= 60:
                    return False
            elif (
                16 not in rates
                or (load is not None and load < 85)
                or (rates[16] / rates[max(rates)] >= 0.35) != (said[1] == "plain software")
            ):
                return False
    first = re.split(r", | and ", said[2])[0]
    return not said[5] or round(_loads(page, first, "")[_algorithm(said[4])]) == int(said[5])


# ---------------------------------------------------------------- the front page


def newest_guide(site: Site, soc: str) -> list[Guide]:
    """Return the newest guide of each platform that has at least half as many figures as the one
    before, most recently measured first."""
    out = []
    for platform in {guide[:3] for guide in site.guides_of(soc)}:
        own = [(*platform, release) for release in site.releases((*platform, ""))]
        counts = [site.count(guide) for guide in own]
        at = next((i for i in range(len(own) - 1, 0, -1) if 2 * counts[i] >= counts[i - 1]), 0)
        out.append(own[at])
    return sorted(out, key=lambda guide: (measured(site, guide), version(guide[3])), reverse=True)


def measured(site: Site, guide: Guide) -> str:
    return max(item.bundle.created for item in site.bundles[guide]).date().isoformat()


def check_front_page(site: Site, pages: Path, checked: Checked) -> None:
    """Check each cell of the matrix, the newest guides and the moves that several SoCs share."""
    overview = json.loads((pages / "guides" / "overview.json").read_text("utf-8"))
    for soc in overview["socs"]:
        platforms = newest_guide(site, soc["soc"])
        guide = platforms[0]
        is_true = (
            (soc["release"], soc["measured"]) == (guide[3], measured(site, guide))
            and soc["figures"] == site.count(guide)
            and sorted(soc["boards"]) == sorted(owner[3] for owner in site.owners(guide))
        )
        checked.note("row of the matrix", str(soc)[:300], is_true, soc["soc"])
        every = [(*own[:3], r) for own in platforms for r in site.releases(own)[::-1]]
        wanted = {label for own in every for label in _labels(site, own)}
        labels = [(cell["benchmark"], cell["label"]) for cell in soc["results"]]
        checked.note("matrix", str(labels), sorted(labels) == sorted(wanted), soc["soc"])
        for cell in soc["results"]:
            checked.note("cell of the matrix", str(cell), _is_cell(site, every, cell), soc["soc"])
    of_release: dict[str, set[Guide]] = {}
    for guide in site.bundles:
        of_release.setdefault(f"{_system(guide)} {guide[3]}", set()).add(guide)
    days = {name: max(measured(site, g) for g in own) for name, own in of_release.items()}
    dates = [each["measured"] for each in overview["recent"]]
    checked.note(
        "new guides", str(dates), dates == sorted(days.values(), reverse=True)[:5], "front page"
    )
    for each in overview["recent"]:
        own = of_release[each["name"]]
        is_true = each["measured"] == days[each["name"]] and sorted(
            soc for soc, _ in each["guides"]
        ) == sorted(guide[1] for guide in own)
        checked.note("new guide", str(each), is_true, "front page")
    verdicts = json.loads((pages / "reports" / "verdicts" / "verdicts.json").read_text("utf-8"))
    check_worse(site, overview["worse"], overview["more_worse"], verdicts, checked)
    for each in overview["shared"]:
        is_true = _is_shared(each["sentence"], [page for _, page in each["pages"]], verdicts)
        is_true = is_true and _is_against(site, each["sentence"], verdicts)
        checked.note("shared move", each["sentence"], is_true, "front page")


FALL = re.compile(
    rf"({N}) → ({N})(?: ([^\s,]+))?(?:, ({CHANGE})(?: at equal clock, clock ({CHANGE}))?)?"
)
AT_CLOCK = re.compile(r"(.+ at equal clock) \((.+)(, clock .+)\)")


def check_worse(
    site: Site,
    listed: Sequence[dict[str, object]],
    more: int,
    verdicts: Sequence[dict[str, str]],
    checked: Checked,
) -> None:
    """Check which newest guides got worse, in which order, by which figure, and whether it is
    proved."""
    worse: dict[str, set[str]] = defaultdict(set)
    titles: dict[tuple[str, bool], list[str]] = defaultdict(list)
    for each in verdicts:
        is_proved = each["kind"] in ("regressed", "failed-after")
        if is_proved or each["advice"] == "Worse, not proved":
            worse[each["page"]].add(each["kind"])
            titles[each["page"], is_proved].append(each["title"])
    wanted = {}
    for soc in {guide[1] for guide in site.bundles}:
        guide = newest_guide(site, soc)[0]
        page = f"compare/{soc}/{guide[2]}/{site.before(guide)}-vs-{guide[3]}"
        if page in worse:
            wanted[page] = guide
    keys = [(not each["is_proved"], str(each["measured"])) for each in listed]
    by_date = sorted(keys, key=lambda key: key[1], reverse=True)
    is_true = keys == sorted(by_date, key=lambda key: key[0])
    pages = [str(each["page"]) for each in listed]
    is_true &= {*pages} <= wanted.keys() and len({*pages}) == min(len(wanted), 8)
    is_true &= len(wanted) == len(pages) + more
    checked.note("got worse", f"{pages}", is_true, "front page")
    for each in listed:
        if guide := wanted.get(str(each["page"])):
            is_true = (
                (each["name"], each["measured"])
                == (f"{guide[1]}, {_system(guide)} {guide[3]}", measured(site, guide))
                and each["is_proved"] in _proofs(titles, each)
                and _is_fall(site, guide, str(each["fall"]), str(each["change"]))
                # A load is named only where nothing else got worse.
                and (
                    "CPU load" not in str(each["fall"])
                    or all(
                        "CPU load" in t for t in titles[str(each["page"]), bool(each["is_proved"])]
                    )
                )
            )
            checked.note("largest fall", f"{each}", is_true, "front page")


def _proofs(
    titles: Mapping[tuple[str, bool], Sequence[str]], loss: Mapping[str, object]
) -> set[bool]:
    """Return whether the events that can have a loss are proved: those of its benchmark with a move as large."""
    page, label, change = (str(loss[name]) for name in ("page", "fall", "change"))
    ends = [number(end) for end in re.findall(rf"({N})(?= →| \S+,| %,)", change)[:2]]
    factor = max(ends) / min(ends) if len(ends) == 2 and min(ends) > 0 else math.inf
    of_benchmark, as_large = set[bool](), set[bool]()
    for proof in (True, False):
        for title in titles.get((page, proof), ()):
            if not label.startswith(title.partition(": ")[0]):
                continue
            of_benchmark.add(proof)
            for low, high, unit in re.findall(
                rf"({N})(?: to ({N}))? (%|times) (?:worse|longer)", title
            ):
                least, most = number(low), number(high or low)
                sizes = (
                    [(least, most)]
                    if unit == "times"
                    else [
                        (1 + least / 100, 1 + most / 100),
                        (100 / (100 - min(least, 99.9)), 100 / (100 - min(most, 99.9))),
                    ]
                )
                if any(0.98 * one <= factor <= 1.02 * two for one, two in sizes):
                    as_large.add(proof)
    return as_large or of_benchmark


FAILED_SAMPLES = re.compile(rf"some new runs failed; its samples are ({N}) to ({N}) (\S+)")


def _is_fall(site: Site, guide: Guide, label: str, change: str) -> bool:
    """Return whether a figure of this benchmark moved like that, and got worse."""
    if " → failed" in change:
        return True
    said, failed = (
        FALL.fullmatch(AT_CLOCK.sub(r"\2, \1\3", change)),
        FAILED_SAMPLES.fullmatch(change),
    )
    for owner in site.owners(guide):
        for name in {*site.of.results[owner][guide[3]]} if said or failed else ():
            means, metric = site.of.means(owner, name), site.of.metric(name)
            old, new = means.get(site.before(guide)), means.get(guide[3])
            if old is None or new is None or not label.startswith(site.title(name[0])):
                continue
            if failed:
                runs = site.of.runs(owner, guide[3], name)
                ends = zip(failed.groups(), (runs.low, runs.high), strict=False)
                if all(rounds(text, end / _unit(failed[3])) for text, end in ends):
                    return True
                continue
            assert said is not None
            scale = _unit(said[3] or "")
            is_time = metric is not None and metric.better == "lower"
            clock = _clock_ratio(site, owner, guide) if said[5] else 1.0
            if said[5] and not is_change(said[5], clock):
                continue
            ratio = new / old * clock if is_time else new / old / clock
            if (
                rounds(said[1], old / scale)
                and rounds(said[2], new / scale)
                and (is_change(said[4], ratio) if said[4] else new == 0)
                and (ratio > 1) == is_time
            ):
                return True
    return False


def _clock_ratio(site: Site, owner: Owner, guide: Guide) -> float:
    """Return the clock of a board divided by that with the release before."""
    clocks = next(name for name in site.of.results[owner][guide[3]] if name[1] == "cpu_clock")
    means = site.of.means(owner, clocks)
    return means[guide[3]] / means[site.before(guide)]


def _system(guide: Guide) -> str:
    return next(words for words, name in SYSTEMS.items() if name == guide[2])


def _labels(site: Site, guide: Guide) -> set[tuple[str, str]]:
    return {(row.name[0], row.metric.short) for row in site.rows(guide)}


def _is_cell(site: Site, guides: Sequence[Guide], cell: dict[str, object]) -> bool:
    """Return whether it is the best figure of the newest release that has it, or of the one before
    if that is in doubt."""
    order = sorted(guides, key=lambda guide: (version(guide[3]), guide[2] == "linux"), reverse=True)
    own = [
        (guide, rows)
        for guide in order
        if (
            rows := [
                row
                for row in site.rows(guide)
                if (row.name[0], row.metric.short) == (cell["benchmark"], cell["label"])
            ]
        )
    ]
    # A row of a numbered table repeats another one under other conditions.
    plain = [
        (guide, kept)
        for guide, rows in own
        if (
            kept := [row for row in rows if not {n for n, _ in row.name[2]} & {"table", "table_no"}]
        )
    ]
    own = plain or own
    looked_at = [*dict.fromkeys(guide[3] for guide, _ in own)][:2]
    for guide, rows in own:
        sound = [(mean, board) for row in rows for board, mean in row.sound.items()]
        has_failed = not any(row.means for row in rows)
        if guide[3] not in looked_at or not (sound or has_failed):
            continue
        if has_failed:
            return cell["number"] is None and cell["release"] == guide[3]
        sign = -1 if rows[0].metric.better == "lower" else 1
        if site._has_parts(rows):
            # The worst part of each board counts, such as a core.
            boards = {board for _, board in sound}
            sound = [
                min((s for s in sound if s[1] == board), key=lambda s: sign * s[0])
                for board in boards
            ]
        best = max(sign * mean for mean, _ in sound) * sign
        # An older release counts for an engine that this one did not use.
        sides = _sides(site, guide, rows)
        if sides in ({True}, {False}):
            older = [each for each in own if each[0] not in order[: order.index(guide) + 1]]
            for earlier, others in older:
                if at := [
                    (mean, board, row)
                    for row in others
                    for board, mean in row.sound.items()
                    if _side(site, earlier, row, board) is (sides == {False})
                ]:
                    mean = max(sign * mean for mean, _, _ in at) * sign
                    if sign * mean > sign * best:
                        guide, rows, best = earlier, [row for _, _, row in at], mean
                        sound = [(mean, board) for mean, board, _ in at]
                    break
        same = [row for row in rows if row.sound.get(str(cell["board"])) == best]
        if not same:
            return False
        row, board = same[0], str(cell["board"])
        load = site.load((*guide[:3], board), guide[3], row.name)
        if "engine" in site.catalog.benchmarks[row.name[0]].entry.params and (
            cell["load"] != load or not is_engine(str(cell["engine"]), _engine(row), load)
        ):
            return False
        return (
            cell["release"] == guide[3]
            and not cell["doubt"]
            and rounds(str(cell["text"]), best / _unit(str(cell["unit"])))
            and (best, cell["board"]) in sound
        )
    return bool(cell["doubt"]) and cell["release"] == own[0][0][3]


def _side(site: Site, guide: Guide, row: Row, board: str) -> bool | None:
    """Return whether the engine of a figure ran on the CPU, recorded or seen by its load."""
    if not site.catalog.benchmarks[row.name[0]].param("engine").classes:
        return None
    if engine := _engine(row):
        return engine != "hw"
    load = site.load((*guide[:3], board), guide[3], row.name)
    return None if load is None or 60 <= load < 85 else load >= 85


def _sides(site: Site, guide: Guide, rows: Sequence[Row]) -> set[bool | None]:
    return {_side(site, guide, row, board) for row in rows for board in row.means}


RANGE = rf"(?P<least>{N})(?: to (?P<most>{N}))? (?P<unit>%|times)"
BASIS = r" (?:per \S+|at equal clock|for the work done|as measured)"
SHARED = re.compile(
    rf"(?P<title>.+): {RANGE} (?P<word>better|worse)(?P<basis>{BASIS}(?: or{BASIS})*)? with (?P<line>\S+)"
    r" on (?P<of>\d+) systems"
    r"(?: \((?:(?P<boards>\d+) boards)?(?:; )?(?:(?P<other>better|worse) on (?P<against>\d+) boards?)?\))?,"
    r" (?:(?P<all>both|all \d+)|(?P<proved>\d+|none) of (?P<rows>\d+)) rows proved"
)
MAIN_SIZE = re.compile(rf"[:,] {RANGE} (?P<word>worse|better|longer|shorter)")
CLOCK_SIZE = re.compile(rf", {RANGE} at equal clock")
SAME_WAY = {"longer": "worse", "shorter": "better"}
"""The meanings of the words for times."""


def _factors(said: re.Match[str], word: str) -> list[float]:
    """Return the factors of the ends of a move, above 1, to the digits of its text."""
    sizes = [number(said["least"]), number(said["most"] or said["least"])]
    if said["unit"] == "times":
        return sizes
    return [1 + size / 100 if word == "better" else 1 / (1 - size / 100) for size in sizes]


def _is_shared(sentence: str, pages: Sequence[str], verdicts: Sequence[dict[str, str]]) -> bool:
    """Check that each system has a similar event in that release, that these have at least so many
    rows and proved ones, and that the ends are those of two events."""
    said = SHARED.fullmatch(sentence)
    if said is None:
        return False
    title, proved, sizes = said["title"].split(": ")[0].split(", other rows")[0], 0, list[float]()
    # An event may be judged by any of several.
    basis = "" if " or " in (said["basis"] or "") else said["basis"] or ""
    rows = 0
    for page in pages:
        kinds = set()
        for each in verdicts:
            if (
                each["page"] == page
                and each["title"].lower().startswith(title.lower())
                and f"{each['new'].split()[-1]}.".startswith(f"{said['line'].removesuffix('.x')}.")
                and (size := MAIN_SIZE.search(each["title"]))
                and said["word"] == SAME_WAY.get(size["word"], size["word"])
                and basis in each["title"]
            ):
                kinds.add(each["kind"])
                sizes += _factors(size, said["word"])
                if at_clock := CLOCK_SIZE.search(each["title"]):
                    sizes += _factors(at_clock, said["word"])
                counts = [re.search(rf"(\d+) {word}", each["title"]) for word in ("rows", "proved")]
                of_event = int(counts[0][1]) if counts[0] else 1
                rows += of_event
                if each["kind"] in ("regressed", "improved"):
                    proved += int(counts[1][1]) if counts[1] else of_event
        if not kinds:
            return False
    releases = {page.rpartition("-vs-")[2] for page in pages}
    return (
        len(pages) == int(said["of"])
        and rows >= int(said["rows"] or 2)
        and (said["proved"] != "none" or len(pages) >= 4)
        and proved >= (0 if said["proved"] == "none" else int(said["proved"] or 2))
        and (releases == {said["line"]} or (len(releases) > 1 and said["line"].endswith(".x")))
        # What many boards did not see is not what happened.
        and 3 * int(said["against"] or 0) <= int(said["boards"] or said["of"])
        # The digits of a loss of 99 % determine the factor only roughly.
        and all(
            any(abs(size / end - 1) < 0.02 * end for size in sizes)
            for end in _factors(said, said["word"])
        )
    )


def _is_against(site: Site, sentence: str, verdicts: Sequence[dict[str, Any]]) -> bool:
    """Check the number of boards on which the same figures of the newest releases went the other way,
    from the titles of events; these have the ends of its moves, and their median counts."""
    said = SHARED.fullmatch(sentence)
    assert said is not None
    subject, _, common = said["title"].partition(": ")
    newest = {str(GuideKey(*guide[:3], site.releases(guide)[-1])) for guide in site.bundles}
    counts = []
    other = "worse" if said["word"] == "better" else "better"
    for end, least in ((0, 1.055), (1, 1.045)):
        boards = {
            (each["page"].rpartition("/")[0], board)
            for each in verdicts
            if each["new"] in newest and each["advice"] not in (BACK, MINOR, "Causes")
            if each["title"].startswith(subject)
            if all(
                part.lower() in each["title"].removeprefix(subject).lower()
                for part in common.split(", ")
            )
            if f"{each['new'].split()[-1]}.".startswith(f"{said['line']}.")
            if (size := MAIN_SIZE.search(each["title"]))
            if SAME_WAY.get(size["word"], size["word"]) == other
            if _factors(size, other)[end] >= least
            for board in each["boards"]
        }
        counts.append(len(boards))
    return counts[0] <= int(said["against"] or 0) <= counts[1]


# ---------------------------------------------------------------- lists of guides, verdicts and findings


def check_lists(site: Site, pages: Path, checked: Checked) -> None:
    listed = plain((pages / "guides" / "index.rst").read_text("utf-8"))
    count = re.search(r"^(\d+) SoCs?, (\d+) guides?\.", listed, re.MULTILINE)
    socs = {guide[1] for guide in site.bundles}
    is_true = bool(count) and [int(each) for each in count.groups()] == [
        len(socs),
        len(site.bundles),
    ]
    checked.note("number of guides", count[0] if count else "", is_true, "guides")
    for row in re.split(r"^   \* - ", listed, flags=re.MULTILINE)[1:]:
        cells = [" ".join(cell.split()) for cell in row.partition("\n\n")[0].split("\n     - ")]
        if cells[0] in socs:
            _check_news(site, cells, checked)
    verdicts = json.loads((pages / "reports" / "verdicts" / "verdicts.json").read_text("utf-8"))
    text = " ".join((pages / "reports" / "verdicts.rst").read_text("utf-8").split())
    followed = Counter(each["fate"] for each in verdicts if each["advice"] == "Worse")
    said = re.search(
        r"Of (\d+) events? for the worse that a later release followed, (\d+) lasted, (\d+) reverted in the next release, and (\d+) did neither",
        text,
    )
    own = [followed[each] for each in ("lasted", "went back", "neither")]
    is_true = ([int(n) for n in said.groups()] == [sum(own), *own]) if said else not sum(own)
    is_true &= bool(said) != (
        "No event for the worse has been followed by another release yet." in text
    )
    checked.note("fates of events for the worse", said[0] if said else "", is_true, "verdicts")
    unproved = Counter(
        each["fate"]
        for each in verdicts
        if each["advice"] == "Worse, not proved" and each["fate"] != "open"
    )
    said = re.search(
        r"Of (\d+) falls? listed without proof that a later release followed, (\d+) lasted\.( Proof)?",
        text,
    )
    counts = [str(unproved.total()), str(unproved["lasted"])] if unproved else None
    is_true = counts == (list(said.groups()[:2]) if said else None)
    if said and said[3]:
        is_true &= own[0] / sum(own) - unproved["lasted"] / unproved.total() < 0.2
    checked.note("fates of unproved falls", said[0] if said else "", is_true, "verdicts")
    pairs = sum(len(site.releases(p)) - 1 for p in {(*guide[:3], "") for guide in site.bundles})
    counted = re.search(r"This page counts (\d+) comparisons? of neighbouring releases", text)
    checked.note("comparisons", text[:200], bool(counted) and int(counted[1]) == pairs, "verdicts")
    check_health(
        site,
        " ".join(plain((pages / "reports" / "health.rst").read_text("utf-8")).split()),
        checked,
    )


def _check_news(site: Site, cells: Sequence[str], checked: Checked) -> None:
    """Check what the newest guide of a SoC has that the one before lacks, and vice versa."""
    soc, release, figures = cells[:3]
    guide = newest_guide(site, soc)[0]
    own = site.releases(guide)
    at, names = own.index(guide[3]), site.names(guide)
    count = re.fullmatch(r"([\d,]+) (\d+) boards?", figures)
    older = sum(each[1] == soc for each in site.bundles) - 1
    is_true = (
        release
        == f"{_system(guide)} {guide[3]} {measured(site, guide)}"
        + (f" {older} older" if older else "")
        and bool(count)
        and (number(count[1]), int(count[2])) == (site.count(guide), len(names))
    )
    checked.note("row of a SoC", " ".join(cells[:3]), is_true, soc)
    now, then = (
        {name[0] for every in site.names((*guide[:3], release)).values() for name in every}
        for release in (guide[3], own[at - 1] if at else guide[3])
    )
    boards = {owner[3] for owner in names}
    boards -= {owner[3] for owner in site.owners((*guide[:3], own[at - 1]))} if at else boards
    news = cells[-1]
    added = {site.title(each) for each in now - then} | {f"board {each}" for each in boards}
    gone = {site.title(each) for each in then - now}
    partial = {f"{r} has {site.count((*guide[:3], r))} figure" for r in own[at + 1 :]}
    for word, wanted in (("new", added), ("gone", gone)):
        said = re.search(rf"(?:^|; |· ){word}: ([^;·]+)", news)
        listed = re.split(r", | and (?=\d+ more)", said[1].strip()) if said else []
        more = int(listed[-1].split()[0]) if listed and listed[-1].endswith(" more") else 0
        listed = listed[:-1] if more else listed
        is_true = {*listed} <= wanted and len(listed) + more == len(wanted)
        checked.note(f"{word}: ", news, is_true, soc)
    checked.note("few figures", news, all(each in news for each in partial), soc)


def check_health(site: Site, text: str, checked: Checked) -> None:
    """Check the numbers of findings on their page."""
    lost = [f for f in site.findings if f.rule.id in ("lost-table", "lost-rows")]
    rest = [f for f in site.findings if f not in lost]
    count = re.search(
        r"(?:(\d[\d,]*) findings?|No findings)(?:: (.+?))?\. Guides show every figure", text
    )
    parts = (
        [
            int(n.replace(",", ""))
            for n in re.findall(r"([\d,]+) (?:could|come|stands?)", count[2] or "")
        ]
        if count
        else []
    )
    is_true = bool(count) and number(count[1] or "0") == len(rest) == sum(parts)
    checked.note("findings", count[0] if count else text[:200], is_true, "health")
    kinds = re.search(r"By kind: ([^.]+)\.", text)
    said = {SEVERITIES[word]: int(n) for n, word in COUNTED.findall(kinds[1])} if kinds else {}
    checked.note("kinds", str(said), said == Counter(f.severity for f in rest), "health")
    line = re.search(
        r"([\d,]+) releases? lacks? ([\d,]+) figures? that the release before had", text
    )
    wanted = [len({f.guide for f in lost}), sum(f.figures for f in lost)]
    is_true = [number(n) for n in line.groups()] == wanted if line else not lost
    checked.note("lost figures", line[0] if line else "", is_true, "health")


# ---------------------------------------------------------------- moves that lasted


def check_moves(site: Site, pages: Path, checked: Checked) -> None:
    """Check the lists of lasting moves and of accelerators on the pages of benchmarks."""
    for path in sorted((pages / "by-benchmark").glob("*.rst")):
        text = path.read_text("utf-8")
        for part in re.findall(
            r"^Which release made it .+?\n-+\n(.+?)^\.\. _", text, re.DOTALL | re.MULTILINE
        ):
            rows = _table(part) + _table(part.replace("\n   ", "\n"))
            counts = {
                word: int(number_of)
                for number_of, word in re.findall(
                    r"(\d+) (got worse|got better|came with another)", part.strip().splitlines()[0]
                )
            }
            for row in rows:
                is_true = len(row) == 5 and _is_move(site, path.stem, row)
                checked.note("lasting move", f"{row}", is_true, path.stem)
            words = Counter(row[3].split()[0] for row in rows)
            # No move is counted that cannot be opened.
            is_true = len(rows) == sum(counts.values()) and all(
                words[kind.split()[-1]] == number_of for kind, number_of in counts.items()
            )
            checked.note("number of lasting moves", part.strip()[:100], is_true, path.stem)
        for part in re.findall(
            r"^Is the accelerator worth it\?\n-+\n(.+?)^\.\. _", text, re.DOTALL | re.MULTILINE
        ):
            compared, _, alone = plain(part).partition(".. container:: perf-fold")
            for row in _table(compared) + _table(alone.replace("\n   ", "\n")):
                if guide := _named(site, row[0]):
                    is_true = _is_worth_row(site, guide, row)
                    checked.note("worth of a SoC", f"{row}", is_true, row[0])


def _table(text: str) -> list[list[str]]:
    rows = re.split(r"^   \* - ", text, flags=re.MULTILINE)[2:]
    return [
        [" ".join(plain(c).split()) for c in row.partition("\n\n")[0].split("\n     - ")]
        for row in rows
    ]


def _named(site: Site, text: str) -> Guide | None:
    return next((g for g in site.bundles if text == f"{g[1]} {_system(g)} {g[3]}"), None)


MOVE = re.compile(rf"({N}) → ({N})(?: (\S+))?")
SIZE = re.compile(r"\d+ (?:bytes|[KM]iB)")
AFTER = re.compile(
    r"(\S+) → (\S+) (Linux|RT-Linux), (?:(newest release)|(not measured on this board since(?:; .+ in \d+ later releases?)?)|(CPU load .+)"
    r"|(still )?(.+) in the (?:later release|(\d+) later releases)"
    rf"(?:, (?:in (\w+) of them )?with runs from ({N}) to ({N}))?(?:, most recently ([^,]+))?)"
)


OTHERS = re.compile(rf".+; (.+): ({N})(?: (?:to|and) ({N}))? in (\d+) later releases?")


def _is_on_others(site: Site, owner: Any, name: Any, since: str, after: re.Match[str]) -> bool:
    """Return whether the SoC's other boards have these figures in later releases, all nearer to the new one."""
    said = OTHERS.fullmatch(after[5] or "")
    if said is None:
        return True
    means = {
        (other[2], release): mean
        for other in site.of.results
        if other[1] == owner[1] and other[3] != owner[3]
        for release, mean in site.of.means(other, name).items()
        if version(release) > version(since)
    }
    was, now = (site.of.means(owner, name)[release] for release in (after[1], since))
    scales = [1.0, 1e3, 1e6, 1e-3]
    return (
        len({release for _, release in means}) == int(said[4])
        and all((mean * mean < was * now) == (now < was) for mean in means.values())
        and any(
            rounds(said[2], min(means.values()) / scale)
            and rounds(said[3] or said[2], max(means.values()) / scale)
            for scale in scales
        )
    )


def _is_move(site: Site, benchmark: str, row: Sequence[str]) -> bool:
    """Return whether a figure of the benchmark and board moved this far, and stayed."""
    where, label, values, change, when = row
    soc, board = where.split()[:2]
    value, after = MOVE.fullmatch(values), AFTER.fullmatch(when)
    if value is None or after is None:
        return False
    word, _, size = change.partition(" ")
    owner = next(
        o for o in site.of.results if (o[1], o[3], o[2]) == (soc, board, SYSTEMS[after[3]])
    )
    old, new = after[1], after[2]
    for name in {n for own in site.of.results[owner].values() for n in own if n[0] == benchmark}:
        means = site.of.means(owner, name)
        metric = site.of.metric(name)
        if old not in means or new not in means or (metric and metric.better == "neither"):
            continue
        was, now = means[old], means[new]
        scale = _unit(value[3] or "")
        if not (was and rounds(value[1], was / scale) and rounds(value[2], now / scale)):
            continue
        sizes = [v for n, v in name[2] if n.endswith("_size")]
        sizes = [int(v.split()[1]) for v in sizes]
        if not all({units.size(each), f"{each} bytes"} & {*SIZE.findall(label)} for each in sizes):
            continue
        is_worse = (now > was) == (metric is not None and metric.better == "lower")
        if after[6]:
            return is_change(size.removeprefix("engine: "), now / was)
        if is_worse != (word == "worse") or not is_change(size, now / was):
            continue
        later = [mean for release, mean in means.items() if version(release) > version(new)]
        if after[4] or after[5]:
            is_last = site.releases((*owner[:3], new))[-1] == new
            if (
                not later
                and is_last == bool(after[4])
                and _is_on_others(site, owner, name, new, after)
            ):
                return True
            continue
        ends = re.findall(N, after[8])
        # The figures a third, half and two thirds of the way up, by ratio where there is one.
        least, most = sorted((was, now))
        near, middle, far = (
            least ** (1 - part) * most**part if least > 0 else least + (most - least) * part
            for part in (1 / 3, 1 / 2, 2 / 3)
        )
        is_up = now > was
        has_stayed = all(mean > far if is_up else mean < near for mean in later)
        later_runs = [
            site.of.runs(owner, release, name)
            for release in means
            if version(release) > version(new)
        ]
        both = [runs for runs in later_runs if runs.low <= near and runs.high >= far]
        said = [after[11], after[12]] if after[11] else []
        some = units.in_letters(len(both)) if 0 < len(both) < len(later) else None
        ranges = [min(r.low for r in both), max(r.high for r in both)] if both else []
        if (
            len(later) == int(after[9] or 1)
            and rounds(ends[0], min(later) / scale)
            and rounds(ends[-1], max(later) / scale)
            and sum((mean < middle) == is_up for mean in later) <= len(both)
            and has_stayed == bool(after[7])
            and len(said) == len(ranges)
            and after[10] == some
            and (after[13] is None) is (has_stayed or was <= 0)
            and (after[13] is None or is_change(after[13], later[-1] / was))
            and all(rounds(text, end / scale) for text, end in zip(said, ranges, strict=True))
        ):
            return True
    return False


# ---------------------------------------------------------------- all of a site


def check_all(site: Site, pages: Path, checked: Checked) -> None:
    """Check all pages of a site."""
    for guide in site.bundles:
        path = pages / "guides" / guide[1] / guide[2] / f"{guide[3]}.rst"
        page = Page(site, guide, plain(path.read_text("utf-8")))
        check_counts(page, checked)
        check_crypto(page, checked)
        check_careful(page, checked)
        check_engines(page, checked)
        check_doubts(page, checked)
        for text in page.chapters().values():
            check_sizes(page, text, checked)
            for line in text.splitlines():
                if line.startswith("Hardware crypto") or "whether the accelerator pays" in line:
                    check_worth(site, guide, line, checked)
    check_socs(site, pages, checked)
    check_front_page(site, pages, checked)
    check_lists(site, pages, checked)
    check_moves(site, pages, checked)


def check_socs(site: Site, pages: Path, checked: Checked) -> None:
    """Check the answers on the pages of SoCs: those of each system's newest release."""
    for soc in sorted({guide[1] for guide in site.bundles}):
        text = plain((pages / "guides" / soc / "index.rst").read_text("utf-8"))
        for title, own in re.findall(
            r"^([^\n]+), the newest release\n-+\n(.+?)^All releases", text, re.MULTILINE | re.DOTALL
        ):
            system, _, release = title.rpartition(" ")
            guide = next(
                (g for g in site.guides_of(soc) if (_system(g), g[3]) == (system, release)), None
            )
            is_newest = guide is not None and site.releases(guide)[-1] == release
            checked.note("newest release", title, is_newest, soc)
            # Without a headline result, there are no sentences.
            if guide and site.rows(guide):
                page = Page(site, guide, own)
                check_crypto(page, checked)
                check_careful(page, checked)
                if said := page.fact("Hardware crypto"):
                    check_worth(site, guide, said, checked)
