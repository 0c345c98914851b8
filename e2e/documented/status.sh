curl --silent -H "Authorization: Bearer TOKEN" "SERVER/api/status/JOB?user_id=USER"
