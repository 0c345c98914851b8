"""Runs the tests over the answers of a program, and writes its points to $GPUQ_SCORES."""

import json
import os
import unittest
from pathlib import Path

import test_answers

points = {
    "test_direct": 10,
    "test_detour": 20,
    "test_circle": 10,
    "test_wrong_way": 10,
    "test_already_there": 10,
    "test_large": 40,
}


class Passed(unittest.TestResult):
    """Remembers the tests that passed. A test that breaks has not passed."""

    def __init__(self):
        super().__init__()
        self.names = []

    def addSuccess(self, test):
        self.names.append(test._testMethodName)


passed = Passed()
unittest.defaultTestLoader.loadTestsFromModule(test_answers).run(passed)
scores = {"points": sum(points[name] for name in passed.names), "tests": len(passed.names)}
Path(os.environ["GPUQ_SCORES"]).write_text(json.dumps(scores))
for test, why in [*passed.failures, *passed.errors]:
    # The hosts read this in the log of the scoring job. Nobody else does.
    print(test, why)
