import type { Script } from './fake-container'

/** A program twice: for an engine that runs Python, and for the fake. Both do the same. */
interface ContractProgram {
  python: string
  script: Script
}

const MiB = 1024 * 1024
/** More than all buffers between a program and its reader take. */
export const muchMib = 64

/** The programs of the contract that every runtime keeps. */
export const contractPrograms = {
  /** Prints on both streams, and ends with 3. */
  printing: {
    python:
      'import sys\nprint("out")\nprint("err", file=sys.stderr)\nprint("no newline", end="")\nsys.exit(3)',
    script: async ({ print, printError }) => {
      await print('out\n')
      await printError('err\n')
      await print('no newline')
      return 3
    },
  },
  /** Ends with 5 when it is told to stop. */
  polite: {
    python: `import signal, sys, time
def stop(*_):
    print("saved", flush=True)
    sys.exit(5)
signal.signal(signal.SIGTERM, stop)
# In one piece: the signal must not come between the line and its end.
sys.stdout.write("started\\n")
while True: time.sleep(0.05)`,
    script: async ({ print, catchTermination }) => {
      const told = catchTermination()
      await print('started\n')
      await told
      await print('saved\n')
      return 5
    },
  },
  /** Does not hear SIGTERM. */
  stubborn: {
    python: `import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("started", flush=True)
while True: time.sleep(0.05)`,
    script: async ({ print, ignoreTermination }) => {
      ignoreTermination()
      await print('started\n')
      return new Promise(() => {})
    },
  },
  /** Has no handler of SIGTERM. */
  plain: {
    python: 'import time\nprint("started", flush=True)\nwhile True: time.sleep(0.05)',
    script: async ({ print }) => {
      await print('started\n')
      return new Promise(() => {})
    },
  },
  /** Prints {@link muchMib}. */
  verbose: {
    python: `import os\nfor _ in range(${muchMib}): os.write(1, b"x" * ${MiB})`,
    script: async ({ print }) => {
      for (let written = 0; written < muchMib; written++) await print('x'.repeat(MiB))
      return 0
    },
  },
  /** Takes more memory than it may. */
  greedy: {
    python: 'b = []\nwhile True: b.append(bytearray(8 << 20))',
    script: async () => 'out_of_memory',
  },
} satisfies Record<string, ContractProgram>

/** What the fake engine does for each of these programs. */
export function contractScripts(): Map<string, Script> {
  return new Map(Object.values(contractPrograms).map(({ python, script }) => [python, script]))
}
