curl --silent -X POST -H "Authorization: Bearer TOKEN" "SERVER/api/cancel/JOB?user_id=USER"
