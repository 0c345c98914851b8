import subprocess
import sys

assert subprocess.check_output("echo one | tr a-z A-Z", shell=True, text=True) == "ONE\n"
assert subprocess.check_output(["bash", "-c", "set -o pipefail; [[ a == a ]] && echo yes"], text=True) == "yes\n"
started = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True)
started.communicate(b"\n")
assert started.returncode == 0
subprocess.run([sys.executable, "-m", "venv", "/work/venv"], check=True)
assert b"pip" in subprocess.check_output(["/work/venv/bin/pip", "--version"])
