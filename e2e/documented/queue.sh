curl --silent -H "X-Auth-Token: TOKEN" "SERVER/queue"
