"""Makes the files in data/: pictures of digits, 8 by 8 pixels, with noise.

The same seed makes the same files. For a competition of your own, change SEED, so that nobody has the labels.
"""

import csv
import random
from pathlib import Path

SEED = 4
SIZE = 8
GLYPHS = """
.###. ..#.. .###. ####. ...#. ##### .###. ##### .###. .###.
#...# .##.. #...# ....# ..##. #.... #.... ....# #...# #...#
#..## ..#.. ....# ....# .#.#. ####. #.... ...#. #...# #...#
#.#.# ..#.. ...#. .###. #..#. ....# ####. ..#.. .###. .####
##..# ..#.. ..#.. ....# ##### ....# #...# .#... #...# ....#
#...# ..#.. .#... ....# ...#. #...# #...# .#... #...# ....#
.###. .###. ##### ####. ...#. .###. .###. .#... .###. .###.
"""
ROWS = [line.split() for line in GLYPHS.split("\n") if line]


def picture(digit: int, noise: random.Random) -> str:
    """The brightness of each pixel, 0 to 9, row by row."""
    right, down = noise.randint(1, 2), noise.randint(0, 1)
    pixels = []
    for y in range(SIZE):
        for x in range(SIZE):
            inside = 0 <= y - down < 7 and 0 <= x - right < 5
            ink = inside and ROWS[y - down][digit][x - right] == "#"
            value = noise.gauss(6.0 if ink else 2.0, 2.0)
            pixels.append(str(min(9, max(0, round(value)))))
    return "".join(pixels)


def write(name: str, header: list, rows: list) -> None:
    with open(Path(__file__).parent / "data" / name, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def main() -> None:
    noise = random.Random(SEED)
    digits = [n % 10 for n in range(320)]
    noise.shuffle(digits)
    rows = [(f"p{n:03}", digit, picture(digit, noise)) for n, digit in enumerate(digits)]
    train, sample, test = rows[:200], rows[200:220], rows[220:]
    write("train/train.csv", ["id", "label", "pixels"], train)
    write("sample/test.csv", ["id", "pixels"], [(id, pixels) for id, _, pixels in sample])
    write("sample/truth.csv", ["id", "label"], [(id, label) for id, label, _ in sample])
    write("test/test.csv", ["id", "pixels"], [(id, pixels) for id, _, pixels in test])
    # A third of the pictures counts for the public board, the others for the final one.
    splits = ["public" if n % 3 == 0 else "private" for n in range(len(test))]
    noise.shuffle(splits)
    truth = [(id, label, split) for (id, label, _), split in zip(test, splits)]
    write("truth/truth.csv", ["id", "label", "split"], truth)


if __name__ == "__main__":
    main()
