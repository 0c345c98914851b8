/** Prints that it runs and then nothing, until it is stopped. */
export const idle = 'import time\nprint("in", flush=True)\ntime.sleep(1000)'

/** Does one thing on the first attempt, and another one on each later attempt. */
export const firstAttempt = (first: string, later: string) => `
import os
exec(${JSON.stringify(first)} if os.environ["GPUQ_ATTEMPT"] == "1" else ${JSON.stringify(later)})`

/** Prints as `counting` does, and rests in the middle until SIGUSR1. */
export const resting = (lines: number) => `
import signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
print("begin")
for i in range(${lines}):
    print("line", i)
    print("error", i, file=sys.stderr)
    if i == ${lines >> 1}: signal.sigwait([signal.SIGUSR1])
print("end")`
