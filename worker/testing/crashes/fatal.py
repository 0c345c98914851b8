#: of a segmentation fault
import faulthandler, os, signal
faulthandler.enable()
print("before 1")
exec(compile("os.kill(os.getpid(), signal.SIGSEGV)", "#1", "exec"))
#: of an abort
import faulthandler, os
faulthandler.enable()
print("before 1", flush=True)
exec(compile("os.abort()", "#1", "exec"))
#: of all threads
import faulthandler, threading
event = threading.Event()
threading.Thread(target=event.wait, daemon=True).start()
print("before 1")
exec(compile("faulthandler.dump_traceback(all_threads=False)", "#1", "exec"))
event.set()
#: of a program that takes too long
import faulthandler, time
faulthandler.dump_traceback_later(0.1, exit=True)
print("before 1")
exec(compile("time.sleep(60)", "#1", "exec"))
#: shown before an exit without cleaning up
import os, traceback
print("before 1")
try:
    raise ValueError("#1")
except ValueError:
    traceback.print_exc()
os._exit(1)
#: shown before a kill
import os, signal, traceback
print("before 1")
try:
    raise ValueError("#1")
except ValueError:
    traceback.print_exc()
os.kill(os.getpid(), signal.SIGKILL)
#: of too little memory
print("before 1")
try:
    bytearray(1 << 60)
except MemoryError as error:
    raise MemoryError("#1") from error
#: written to the descriptors
import os
os.write(1, b"before 1\n")
for line in ["Traceback (most recent call last):", '  File "x.py", line 1, in <module>', "ValueError: #1"]:
    os.write(2, line.encode() + b"\n")
