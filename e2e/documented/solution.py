"""Imports what the default environment promises, and prints one line."""

import pandas
import torch

print("mean", float(torch.tensor(pandas.Series([1.0, 2.0, 3.0]).to_numpy()).mean()))
