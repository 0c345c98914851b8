zip -qr project.zip main.py src data
curl --silent -X POST "SERVER/api/submit" -H "Authorization: Bearer TOKEN" -F "archive=@project.zip" -F "config_file=@config.yaml"
