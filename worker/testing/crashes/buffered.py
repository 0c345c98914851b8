#: raised after a flush and lines that are not flushed
import sys
print("before 1", flush=True)
print("printed without a flush")
raise ValueError("#1")
#: raised after a flush of the stream
import sys
for i in range(20):
    print("before 1", i)
sys.stdout.flush()
raise ValueError("#1")
#: raised after more than the buffer takes
print("before 1", flush=True)
for i in range(5_000):
    print("a line", i)
raise ValueError("#1")
#: raised with a cause after a flush
print("before 1", flush=True)
print("printed without a flush")
try:
    1 / 0
except ZeroDivisionError as error:
    raise ValueError("#1") from error
#: raised in a thread while lines wait
import threading
print("before 1", flush=True)
print("printed without a flush")
def work():
    raise ValueError("#1")
thread = threading.Thread(target=work)
thread.start()
thread.join()
#: raised in a child while lines of the parent wait
import subprocess, sys
print("before 1", flush=True)
print("printed without a flush")
subprocess.run([sys.executable, "-c", "raise ValueError('#1')"])
print("the child has ended")
#: logged after a flush
import logging
print("before 1", flush=True)
try:
    int("x")
except ValueError:
    logging.exception("#0")
    raise ValueError("#1")
#: shown before an exit without a flush
import os, traceback
print("before 1", flush=True)
print("never flushed")
try:
    raise ValueError("#1")
except ValueError:
    traceback.print_exc()
os._exit(3)
#: group raised after a flush
print("before 1", flush=True)
print("printed without a flush")
raise ExceptionGroup("#1", [ValueError("one"), TypeError("two")])
#: raised in a coroutine after a flush
import asyncio
async def main():
    print("before 1", flush=True)
    print("printed without a flush")
    await asyncio.sleep(0)
    raise ValueError("#1")
asyncio.run(main())
