curl --silent -H "Authorization: Bearer TOKEN" "SERVER/api/results/JOB?user_id=USER"
