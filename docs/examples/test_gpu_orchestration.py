"""Tests a running gpuq through its queue API.

    python test_gpu_orchestration.py

The server and the token are those of demo_gpu_orchestration.py. The tests start small jobs and change no setting. With a token
of gpuq they also test what only the whole API has: outputs and who the caller is.
"""

import os
import unittest
import urllib.error
import urllib.request

from demo_gpu_orchestration import SERVER, call, require, wait_for

# Port 10000 has only the queue API.
WHOLE_API = bool(os.environ.get("GPUQ_TOKEN"))
CPU_ONLY = {"gpu_count": 0, "estimated_duration_seconds": 60}


def submit(**body):
    status, answer = call("POST", "/queue/submit", body)
    assert status == 201, answer
    return answer["job_id"]


def submit_behind_others():
    """Submits jobs that take all GPUs, and one that waits for them. Returns the ids of the first ones, and that of the last."""
    nodes = [node for node in require("GET", "/gpu/status")["nodes"] if node["state"] == "ready"]
    sizes = [min(8, len(node["gpus"])) for node in nodes if node["gpus"]]
    before = [submit(command="sleep 60", gpu_count=size, estimated_duration_seconds=60) for size in sizes]
    return before, submit(command="true", gpu_count=max(sizes))


class Access(unittest.TestCase):
    def test_a_request_with_a_wrong_token_is_refused_and_says_what_to_send(self):
        status, answer = call("GET", "/queue", token="not-a-token-of-anybody")
        self.assertEqual(status, 401)
        self.assertIn("token", answer["detail"])

    def test_a_page_of_a_browser_is_refused(self):
        headers = {"Origin": "https://example.org"}
        request = urllib.request.Request(SERVER + "/queue", headers=headers)
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=60)
        self.assertEqual(refused.exception.code, 401)


class Resources(unittest.TestCase):
    def test_the_numbers_of_the_cluster_agree(self):
        cluster = require("GET", "/gpu/status")
        status = cluster["cluster_status"]
        self.assertEqual(sum(cluster["gpus_by_state"].values()), sum(len(node["gpus"]) for node in cluster["nodes"]))
        self.assertLessEqual(status["available_gpus"], status["total_gpus"])
        self.assertTrue(0 <= status["utilization_percent"] <= 100)
        load = status["load_percent"]
        self.assertTrue(load is None or 0 <= load <= 100)


class Queue(unittest.TestCase):
    def test_a_command_runs_and_its_output_is_stored(self):
        job_id = submit(run_id="test-run", command="echo $((6 * 7))", **CPU_ONLY)
        job = wait_for(job_id)
        self.assertEqual((job["status"], job["exit_code"], job["run_id"]), ("completed", 0, "test-run"))
        if WHOLE_API:
            self.assertEqual(require("GET", f"/api/results/{job_id}")["stdout"], "42\n")

    def test_a_command_that_fails_says_so(self):
        job = wait_for(submit(command="exit 3", **CPU_ONLY))
        self.assertEqual((job["status"], job["exit_code"], job["reason"]), ("failed", 3, "exit_code"))

    def test_a_waiting_job_has_a_position_and_a_reason_and_can_be_changed(self):
        before, job_id = submit_behind_others()
        try:
            queued = {job["job_id"]: job for job in require("GET", "/queue")["queued"]}
            self.assertEqual(queued[job_id]["status"], "queued")
            self.assertGreaterEqual(queued[job_id]["position"], 1)
            self.assertEqual(require("PATCH", f"/queue/{job_id}/priority", {"priority": -3})["priority"], -3)
            if WHOLE_API:
                listed = {job["job_id"]: job for job in require("GET", "/api/jobs?status=pending&limit=200")}
                self.assertIn("queue_position", listed[job_id])
                self.assertIn("expected_start", require("GET", f"/api/status/{job_id}"))
        finally:
            self.assertEqual(require("DELETE", f"/queue/{job_id}")["status"], "cancelled")
            for other in before:
                require("DELETE", f"/queue/{other}")

    def test_a_mistake_is_named(self):
        status, answer = call("POST", "/queue/submit", {"command": "true", "gpu_count": -1})
        self.assertEqual(status, 422)
        self.assertEqual([error["path"] for error in answer["errors"]], ["gpu_count"])


class Orchestrator(unittest.TestCase):
    def test_status_and_policy_are_readable(self):
        self.assertIsInstance(require("GET", "/orchestrator/status")["running"], bool)
        policy = require("GET", "/orchestrator/policy")["scheduling_policy"]
        self.assertIn(policy, ("priority", "fcfs", "sjf", "fair_share"))

    def test_only_admins_change_the_policy(self):
        status, _ = call("PUT", "/orchestrator/policy", {})
        # The local owner may do what an admin may do here.
        role = require("GET", "/api/users/me")["role"] if WHOLE_API else "admin"
        self.assertEqual(status, 200 if role == "admin" else 403)


if __name__ == "__main__":
    unittest.main()
