"""Compares pred.csv of an entry with the labels, and writes the share of right answers to $GPUQ_SCORES.

Participants write pred.csv. So nothing in it may make this program fail: what cannot be read is a wrong answer.
"""

import csv
import json
import os
import sys
from pathlib import Path

# On your machine: python score.py DIRECTORY, with the directories outputs and labels in it.
root = Path(sys.argv[1] if len(sys.argv) > 1 else "/")


def read_answers(path):
    """The answer for each id. Two answers for an id are none."""
    answers = {}
    text = path.read_text(encoding="utf-8", errors="replace").replace("\0", "")
    for line in text.splitlines()[:10_000]:
        id, _, label = line.partition(",")
        id = id.strip().strip('"')
        answers[id] = None if id in answers else label.strip().strip('"')
    return answers


def share(rows, answers):
    return sum(answers.get(row["id"]) == row["label"] for row in rows) / len(rows)


with open(root / "labels/truth/truth.csv", newline="") as file:
    truth = list(csv.DictReader(file))
answers = read_answers(root / "outputs/pred.csv")
scores = {
    "acc": share([row for row in truth if row["split"] == "public"], answers),
    "final_acc": share([row for row in truth if row["split"] == "private"], answers),
}
Path(os.environ["GPUQ_SCORES"]).write_text(json.dumps(scores))
