"""Runs each program beside this file, and prints its name with "ok" or the end of its error."""
import pathlib
import subprocess
import sys

for program in sorted(pathlib.Path("programs").iterdir()):
    try:
        ran = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=240)
        said = "ok" if ran.returncode == 0 else (ran.stdout + ran.stderr)[-1500:]
    except subprocess.TimeoutExpired as error:
        said = f"still runs: {(error.stdout or b'')[-500:]} {(error.stderr or b'')[-1000:]}"
    print(program.stem, said)
