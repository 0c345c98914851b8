curl --silent -X POST "SERVER/api/submit" -H "Authorization: Bearer TOKEN" -F "code=@solution.py" -F "config_file=@config.yaml"
