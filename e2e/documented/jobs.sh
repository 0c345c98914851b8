curl --silent -H "Authorization: Bearer TOKEN" "SERVER/api/jobs?user_id=USER"
