import { createHash, randomUUID } from 'node:crypto'
import type { CancelReason, EndReason } from '@/lib/contract/reasons'

/** What must be true of a job when it has ended. */
export interface Expected {
  status: 'completed' | 'failed' | 'cancelled'
  reason: EndReason | CancelReason
  exitCode?: number
  /** The whole standard output of each rank. Null: it is not compared. */
  stdout: string[] | null
  results?: unknown[]
  artifacts?: { path: string; sha256: string }[]
}

/** A job to submit, and what the user does with it. */
export interface Scenario {
  kind: string
  code?: string
  config: Record<string, unknown>
  expected: Expected
  /** Cancels it while it waits, or once it has printed a line. */
  cancel?: 'waiting' | 'running'
  /** The request waits for the result. */
  wait?: boolean
  /** The same submission is sent several times at once. */
  repeated?: boolean
  /** Files of a directory to upload. */
  directory?: Record<string, string>
}

export type Random = () => number
const upTo = (random: Random, most: number) => Math.floor(random() * most)
const hash = (text: string) => createHash('sha256').update(text).digest('hex')
const finished = (stdout: string): Expected => ({
  status: 'completed',
  reason: 'finished',
  exitCode: 0,
  stdout: [stdout],
})
const cpuOnly = { gpu_count: 0 }
const linesOf = (word: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${word} ${index}\n`).join('')
/** Prints lines, and waits after each. */
const printLines = (word: string, count: number, seconds: number) =>
  `import time\nfor i in range(${count}):\n    print(${JSON.stringify(word)}, i, flush=True)\n    time.sleep(${seconds})\n`

function printing(kind: string, config: Record<string, unknown>, count: number, seconds: number): Scenario {
  const word = `${kind}-${randomUUID()}`
  return {
    kind,
    code: printLines(word, count, seconds),
    config,
    expected: finished(linesOf(word, count)),
  }
}

/** What user `name` may submit next, by weight. */
type Make = (
  random: Random,
  user: { name: string; nextRunStep: () => [run: string, step: number] },
) => Scenario

const makers: readonly [weight: number, make: Make][] = [
  [26, (random) => printing('short', cpuOnly, 1 + upTo(random, 40), 0)],
  [6, (random) => printing('whole GPU', { gpu_count: 1 }, 1 + upTo(random, 5), 0.2)],
  [8, (random) => printing('GPU fraction', { gpu_fraction: [0.25, 0.5, 0.125][upTo(random, 3)] }, 4, 0.5)],
  [8, (random) => printing('medium', cpuOnly, 5 + upTo(random, 20), 0.5)],
  [3, (random) => printing('long', { gpu_fraction: 0.125 }, 40 + upTo(random, 50), 1)],
  [2, () => printing('much output', cpuOnly, 20_000, 0)],
  [5, (random) => ({ ...printing('wait in the response', cpuOnly, 3, 0.2 * upTo(random, 5)), wait: true })],
  [5, () => ({ ...printing('idempotent repeat', cpuOnly, 3, 0), repeated: true })],
  [4, () => results()],
  [6, (random) => failing(1 + upTo(random, 255))],
  [2, () => exception()],
  [2, () => timeout()],
  [1, () => outOfMemory()],
  [5, () => cancelled('waiting')],
  [5, () => cancelled('running')],
  [4, () => instances()],
  [6, (random) => artifacts(random)],
  [5, () => directory()],
  [4, (_, user) => checkpoint(user.nextRunStep())],
  [3, () => command()],
]

/** Picks the next scenario of a user. */
export function nextScenario(random: Random, user: Parameters<Make>[1]): Scenario {
  const total = makers.reduce((sum, [weight]) => sum + weight, 0)
  let left = random() * total
  for (const [weight, make] of makers) {
    left -= weight
    if (left < 0) return make(random, user)
  }
  return printing('short', cpuOnly, 1, 0)
}

/** A small job with the highest priority, which shows that jobs run. */
export function probe(): Scenario {
  return printing('probe', { ...cpuOnly, priority: 100 }, 1, 0)
}

function results(): Scenario {
  const id = randomUUID()
  const records = Array.from({ length: 10 }, (_, step) => ({ id, step }))
  return {
    kind: 'results',
    code: `import json\nfor step in range(10):\n    print(json.dumps({"id": "${id}", "step": step}))\n`,
    config: cpuOnly,
    expected: { ...finished(''), stdout: null, results: records },
  }
}

function failing(exitCode: number): Scenario {
  const word = randomUUID()
  return {
    kind: 'failing',
    code: `import sys\nprint("${word}")\nprint("an error", file=sys.stderr)\nsys.exit(${exitCode})\n`,
    config: cpuOnly,
    expected: { status: 'failed', reason: 'exit_code', exitCode, stdout: [`${word}\n`] },
  }
}

function exception(): Scenario {
  return {
    kind: 'exception',
    code: 'print("before")\nraise RuntimeError("planned")\n',
    config: cpuOnly,
    expected: { status: 'failed', reason: 'exit_code', exitCode: 1, stdout: ['before\n'] },
  }
}

function timeout(): Scenario {
  return {
    kind: 'timeout',
    code: 'import time\nprint("before", flush=True)\ntime.sleep(600)\n',
    config: { ...cpuOnly, max_time: 20 },
    expected: { status: 'failed', reason: 'timeout', stdout: ['before\n'] },
  }
}

function outOfMemory(): Scenario {
  return {
    kind: 'out of memory',
    code: 'print("before", flush=True)\nx = bytearray(1 << 30)\nfor i in range(0, 1 << 30, 4096):\n    x[i] = 1\n',
    config: { ...cpuOnly, memory_gb: 0.25 },
    expected: { status: 'failed', reason: 'out_of_memory', stdout: ['before\n'] },
  }
}

function cancelled(cancel: 'waiting' | 'running'): Scenario {
  const config = cancel === 'waiting' ? { gpu_count: 1, gpu_memory_gb: 1000 } : { ...cpuOnly, max_time: 900 }
  return {
    kind: `cancelled while ${cancel}`,
    code: 'import time\nprint("started", flush=True)\ntime.sleep(600)\n',
    config,
    cancel,
    expected: {
      status: 'cancelled',
      reason: 'cancelled_by_user',
      stdout: cancel === 'waiting' ? [''] : null,
    },
  }
}

function instances(): Scenario {
  const word = randomUUID()
  return {
    kind: 'two instances',
    code: `import os\nprint("${word}", os.environ["NODE_RANK"], os.environ["NNODES"])\n`,
    config: { gpu_count: 1, instance_count: 2 },
    expected: { ...finished(''), stdout: [`${word} 0 2\n`, `${word} 1 2\n`] },
  }
}

function artifacts(random: Random): Scenario {
  const word = randomUUID()
  const files = Array.from({ length: 1 + upTo(random, 4) }, (_, index) => {
    const repeat = 1 + upTo(random, 5_000)
    return { path: `out/${index}.txt`, repeat, sha256: hash(`${word}\n`.repeat(repeat)) }
  })
  const list = JSON.stringify(files.map(({ path, repeat }) => [path, repeat]))
  return {
    kind: 'artifacts',
    code: `import os\nos.makedirs("/results/out")\nfor path, repeat in ${list}:\n    open("/results/" + path, "w").write("${word}\\n" * repeat)\nprint("written")\n`,
    config: cpuOnly,
    expected: {
      ...finished('written\n'),
      artifacts: files.map(({ path, sha256 }) => ({ path, sha256 })),
    },
  }
}

function directory(): Scenario {
  const files = { 'data.txt': `${randomUUID()}\n`.repeat(500), 'src/part.py': `text = "${randomUUID()}"\n` }
  const code =
    'import hashlib, sys\nsys.path.insert(0, "/work/src")\nimport part\nprint(hashlib.sha256(open("/work/data.txt", "rb").read()).hexdigest(), part.text)\n'
  const text = files['src/part.py'].split('"')[1]
  return {
    kind: 'uploaded directory',
    code,
    config: cpuOnly,
    directory: files,
    expected: finished(`${hash(files['data.txt'])} ${text}\n`),
  }
}

/** Each job of a run adds a file to the checkpoints and finds those of all earlier jobs. */
function checkpoint([run, step]: [run: string, step: number]): Scenario {
  const code = `import os\nwhere = os.environ["GPUQ_CHECKPOINT_DIR"]\nopen(where + "/new", "w").write("x" * 10000)\nos.rename(where + "/new", where + "/step-${step}")\nprint(sorted(os.listdir(where)))\n`
  const names = Array.from({ length: step + 1 }, (_, index) => `'step-${index}'`)
  return {
    kind: 'checkpoints',
    code,
    config: { ...cpuOnly, run_name: run },
    expected: finished(`[${names.join(', ')}]\n`),
  }
}

function command(): Scenario {
  const word = randomUUID()
  return {
    kind: 'command',
    config: { ...cpuOnly, command: `echo ${word} | tr a-z A-Z; python3 -c 'print(6 * 7)'` },
    expected: finished(`${word.toUpperCase()}\n42\n`),
  }
}
