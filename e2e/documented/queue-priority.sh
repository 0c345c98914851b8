curl --silent -X PATCH "SERVER/queue/JOB/priority" \
  -H "X-Auth-Token: TOKEN" -H "Content-Type: application/json" -d '{"priority": 0}'
