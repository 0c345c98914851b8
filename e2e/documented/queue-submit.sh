curl --silent -X POST "SERVER/queue/submit" \
  -H "X-Auth-Token: TOKEN" -H "Content-Type: application/json" \
  -d '{"run_id": "warm-up", "command": "python -c \"print(6 * 7)\" && echo kept > note && cat note; exit 3", "gpu_count": 1, "priority": -2}'
