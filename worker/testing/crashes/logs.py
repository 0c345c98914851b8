#: logged, and the program ends
import logging
print("before 1")
try:
    raise ValueError("#1")
except ValueError:
    logging.exception("It failed.")
print("after")
#: logged three times in a second
import logging, time
for n in range(1, 4):
    print(f"before {n}")
    try:
        raise ValueError(f"#{n}")
    except ValueError:
        logging.exception("It failed.")
    print("tries again")
    time.sleep(0.4)
#: logged, then raised
import logging
print("before 1")
try:
    try:
        raise ValueError("#1")
    except ValueError:
        logging.exception("It failed.")
        raise
except ValueError as error:
    print("before 2")
    raise RuntimeError("#2") from error
#: logged with the stack
import logging
def work():
    print("before 1")
    try:
        raise ValueError("#1")
    except ValueError:
        logging.error("It failed.", exc_info=True, stack_info=True)
work()
#: logged after a warning
import logging, warnings
print("before 1")
warnings.warn("a warning")
logging.warning("another one")
raise ValueError("#1")
#: of a warning that is an error
import warnings
warnings.simplefilter("error")
print("before 1")
warnings.warn("#1")
#: printed by the program
import traceback
print("before 1")
try:
    raise ValueError("#1")
except ValueError:
    traceback.print_exc()
print("after")
#: printed by the program, which continues to print
import time, traceback
print("before 1")
try:
    raise ValueError("#1")
except ValueError:
    traceback.print_exc()
for i in range(20):
    print("after", i)
    time.sleep(0.02)
#: printed as one text
import sys, traceback
print("before 1")
try:
    raise ValueError("#1")
except ValueError:
    sys.stderr.write(traceback.format_exc())
    sys.stderr.flush()
#: logged by a logger that fails
import logging
print("before 1")
class Bad:
    def __str__(self):
        raise ValueError("#1")
logging.warning("%s", Bad())
