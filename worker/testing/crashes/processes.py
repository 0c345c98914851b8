#: raised in a child program
import subprocess, sys
print("before 1")
child = subprocess.run([sys.executable, "-u", "-c", "print('before 1, too')\nraise ValueError('#1')"])
print("the child ended with", child.returncode)
#: raised in a child program, then in the program
import subprocess, sys
print("before 1")
try:
    subprocess.run([sys.executable, "-u", "-c", "raise ValueError('#1')"], check=True)
except subprocess.CalledProcessError as error:
    print("before 2")
    raise RuntimeError("#2") from error
#: raised in a child program of a shell
import subprocess, sys
subprocess.run(f"""echo before 1; {sys.executable} -u -c 'print("before 1"); raise ValueError("#1")'; echo ended""", shell=True)
#: raised in the child program of a child program
import subprocess, sys
inner = "print('before 1'); raise ValueError('#1')"
outer = f"import subprocess, sys; print('before 1'); subprocess.run([sys.executable, '-u', '-c', {inner!r}], check=True)"
subprocess.run([sys.executable, "-u", "-c", outer])
#: raised in a child whose output the program forwards
import subprocess, sys
child = subprocess.run(
    [sys.executable, "-c", "print('before 1', flush=True); raise ValueError('#1')"], capture_output=True, text=True
)
print(child.stdout, end="")
print(child.stderr, end="", file=sys.stderr)
sys.exit(child.returncode)
#: raised in a forked child
import os, sys
print("before 1")
if os.fork() == 0:
    print("before 1, too")
    raise ValueError("#1")
os.wait()
print("the child has ended")
#: raised in a process of multiprocessing
import multiprocessing
def work():
    print("before 1")
    raise ValueError("#1")
if __name__ == "__main__":
    process = multiprocessing.Process(target=work)
    process.start()
    process.join()
    print("ended with", process.exitcode)
#: raised in a spawned process
import multiprocessing
def work():
    print("before 1", flush=True)
    raise ValueError("#1")
if __name__ == "__main__":
    process = multiprocessing.get_context("spawn").Process(target=work)
    process.start()
    process.join()
#: raised in three processes, one after the other
import multiprocessing
def work(n):
    print(f"before {n}")
    raise ValueError(f"#{n}")
for n in range(1, 4):
    process = multiprocessing.Process(target=work, args=(n,))
    process.start()
    process.join()
#: raised in a pool of processes
import multiprocessing
def work(n):
    if n == 3:
        raise ValueError("#1")
    return n
if __name__ == "__main__":
    print("before 1")
    with multiprocessing.Pool(2) as pool:
        print(pool.map(work, range(4)))
#: raised in an executor of processes
from concurrent.futures import ProcessPoolExecutor
def work(n):
    print("before 1", n, flush=True)
    raise ValueError("#1")
if __name__ == "__main__":
    with ProcessPoolExecutor(1) as pool:
        pool.submit(work, 1).result()
#: raised while a child program prints
import subprocess, sys, time
child = "import time\nfor i in range(200): print('working', i, flush=True); time.sleep(0.002)"
process = subprocess.Popen([sys.executable, "-c", child])
time.sleep(0.15)
print("before 1")
try:
    raise ValueError("#1")
finally:
    process.wait()
#: raised in a child program while the program prints
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-u", "-c", "print('before 1'); raise ValueError('#1')"])
while child.poll() is None:
    print("working")
    time.sleep(0.005)
#: raised in a launcher that puts the rank before each line
import subprocess, sys
child = subprocess.run(
    [sys.executable, "-c", "print('before 1', flush=True); raise ValueError('#1')"], capture_output=True, text=True
)
for line in child.stdout.splitlines():
    print(line)
for line in child.stderr.splitlines():
    print("[rank0]:", line, file=sys.stderr)
