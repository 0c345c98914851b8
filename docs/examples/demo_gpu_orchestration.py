"""Shows the queue API of gpuq: submit, list, reprioritize, wait for and cancel jobs.

    python demo_gpu_orchestration.py

Needs Python 3.8 and no package. It uses port 10000 of this machine, where programs of the user who started gpuq need no
token. If gpuq was started with RESEARCH_AGENT_USER_AUTH_TOKEN, set it here too. For another server set GPUQ_URL, such as
http://gpu.example.org:8001, and GPUQ_TOKEN.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request

SERVER = os.environ.get("GPUQ_URL", "http://localhost:10000").rstrip("/")
TOKEN = os.environ.get("GPUQ_TOKEN") or os.environ.get("RESEARCH_AGENT_USER_AUTH_TOKEN", "")
FINAL = ("completed", "failed", "cancelled")


def call(method, path, body=None, token=TOKEN):
    """Send a request, and return the status and the JSON of its response."""
    headers = {"Content-Type": "application/json"}
    if token:
        headers["X-Auth-Token"] = token
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(SERVER + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, json.loads(response.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def require(method, path, body=None):
    """The JSON of a response. Ends the program if the server refuses the request."""
    status, answer = call(method, path, body)
    if status >= 400:
        sys.exit(f"{method} {path}: {status} {answer['detail']}")
    return answer


def wait_for(job_id):
    """Wait until a job has ended, and return its last state."""
    while True:
        job = require("GET", f"/queue/{job_id}")
        if job["status"] in FINAL:
            return job
        time.sleep(0.5)


def show_cluster():
    status = require("GET", "/gpu/status")["cluster_status"]
    print(f"GPUs: {status['available_gpus']} of {status['total_gpus']} free, on {status['nodes']} nodes")
    print(f"Allocated: {status['utilization_percent']} %, measured load: {status['load_percent']} %")


def show_queue(mine):
    queue = require("GET", "/queue")
    for job in queue["queued"]:
        if job["job_id"] in mine:
            print(f"  waits, position {job['position']}, expected start {job['expected_start']}: {job['run_id']}")
    for job in queue["running"]:
        if job["job_id"] in mine:
            print(f"  runs on {job['node']}, GPUs {job['gpus']}: {job['run_id']}")


def main():
    show_cluster()
    scheduler = require("GET", "/orchestrator/status")
    print(f"Scheduler: {'running' if scheduler['running'] else 'stopped'}, policy {scheduler['scheduling_policy']}")

    jobs = []
    for run_id, gpus, priority in (("demo-large", 2, 0), ("demo-small", 1, 0), ("demo-background", 1, -5)):
        command = f"sleep 3; python3 -c 'print(\"{run_id}\", 6 * 7)'"
        asked = {"run_id": run_id, "command": command, "gpu_count": gpus, "priority": priority}
        job = require("POST", "/queue/submit", {**asked, "estimated_duration_seconds": 60})
        print(f"Submitted {run_id}: job {job['job_id']}")
        jobs.append(job["job_id"])
    asked = {"run_id": "demo-cancelled", "command": "true", "depends_on": jobs[:1]}
    waiting = require("POST", "/queue/submit", asked)
    jobs.append(waiting["job_id"])
    show_queue(jobs)

    changed = require("PATCH", f"/queue/{waiting['job_id']}/priority", {"priority": -1})
    print(f"Priority of {changed['run_id']}: {changed['priority']}")
    print(f"It waits because: {changed['reason_text'] or 'the scheduler has not looked at it yet'}")
    cancelled = require("DELETE", f"/queue/{waiting['job_id']}")
    print(f"{cancelled['run_id']}: {cancelled['status']}")

    for job_id in jobs[:-1]:
        job = wait_for(job_id)
        print(f"{job['run_id']}: {job['status']}, exit code {job['exit_code']}, ran on {job['node']}")
    show_cluster()


if __name__ == "__main__":
    main()
