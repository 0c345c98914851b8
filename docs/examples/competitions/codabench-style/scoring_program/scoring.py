import json
import os
import sys

source, target = sys.argv[1:]
with open(os.path.join(source, "ref", "truth.txt")) as file:
    truth = file.read().split()
with open(os.path.join(source, "res", "predictions.txt")) as file:
    predictions = file.read().split()
right = sum(one == other for one, other in zip(predictions, truth))
with open(os.path.join(target, "scores.json"), "w") as file:
    json.dump({"accuracy": right / len(truth), "wrong": len(truth) - right}, file)
