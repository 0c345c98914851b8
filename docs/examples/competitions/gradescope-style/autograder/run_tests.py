import json

with open("/labels/truth/truth.txt") as file:
    truth = file.read().split()
with open("answers.txt") as file:
    answers = file.read().split()


def test(name, passed, points):
    return {"name": name, "score": points if passed else 0, "max_score": points, "visibility": "visible"}


tests = [
    test("test_words", sorted(answers) == sorted(truth), 1),
    test("test_order", answers == truth, 2),
]
longest = max((len(word) for word in answers), default=0)
print(json.dumps({"tests": tests, "leaderboard": [{"name": "longest", "value": longest}]}))
