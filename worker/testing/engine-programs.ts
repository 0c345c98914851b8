/** Prints numbered lines in halves. */
export const counting = (turns: string) => `
import itertools, os, time
print("attempt", os.environ["GPUQ_ATTEMPT"])
for i in ${turns}:
    print("line ", end="")
    time.sleep(0.05)
    print(i)
print("end")`

/** Ends by itself. */
export const short = counting('range(80)')

/**
 * Stands still in the middle of line 20 until SIGUSR1: an engine that is killed there has handed on all that it has
 * read. From then on it prints without end, until SIGUSR2.
 */
export const onCall = `
import itertools, os, signal, sys, time
told = []
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
signal.signal(signal.SIGUSR2, lambda *_: told.append(True))
print("attempt", os.environ["GPUQ_ATTEMPT"])
for i in itertools.count():
    if told: break
    print("line ", end="")
    sys.stdout.flush()
    if i == 20: signal.sigwait([signal.SIGUSR1])
    time.sleep(0.05)
    print(i)
print("end")`

/** The lines that these programs have printed. */
export const allLines = (lines: number) => Array.from({ length: lines }, (_, i) => `line ${i}`)
