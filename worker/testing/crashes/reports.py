#: of a failed unit test
import unittest
class Case(unittest.TestCase):
    def test_one(self):
        print("before 1")
        self.assertEqual(1, 2, "#1")
unittest.main()
#: of three failed unit tests
import unittest
class Case(unittest.TestCase):
    def test_1(self):
        print("before 1")
        self.fail("#1")
    def test_2(self):
        print("before 2")
        raise ValueError("#2")
    def test_3(self):
        print("before 3")
        self.assertTrue(False, "#3")
unittest.main(verbosity=2)
#: printed to stdout
import sys, traceback
print("before 1")
try:
    raise ValueError("#1")
except ValueError:
    traceback.print_exc(file=sys.stdout)
#: printed to stdout after a warning
import sys, traceback
print("before 1", file=sys.stderr)
try:
    raise ValueError("#1")
except ValueError:
    traceback.print_exc(file=sys.stdout)
#: printed to stdout, then raised
import traceback
print("before 1")
try:
    raise ValueError("#1")
except ValueError:
    print(traceback.format_exc(), flush=True)
    print("before 2")
    raise RuntimeError("#2")
#: of a doc test
import doctest, sys
def work():
    """
    >>> work()
    1
    """
    raise ValueError("#1")
print("before 1", file=sys.stderr)
doctest.testmod()
