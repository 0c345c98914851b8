import os
import pty
import sys

if len(sys.argv) == 1:
    os.environ["TERM"] = "xterm-256color"
    assert pty.spawn([sys.executable, __file__, "screen"]) == 0
else:
    import curses

    curses.wrapper(lambda screen: (screen.addstr(1, 2, "drawn"), screen.refresh()))
