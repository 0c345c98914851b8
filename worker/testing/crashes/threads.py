#: raised in a thread
import threading
def work():
    print("before 1")
    raise ValueError("#1")
thread = threading.Thread(target=work)
thread.start()
thread.join()
#: raised in three threads, one after the other
import threading
def work(n):
    print(f"before {n}")
    raise ValueError(f"#{n}")
for n in range(1, 4):
    thread = threading.Thread(target=work, args=(n,))
    thread.start()
    thread.join()
    print("joined", n)
#: raised in a thread and in the program
import threading
def work():
    print("before 1")
    raise ValueError("#1")
thread = threading.Thread(target=work)
thread.start()
thread.join()
print("before 2")
raise ValueError("#2")
#: raised while a thread prints
import threading, time
def work():
    for i in range(1000):
        print("working", i)
threading.Thread(target=work, daemon=True).start()
time.sleep(0.02)
print("before 1")
raise ValueError("#1")
#: raised in a thread while the program prints
import threading, time
def work():
    print("before 1")
    raise ValueError("#1")
threading.Thread(target=work).start()
for i in range(100):
    print("working", i)
    time.sleep(0.002)
#: raised in a timer
import threading
def work():
    print("before 1")
    raise ValueError("#1")
timer = threading.Timer(0.05, work)
timer.start()
timer.join()
#: raised in a pool of threads
from concurrent.futures import ThreadPoolExecutor
def work(n):
    print("before 1", n)
    if n == 5:
        raise ValueError("#1")
    return n
with ThreadPoolExecutor(4) as pool:
    print(sum(pool.map(work, range(6))))
#: raised after many threads have printed
import threading
threads = [threading.Thread(target=lambda n=n: print("before 1", n)) for n in range(20)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
raise ValueError("#1")
#: shown by a hook for threads
import threading, traceback
def hook(args):
    print("before 1")
    traceback.print_exception(args.exc_value)
threading.excepthook = hook
def work():
    raise ValueError("#1")
thread = threading.Thread(target=work)
thread.start()
thread.join()
