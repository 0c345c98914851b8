#: raised after a print
print("before 1")
raise ValueError("#1")
#: raised after a print that is flushed
print("before 1", flush=True)
raise RuntimeError("#1")
#: raised after a write without a newline
import sys
sys.stdout.write("before 1")
sys.stdout.flush()
raise KeyError("#1")
#: raised after the parts of a line
print("before 1:", 1, 2.5, [3], end="", flush=True)
print(" rest of the line", flush=True)
raise TypeError("#1")
#: raised after two hundred lines
for i in range(200):
    print("before 1", i)
raise ValueError("#1")
#: raised after ten thousand lines
print("\n".join(f"before 1 {i}" for i in range(10_000)))
raise ValueError("#1")
#: raised after a line of one megabyte
print("before 1", "x" * 1_000_000)
raise ValueError("#1")
#: raised after a line of JSON
print("before 1")
print('{"loss": 0.25}')
raise ValueError("#1")
#: raised within an unfinished line of JSON
print("before 1")
print('{"loss": ', end="", flush=True)
raise ValueError("#1")
#: raised twenty calls deep, each of which prints
def call(n):
    print("before 1", n)
    if n == 0:
        raise ValueError("#1")
    call(n - 1)
call(20)
#: raised two hundred different calls deep
source = "\n".join(f"def f{i}():\n    f{i + 1}()" for i in range(200))
exec(source + "\ndef f200():\n    print('before 1')\n    raise ValueError('#1')\n")
f0()
#: of an endless recursion
def call(n):
    return call(n + 1)
print("before 1")
try:
    call(0)
except RecursionError as error:
    raise ValueError("#1") from error
#: with a cause
print("before 1")
try:
    open("/missing")
except OSError as error:
    print("before 1, too")
    raise RuntimeError("#1") from error
#: during the handling of another one
print("before 1")
try:
    {}["key"]
except KeyError:
    print("before 1, too")
    raise ValueError("#1")
#: at the end of a chain of ten
print("before 1")
def chain(n):
    try:
        if n > 0:
            chain(n - 1)
        else:
            1 / 0
    except Exception as error:
        raise ValueError(f"#1 level {n}") from error
chain(10)
#: without its cause
print("before 1")
try:
    int("x")
except ValueError:
    raise ValueError("#1") from None
#: group
print("before 1")
raise ExceptionGroup("#1", [ValueError("one"), TypeError("two")])
#: group of raised exceptions
errors = []
for i in range(3):
    try:
        print("before 1", i)
        raise ValueError(i)
    except ValueError as error:
        errors.append(error)
raise ExceptionGroup("#1", errors)
#: group in a group
print("before 1")
raise ExceptionGroup("#1", [ExceptionGroup("inner", [ValueError(1), KeyError(2)]), OSError(3)])
#: group that is handled in part
print("before 1")
try:
    raise ExceptionGroup("#1", [ValueError("one"), TypeError("two")])
except* TypeError:
    print("handled")
#: with notes
print("before 1")
error = ValueError("#1")
error.add_note("The first note.")
error.add_note("The second note\nhas two lines.")
raise error
#: with a message of several lines
print("before 1")
raise ValueError("#1\nsecond line\n\n  third line, indented\n")
#: with a message of fifty kilobytes
print("before 1")
raise ValueError("#1 " + "long " * 10_000)
#: with letters of many languages
print("before 1 žluťoučký kůň 你好 😀")
raise ValueError("#1 žluťoučký kůň 你好 😀")
#: after a progress bar on stderr
import sys
print("before 1")
for i in range(0, 101, 10):
    sys.stderr.write(f"\r{i:3}%|{'#' * (i // 10):10}|")
    sys.stderr.flush()
raise ValueError("#1")
#: after a progress bar on stdout
print("before 1")
for i in range(0, 101, 10):
    print(f"\r{i:3}%", end="", flush=True)
raise ValueError("#1")
#: of source that is wrong
print("before 1")
exec(compile("def f(:\n    pass", "#1.py", "exec"))
#: of an assertion
print("before 1")
assert 1 + 1 == 3, "#1"
#: in a library
import json
print("before 1")
json.loads('{"#1": }', object_hook=None, cls=None, parse_float=None) if False else None
class Decoder(json.JSONDecoder):
    def decode(self, text):
        raise json.JSONDecodeError("#1", text, 0)
json.loads("{}", cls=Decoder)
#: in a generator, a comprehension and a sort
def numbers():
    for i in range(3):
        print("before 1", i)
        yield i
    raise ValueError("#1")
print(sorted([number for number in numbers()], key=lambda number: -number))
#: in the exit of a context
import contextlib
@contextlib.contextmanager
def context():
    try:
        yield
    finally:
        print("before 1")
        raise ValueError("#1")
with context():
    raise KeyError("first")
#: in a handler at the exit
import atexit
def handle():
    print("before 1")
    raise ValueError("#1")
atexit.register(handle)
#: in the deletion of an object
class Held:
    def __del__(self):
        print("before 1")
        raise ValueError("#1")
held = Held()
del held
#: of an interrupt
import os, signal, time
def handle(*_):
    print("before 1")
    raise KeyboardInterrupt("#1")
signal.signal(signal.SIGINT, handle)
os.kill(os.getpid(), signal.SIGINT)
time.sleep(60)
#: shown by a hook of the program
import sys, traceback
def hook(kind, error, trace):
    print("before 1")
    traceback.print_exception(kind, error, trace)
sys.excepthook = hook
raise ValueError("#1")
