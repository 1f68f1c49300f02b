"""Measures other matchers on the corpus, beside Nomos.

    compare.py RUNNER [--slow] FOLDER...

Each matcher scores all pairs of a missing field and an unknown member of a case that have the same JSON kind. The best
pairs are taken first, each field and each member once. As in the runner, the threshold for each fold is the one that is
best on the APIs of the other four. The rows of Nomos are printed by the runner.
"""

import glob
import json
import re
import subprocess
import sys
import warnings
from collections import Counter
from pathlib import Path

import pandas
from minilm import MiniLM
from valentine import valentine_match
from valentine.algorithms import Coma, SimilarityFlooding

FOLDS = 5
STEPS = 50


def main(runner, arguments):
    is_slow = "--slow" in arguments
    folders = [argument for argument in arguments if argument != "--slow"]
    folders = sorted(folder for pattern in folders for folder in glob.glob(pattern))
    apis = [json.loads(file.read_text()) for folder in folders for file in sorted(Path(folder).glob("*.json"))]
    cases = [[Case(case) for case in api["cases"]] for api in apis]
    ours = subprocess.run([runner, *folders], capture_output=True, text=True, check=True).stdout
    rows = [(name, table(cases, scores)) for name, scores in matchers(is_slow)]
    for title, worth in [("by F1, cross-validated", f1), ("by recall at precision 0.99, cross-validated", safe)]:
        start = ours.index(f"| {title}")
        print("\n" + ours[start:].split("\n\n")[0].strip())
        for name, steps in rows:
            print(row(name, crossed(steps, worth)))


def matchers(is_slow):
    model = MiniLM()
    cosine = lambda text: lambda a, b: float(model.embed(text(a)) @ model.embed(text(b)))
    yield "MiniLM on names", lambda case: each(case, cosine(lambda path: words(leaf(path))))
    yield "valentine: COMA", lambda case: valentine(case, Coma())
    if is_slow:
        yield "MiniLM on paths", lambda case: each(case, cosine(words))
        yield "valentine: similarity flooding", lambda case: valentine(case, SimilarityFlooding())


class Case:
    def __init__(self, case):
        both = lambda pairs: {(plain(pair["expected"]), plain(pair["found"])) for pair in pairs}
        self.pairs, self.lookalikes = both(case["pairs"]), both(case.get("lookalikes", []))
        self.absent = {plain(path) for path in case.get("absent", [])}
        kinds = dict(fields(case["contract"]))
        self.expected = {path: kinds[path] for path in {pair[0] for pair in self.pairs} | self.absent}
        members = {}
        for path, value in leaves(case["body"]):
            members.setdefault(path, value)
        self.found = {path: value for path, value in members.items() if path not in kinds}

    def fit(self, expected, found):
        kinds = self.expected[expected]
        return kinds is None or kind(self.found[found]) in kinds


def fields(schema, path=""):
    if schema.get("properties"):
        for name, inner in schema["properties"].items():
            yield from fields(inner, join(path, name))
    elif schema.get("items", {}).get("properties") or schema.get("items", {}).get("items"):
        yield from fields(schema["items"], path + "[]")
    elif path:
        kinds = schema.get("type")
        yield path, None if kinds is None else {kinds} if isinstance(kinds, str) else set(kinds)


def leaves(value, path=""):
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from leaves(inner, join(path, name))
    elif isinstance(value, list) and value and isinstance(value[0], (dict, list)):
        for inner in value:
            yield from leaves(inner, path + "[]")
    else:
        yield path, value


def plain(path):
    """Returns a path with only the quotes that it needs."""
    return re.sub(r'"([^".]*)"', r"\1", path)


def join(path, name):
    name = f'"{name}"' if "." in name else name
    return f"{path}.{name}" if path else name


def kind(value):
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return kinds.get(type(value), "null")


def leaf(path):
    return re.findall(r'"[^"]*"|[^.\[\]]+', path)[-1]


def words(path):
    return " ".join(re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", path)).lower()


def each(case, score):
    return {(a, b): score(a, b) for a in case.expected for b in case.found if case.fit(a, b)}


def valentine(case, matcher):
    if not case.expected or not case.found:
        return {}
    expected = pandas.DataFrame({path: [""] for path in sorted(case.expected)}, dtype=str)
    found = pandas.DataFrame({path: [json.dumps(value).strip('"')] for path, value in case.found.items()}, dtype=str)
    matches = valentine_match([expected, found], matcher, df_names=["expected", "found"])
    pairs = {}
    for pair, score in matches.items():
        sides = dict(((pair.source_table, pair.source_column), (pair.target_table, pair.target_column)))
        a, b = sides["expected"], sides["found"]
        if case.fit(a, b):
            pairs[a, b] = score
    return pairs


def table(cases, scores):
    """Returns by threshold and API how many pairs are right and wrong, and how many there are."""
    taken = [[(case, one_to_one(scores(case))) for case in api] for api in cases]
    return [[sum((count(case, pairs, step / STEPS) for case, pairs in api), Counter()) for api in taken]
            for step in range(STEPS + 1)]


def one_to_one(pairs):
    taken, left, right = [], set(), set()
    for (a, b), score in sorted(pairs.items(), key=lambda pair: (-pair[1], pair[0])):
        if a not in left and b not in right:
            taken.append(((a, b), score))
            left.add(a)
            right.add(b)
    return taken


def count(case, taken, least):
    made = {pair for pair, score in taken if score >= least}
    return Counter(
        right=len(made & case.pairs),
        wrong=len(made - case.pairs),
        pairs=len(case.pairs),
        absent=len(case.absent),
        absent_healed=len({a for a, _ in made} & case.absent),
        lookalikes=len(made & case.lookalikes),
    )


def crossed(steps, worth):
    total = Counter()
    for fold in range(FOLDS):
        others = lambda scores: sum((one for at, one in enumerate(scores) if at % FOLDS != fold), Counter())
        best = max(steps, key=lambda scores: worth(others(scores)))
        total += sum((one for at, one in enumerate(best) if at % FOLDS == fold), Counter())
    return total


def precision(score):
    made = score["right"] + score["wrong"]
    return score["right"] / made if made else 1.0


def recall(score):
    return score["right"] / score["pairs"]


def f1(score):
    p, r = precision(score), recall(score)
    return 2 * p * r / (p + r) if p + r else 0.0


def safe(score):
    return recall(score) if precision(score) >= 0.99 else precision(score) - 1


def row(name, score):
    healed = score["absent_healed"] / score["absent"]
    figures = f"{precision(score):.3f} | {recall(score):.3f} | {f1(score):.3f} | {score['wrong']}"
    return f"| {name} | {figures} | {healed:.3f} | {score['lookalikes']} |"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(sys.argv[1], sys.argv[2:])
