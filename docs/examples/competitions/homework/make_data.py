"""Makes the files in data/: maps with distances, and the length of the shortest way through each.

For an assignment of your own, change SEED, so that the maps are not those of last year.
"""

import heapq
import json
import random
from pathlib import Path

SEED = 5


def make_map(rng: random.Random, nodes: int, roads: int) -> dict:
    names = [f"n{n}" for n in range(nodes)]
    pairs = rng.sample([(a, b) for a in names for b in names if a != b], roads)
    return {
        "from": names[0],
        "to": names[-1],
        "roads": [[a, b, rng.randint(1, 20)] for a, b in pairs],
    }


def shortest(case: dict) -> "int | None":
    """The length of the shortest way; None if there is none."""
    queue, done = [(0, case["from"])], set()
    while queue:
        length, place = heapq.heappop(queue)
        if place == case["to"]:
            return length
        if place in done:
            continue
        done.add(place)
        for a, b, distance in case["roads"]:
            if a == place:
                heapq.heappush(queue, (length + distance, b))
    return None


def write(name: str, value: object) -> None:
    (Path(__file__).parent / "data" / name).write_text(json.dumps(value, indent=1) + "\n")


def main() -> None:
    rng = random.Random(SEED)
    examples = {
        "one-road": {"from": "a", "to": "b", "roads": [["a", "b", 7]]},
        "one-way": {"from": "a", "to": "b", "roads": [["b", "a", 7]]},
    }
    write("examples/cases.json", examples)
    cases = {
        "direct": {"from": "a", "to": "c", "roads": [["a", "c", 9], ["a", "b", 4], ["b", "c", 6]]},
        "detour": {"from": "a", "to": "c", "roads": [["a", "c", 9], ["a", "b", 4], ["b", "c", 2]]},
        "circle": {"from": "a", "to": "d", "roads": [["a", "b", 1], ["b", "a", 1], ["b", "d", 5]]},
        "wrong-way": {"from": "a", "to": "c", "roads": [["a", "b", 1], ["c", "b", 1]]},
        "already-there": {"from": "a", "to": "a", "roads": [["a", "b", 1], ["b", "a", 1]]},
        "large": make_map(rng, 30, 90),
    }
    write("cases/cases.json", cases)
    write("expected/lengths.json", {name: shortest(case) for name, case in cases.items()})


if __name__ == "__main__":
    main()
