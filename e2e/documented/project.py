"""Submits the current directory with Python's requests, without what .git and caches hold."""

import pathlib
import tempfile
import zipfile

import requests

config = {
    "competition_id": "handwriting",
    "project_id": "from-python",
    "expected_time": 60,
    "entrypoint": "main.py",
}
with tempfile.TemporaryFile() as packed:
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in pathlib.Path(".").rglob("*"):
            if path.is_file() and not {".git", "__pycache__"} & set(path.parts):
                archive.write(path)
    packed.seek(0)
    answer = requests.post(
        "SERVER/api/submit",
        headers={"Authorization": "Bearer TOKEN"},
        files={
            "archive": ("project.zip", packed),
            "config_file": ("config.yaml", str(config)),
        },
        timeout=300,
    )
job = answer.json()
print(job["job_id"], job["status"])
print(job["stdout"], end="")
