from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score

x, y = make_classification(200, random_state=0)
assert cross_val_score(RandomForestClassifier(20, random_state=0, n_jobs=2), x, y, cv=3, n_jobs=2).mean() > 0.8
