"""Every sentence of comparisons of archives at random, and of the project's own, is true of their bundles."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import fmean

import msgspec
import pytest
import truth
from making import ROOT, SHIPPED
from msgspec import UNSET
from profiles import count
from published_tables import tables_of
from random_archives import Archive, archive

from perfguide.bundle import Result, digest
from perfguide.bundles.decode import Loaded
from perfguide.bundles.guide_key import families, version
from perfguide.catalog import benchmarks
from perfguide.catalog.board_names import Boards
from perfguide.compare import event_fates, row_texts
from perfguide.compare.comparison import Comparison, compare
from perfguide.compare.history import History
from perfguide.compare.match import Names
from perfguide.compare.row import Row, Rules
from perfguide.compare.select import Filter, ReleasePair
from perfguide.figures import dataset, rows
from perfguide.figures.pool import Pool, Record
from perfguide.health.marks import Marks
from perfguide.pages import lasting_moves

NAMES = Names(benchmarks.load([SHIPPED])[0], Boards({}))
SEEDS = (4, 5, 53, 100, 106, 107, 113, 141, 147, 148, 159, 163, 177, 186, 210)
FEW_SEEDS = (4, 107, 113, 147, 148, 159, 163, 186, 210)
"""Of these, with which every kind of sentence is met; the others are for a thorough run."""
HISTORY = ROOT.parent / "shared" / "history"


def comparisons(pool: Pool, rules: Rules, newest: int) -> Iterator[Comparison]:
    """The comparisons of the newest neighbours of each platform, the newest last."""
    history = History([pool], NAMES)
    for keys in families(pool.guides()).values():
        for old, new in [*pairwise(keys)][-newest:]:
            sides = ReleasePair(old, new, "").sides(pool, NAMES)
            yield compare(*sides, history, rules, Filter(soc=new.soc))


def of_archive(of: Archive, newest: int = 2) -> Iterator[tuple[Pool, Comparison]]:
    pool = Pool(rows.build(of.bundles), NAMES.catalog)
    rules = Rules(NAMES, of.waivers, annotations=of.annotations)
    return ((pool, both) for both in comparisons(pool, rules, newest))


def checked_seeds() -> truth.Checked:
    checked = truth.Checked(Counter(), [])
    for seed in SEEDS if count(0, heavy=1) else FEW_SEEDS:
        known = len(checked.false)
        for pool, both in of_archive(archive(seed)):
            truth.check_comparison(both, truth.Figures(pool, NAMES), checked)
            events = (*both.events, *both.far)
            for event, entry in zip(events, event_fates.compared(both).entries, strict=True):
                names = {row.benchmark for row in event.rows}
                is_true = entry.benchmark == (names.pop() if len(names) == 1 else "")
                checked.note("benchmark of an event", entry.title, is_true, both.new)
        checked.false[known:] = [f"seed {seed}: {text}" for text in checked.false[known:]]
    return checked


RARE = (
    "counts other bytes",
    *("no earlier release or second run", "earlier, which is too little"),
    *("runs drift", "measure old and new", "failed before and fails now", "alone", "is now"),
    *("not measured again", "worse than each of the last"),
    *("last worked in", "measured last got worse"),
    "under another name",
    *("“Integer, add”", "times “mul”"),
    *(
        "the (clock|memory",
        "may have been recorded wrongly",
        "all rows moved by the ratio",
        "No board",
    ),
    *(
        ".+ .* →",
        "No figure was",
        "Compare ",
        "With (?:it",
        *("alternates", "changed state", "the rate of its run"),
        "was (.+) and is",
        ".+ was .+ and is .+",
        "far jumps of single",
        "moved by less than",
        *("labels are wrong", "Labels of", "publishes figures"),
        "published as",
        "None of (",
        "The only figure",
        "a return to the level",
        "at equal clock",
        "earlier figures are scaled",
        *("failed in (.+) already", "moved as far in (.+) already"),
        "had got worse before",
        *("more rates? failed", "no longer measured"),
        *("another (eMMC", "another way of testing", "another compiler"),
    ),
)
"""Parts of sentences for which an archive needs several conditions at once. They have tests of their own."""


def test_every_sentence_about_archives_at_random_is_true() -> None:
    checked = checked_seeds()
    assert checked.false == []
    missing = [pattern.pattern for pattern, _ in truth.ALL if not checked.met[pattern.pattern]]
    assert [each for each in missing if not any(part in each for part in RARE)] == []
    assert all(checked.met[kind] for kind in ("N rows of N", "how far", "also moved"))


@pytest.mark.parametrize("soc", ["AM64X", "results"])
def test_every_sentence_about_real_bundles_is_true(soc: str) -> None:
    folder = ROOT / "results" if soc == "results" else HISTORY / soc
    if not folder.exists():
        pytest.skip("the archive of public guides is not here")
    settings = dataset.Settings((folder,), (SHIPPED,), Path("build"))
    pool = dataset.read(settings).pool
    checked, figures = truth.Checked(Counter(), []), truth.Figures(pool, NAMES)
    for both in comparisons(pool, Rules(NAMES), 4):
        truth.check_comparison(both, figures, checked)
    assert checked.false == []
    if soc != "results":
        for part in ("far jumps of single", "moved by less than", "N metrics"):
            assert any(part in kind for kind in checked.met)


Rows = dict[tuple[str, str], list[dict[str, tuple[float, float, float]]]]
"""The mean, the smallest and the largest figure of each row by release, as files have them, by system and
benchmark."""


def rows_of(folder: Path) -> Rows:
    out: dict[tuple[str, str], dict[str, dict[str, list[tuple[float, float, float]]]]] = {}
    for path in folder.rglob("*.json"):
        bundle = json.loads(path.read_bytes())
        tables = tables_of(
            [
                (each["benchmark"], each["metric"], each.get("params", {}))
                for each in bundle["results"]
            ]
        )
        for each, table in zip(bundle["results"], tables, strict=True):
            if "value" in each:
                # The numbers of tables shift from release to release.
                params = {n: v for n, v in each.get("params", {}).items() if n != "table_no"}
                params |= {n: v for n, v in table.items() if n == "table"}
                name = [bundle["board"]["name"], each["metric"], each["unit"], params]
                own = out.setdefault((bundle["sdk"]["os"], each["benchmark"]), {})
                of_row = own.setdefault(json.dumps(name), {})
                mean = each["value"]
                figures = (mean, each.get("min", mean), each.get("max", mean))
                of_row.setdefault(bundle["sdk"]["version"], []).append(figures)

    def of_release(runs: list[tuple[float, float, float]]) -> tuple[float, float, float]:
        means, lows, highs = zip(*runs, strict=True)
        return fmean(means), min(lows), max(highs)

    return {
        key: [{release: of_release(runs) for release, runs in row.items()} for row in own.values()]
        for key, own in out.items()
    }


class Doubting(Marks):
    """Marks that doubt every figure."""

    def doubt(self, record: Record) -> str:
        return "in doubt"


LATER = rf"(still )?({truth.N})(?: (?:to|and) ({truth.N}))? in the (?:(\d+) later releases|later release)"
LATER += rf"(?:, (?:in \w+ of them )?with runs from ({truth.N}) to ({truth.N}))?(?:, most recently [^,]+)?"


def is_where_later_releases_are(
    move: lasting_moves.LastingMove, pair: ReleasePair, of: Rows
) -> bool:
    """Whether a row of the files has both figures of a move, and later ones as it says."""
    form = re.fullmatch(rf"{LATER}|newest release|not measured on this board since", move.after)
    assert form, move.after
    was, now = move.values.split(" ")[0], move.values.split(" ")[2]
    for row in of[pair.new.os, move.benchmark]:
        old, new = (row.get(release) for release in move.releases.split(" → "))
        if old is None or new is None or old[0] == new[0]:
            continue
        at = version(pair.new.release)
        old, new = old[0], new[0]
        # UDP rates count other bytes of a packet since then, so they say nothing of an earlier move.
        step = version("11.01.05")
        is_rate = move.benchmark == "ethernet-udp" and "Mbit/s" in move.values
        if is_rate and at < step <= version(max(row, key=version)):
            continue
        after = [figures for release, figures in row.items() if version(release) > at]
        later = [mean for mean, _, _ in after]
        # The figures a third, half and two thirds of the way, by ratio where there is one.
        low, high = min(old, new), max(old, new)
        thirds = [part / 6 if old < new else 1 - part / 6 for part in (2, 3, 4)]
        near, middle, far = (
            low ** (1 - part) * high**part if low > 0 else low + (high - low) * part
            for part in thirds
        )
        both = [own for own in after if own[1] <= min(near, far) and own[2] >= max(near, far)]
        ends = [min(o[1] for o in both), max(o[2] for o in both)] if both else []
        for scale in (1.0, 1e3, 1e-3):
            if not (truth.rounds(was, old / scale) and truth.rounds(now, new / scale)):
                continue
            if form[2] is None:
                if not later:
                    return True
            elif (
                len(later) == int(form[4] or 1)
                and truth.rounds(form[2], min(later) / scale)
                and truth.rounds(form[3] or form[2], max(later) / scale)
                and all((v > far) if new > old else (v < far) for v in later) == bool(form[1])
                and all((o[0] >= middle) is (new > old) or o in both for o in after)
                and bool(form[5]) == bool(ends)
                and all(
                    truth.rounds(said, end / scale)
                    for said, end in zip(filter(None, form.groups()[4:]), ends, strict=True)
                )
            ):
                return True
    return False


@pytest.mark.parametrize("soc", ["AM62X", "AM335X"][: count(1, heavy=2)])
def test_moves_that_lasted_and_engines_that_changed_are_those_of_the_bundles(soc: str) -> None:
    if not (HISTORY / soc).exists():
        pytest.skip("the archive of public guides is not here")
    settings = dataset.Settings((HISTORY / soc,), (SHIPPED,), Path("build"))
    # The figures by system, board and release, as the files have them.
    figures: dict[tuple[str, str], dict[str, dict[tuple[object, ...], list[float]]]] = {}
    for path in (HISTORY / soc).rglob("*.json"):
        bundle = json.loads(path.read_bytes())
        sdk = bundle["sdk"]
        of_board = figures.setdefault((sdk["os"], bundle["board"]["name"]), {})
        of_release = of_board.setdefault(sdk["version"], {})
        for each in bundle["results"]:
            params = each.get("params", {})
            if each["benchmark"] == "openssl" and "value" in each:
                key = (params["algorithm"], each["metric"], params.get("block_size"))
                of_release.setdefault(key, []).append(each["value"])
    found, lasting, of_files = 0, list[str](), rows_of(HISTORY / soc)
    unmeasured, tried = set[str](), False
    pool = dataset.read(settings).pool
    history = History([pool], NAMES)
    for both in comparisons(pool, Rules(NAMES), 99):
        changes = [each for each in both.engine_changes if each.record.benchmark == "openssl"]
        pair = ReleasePair(
            *(
                replace(both.rows[0].guide, release=name.split()[-1])
                for name in (both.old, both.new)
            ),
            "page",
        )
        moves = lasting_moves.of_comparison(both, pair, NAMES.catalog, history, Marks())
        for change in changes:
            said = re.fullmatch(
                r".+: the engine seems to have changed since (\S+): .+; "
                r"Throughput, (\S+), block size 16 KiB: (\S+) → (\S+) MB/s, CPU load (\d+) → (\d+) %",
                change.sentence(NAMES),
            )
            assert said and change.sentence(NAMES) in both.around
            last, algorithm = said[1], said[2].lower()
            own = figures[change.record.guide.os, change.board]
            order = sorted(own, key=version)
            now = pair.new.release
            between = order[order.index(last) + 1 : order.index(now)]
            assert pair.old.release in between and not any(own[each] for each in between)
            for number, release in enumerate((last, now)):
                rate = fmean(own[release][algorithm, "throughput", 16384]) / 1000
                load = fmean(own[release][algorithm, "cpu_load", None])
                assert truth.rounds(said[3 + number], rate) and truth.rounds(said[5 + number], load)
            found += 1
        for event in both.events if changes else ():
            for row in event.rows if event.of_engine and event.benchmark == "openssl" else ():
                algorithm = row.params["algorithm"], "cpu_load", None
                of_release = figures[row.guide.os, row.board]
                loads = [
                    fmean(of_release[own][algorithm]) for own in (event.since, pair.new.release)
                ]
                # Only what waited for an engine in just one of them is explained by it.
                assert max(loads) >= 90 and min(loads) < 80, row
        for move in moves:
            if not move.is_engine:
                assert is_where_later_releases_are(move, pair, of_files), move
                lasting.append(move.after)
                if not move.releases.startswith(pair.old.release):
                    unmeasured.add(move.releases)
        listed = [each for each in moves if each.is_engine]
        assert bool(listed) is bool(changes)
        assert sum(each.boards for each in listed) == len(changes)
        if any(not move.is_engine for move in moves) and not tried:
            tried = True
            doubted = lasting_moves.of_comparison(both, pair, NAMES.catalog, history, Doubting())
            assert doubted == listed  # none begins at a figure in doubt
    assert found and any(each.startswith("still ") for each in lasting)
    assert any("with runs from" in each for each in lasting)
    assert unmeasured


def with_more_runs(of: Archive, both: Comparison, number: int) -> Archive:
    """An archive with more runs of two releases, whose figures scatter about those that were measured."""
    rng = random.Random(number)

    def key(board: str, benchmark: str, metric: str, params: dict[str, object]) -> str:
        return json.dumps([board, benchmark, metric, sorted(params.items())])

    scatter = {
        key(board, *(each.result[n] for n in ("benchmark", "metric", "params"))): each.scatter
        for board, own in of.figures.items()
        for each in own
    }
    templates: dict[tuple[str, str], list[Loaded]] = {}
    for item in of.bundles:
        release = item.bundle.sdk.version
        if release in (both.old.split()[-1], both.new.split()[-1]):
            templates.setdefault((item.bundle.board.name, release), []).append(item)
    more = []
    for (board, _), items in templates.items():
        levels: dict[str, list[float]] = {}
        for each in (result for item in items for result in item.bundle.results):
            mean = truth.runs_of([msgspec.structs.replace(each, unit="1")]).mean
            if mean is not None:
                name = key(board, each.benchmark, each.metric, each.params)
                levels.setdefault(name, []).append(mean)
        for run in range(number):
            results = []
            for each in items[0].bundle.results:
                name = key(board, each.benchmark, each.metric, each.params)
                if each.status is UNSET:
                    value = fmean(levels[name]) * max(1 + rng.gauss(0, scatter[name]), 0.3)
                    each = Result(each.benchmark, each.metric, each.unit, each.params, value=value)
                results.append(each)
            name = f"{items[0].bundle.id}-again-{run}"
            bundle = msgspec.structs.replace(items[0].bundle, id=name, results=results)
            more.append(Loaded("results", f"{name}.json", bundle, digest(bundle)))
    return replace(of, bundles=[*of.bundles, *more])


def test_as_many_more_runs_as_are_said_mostly_settle_a_row() -> None:
    """So many runs are made, each with the figures of its release and the scatter of the row."""
    outcomes: Counter[bool] = Counter()
    number = 5
    for seed in (2, 8, 12, 15, 22):
        of = archive(seed)
        ((_, before),) = of_archive(of, 1)
        ((_, now),) = of_archive(with_more_runs(of, before, number), 1)
        after = {(r.board, r.benchmark, r.metric, str(r.params)): r.verdict for r in now.rows}
        for row in before.rows:
            if row.verdict == "noisy" and row.unit != "%" and 0 < (row.more_runs or 0) <= number:
                verdict = after[row.board, row.benchmark, row.metric, str(row.params)]
                outcomes[verdict != "noisy"] += 1
    assert outcomes[True] >= 0.65 * outcomes.total() >= 10


def moved_to(row: Row, ratio: float, pool: Pool) -> list[Loaded]:
    """The bundles of a pool with the newer figure of a row at a ratio to the older one."""
    assert row.old and row.new and row.old.cell.mean and row.new.cell.mean
    by = row.old.cell.mean * ratio / row.new.cell.mean

    def changed(result: Result) -> Result:
        ends = {name: getattr(result, name) for name in ("value", "min", "max")}
        own = {name: by * end for name, end in ends.items() if end is not UNSET}
        samples = {} if result.samples is UNSET else {"samples": [by * s for s in result.samples]}
        return msgspec.structs.replace(result, **own, **samples)

    out = list(pool.frame.bundles)
    for number, at in pool.positions_of(row.new.cell.members):
        results = list(out[number].bundle.results)
        results[at] = changed(results[at])
        out[number] = replace(
            out[number], bundle=msgspec.structs.replace(out[number].bundle, results=results)
        )
    return out


def test_a_change_that_would_have_been_seen_is_seen() -> None:
    """The newer figure of a row is set to the change that its ground says would have been called."""
    outcomes: Counter[bool] = Counter()
    tried: list[int] = []
    for seed in SEEDS[:4]:
        of = archive(seed)
        *_, (pool, both) = of_archive(of, 1)
        rng = random.Random(seed)
        tried.append(seed)
        for row in rng.sample(both.rows, 15):
            said = re.search(
                r"only a (rise|fall) (of|by a factor of) ([\d.]+)( %)? or more would",
                row_texts.ground(row),
            )
            if (
                not said
                or row.work is not None
                or row.unit == "%"
                or outcomes.total() > 2 * len(tried)
            ):
                continue
            size = float(said[3]) / 100 if said[4] else float(said[3]) - 1
            # Beyond the last printed digit.
            size *= 1.0001
            ratio = 1 + size if said[1] == "rise" else 1 - size if said[4] else 1 / (1 + size)
            again = replace(of, bundles=moved_to(row, ratio, pool))
            *_, (_, both_now) = of_archive(again, 1)
            key = (row.board, row.benchmark, row.metric, row.params)
            (now,) = (
                each
                for each in both_now.rows
                if (each.board, each.benchmark, each.metric, each.params) == key
            )
            outcomes[now.verdict in ("regressed", "improved", "changed", "incomparable")] += 1
    # What one row shows changes the scatter of others a little.
    assert outcomes[True] >= 0.85 * outcomes.total() >= 5
