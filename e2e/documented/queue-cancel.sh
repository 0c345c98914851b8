curl --silent -X DELETE -H "X-Auth-Token: TOKEN" "SERVER/queue/JOB"
