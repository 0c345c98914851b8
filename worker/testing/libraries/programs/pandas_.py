import pandas

frame = pandas.DataFrame({"kind": ["a", "b", "a"], "value": [1, 2, 3]})
frame.to_csv("frame.csv", index=False)
assert pandas.read_csv("frame.csv").groupby("kind").value.sum().to_dict() == {"a": 4, "b": 2}
