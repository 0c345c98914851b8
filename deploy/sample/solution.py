"""gpuq's sample job: fits a straight line to noisy points with torch, and prints what it found."""

import json

import pandas as pd
import torch

torch.manual_seed(1)
device = "cuda" if torch.cuda.is_available() else "cpu"
print(f"Hello from gpuq: torch {torch.__version__} on {device}")

x = torch.linspace(-1, 1, 200, device=device)
y = 3.0 * x + 0.5 + 0.1 * torch.randn(200, device=device)

slope = torch.zeros(1, device=device, requires_grad=True)
offset = torch.zeros(1, device=device, requires_grad=True)
optimizer = torch.optim.SGD([slope, offset], lr=0.3)

steps = []
for step in range(1, 101):
    optimizer.zero_grad()
    loss = ((slope * x + offset - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    if step in (1, 10, 30, 100):
        steps.append({"step": step, "loss": round(loss.item(), 4)})

print(pd.DataFrame(steps).to_string(index=False))
# A line that is JSON becomes a result: the job's page shows it as a table, a tree or a chart.
print(json.dumps({"slope": round(slope.item(), 3), "offset": round(offset.item(), 3), "steps": steps}))
