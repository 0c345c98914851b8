"""Submits with Python's requests. The config goes as str() of a dict, which is YAML's flow style."""

import requests

program = "import torch\nprint('sum', int(torch.arange(5).sum()))\n"
settings = {
    "competition_id": "handwriting",
    "project_id": "from-python",
    "user_id": "USER",
    "expected_time": 60,
    "token": "TOKEN",
}
answer = requests.post(
    "SERVER/api/submit",
    headers={"Authorization": "Bearer TOKEN"},
    files={
        "code": ("solution.py", program, "text/x-python"),
        "config_file": ("config.yaml", str(settings), "application/x-yaml"),
    },
    timeout=300,
)
job = answer.json()
print(job["job_id"], job["status"])
print(job["stdout"], end="")
