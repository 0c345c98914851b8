import { appendFile, mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Client, Submission } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'
import type { StartLog } from '../follow/start-log'
import { ClaimLogFile } from './claim-log-file'
import { JobsWatch } from './jobs-watch'
import { isolated } from './script-files'

/** A simulated server: one job per key, and no second job for identical active content. */
interface Server {
  client: Pick<Client, 'jobs'>
  configs: string[]
  keys: Map<string, string>
  /** Returns an error instead of accepting the job. */
  refuses: ((config: string) => ProblemError | null) | null
  failed: Set<string>
  cancelled: Set<string>
}

let directory: string
let path: string
let clock: number
let said: string[]
const signal = new AbortController().signal

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-jobs-'))
  path = join(directory, 'jobs.txt')
  await writeFile(join(directory, 'a.py'), 'print(1)')
  clock = 0
  said = []
})
afterEach(async () => {
  for (const claims of opened.splice(0)) await claims.close()
  await rm(directory, { recursive: true, force: true })
})

const log: StartLog = {
  note: async () => {},
  warn: async (text) => {
    said.push(text)
  },
  detail: async () => {},
  close: async () => {},
}

function server(): Server {
  const made: Server = {
    configs: [],
    keys: new Map(),
    refuses: null,
    failed: new Set(),
    cancelled: new Set(),
    client: {} as Server['client'],
  }
  const submit = async ({ config, idempotencyKey = '' }: Submission) => {
    const refusal = made.refuses?.(String(config))
    if (refusal) throw refusal
    const known = made.keys.get(idempotencyKey)
    if (known) return { job_id: known, status: 'pending' as const }
    const job = `job-${made.configs.push(String(config))}`
    made.keys.set(idempotencyKey, job)
    return { job_id: job, status: 'pending' as const }
  }
  const get = async (id: string) => {
    if (made.cancelled.has(id)) return { job_id: id, status: 'cancelled', reason: 'cancelled_by_user' }
    return { job_id: id, status: made.failed.has(id) ? 'failed' : 'completed' }
  }
  made.client = { jobs: { submit, get } as unknown as Client['jobs'] }
  return made
}

let keys = 0
const opened: ClaimLogFile[] = []
function watcher({ client }: Server): JobsWatch {
  const claims = new ClaimLogFile(`${path}.taken`, 'ada')
  opened.push(claims)
  return new JobsWatch({
    path,
    client,
    claims,
    log,
    lines: { screen: true, maxAssignAttempts: 5, assignRetryWait: 5 },
    findFiles: isolated,
    forgetMs: 30_000,
    newKey: () => `key-${++keys}`,
    now: () => clock,
  })
}

it('creates a config from a line and negates its priority', async () => {
  await writeFile(path, '3,a.py,torch,"--x 1,2",0-1\n')
  const gpuq = server()
  expect(await watcher(gpuq).check(signal)).toBeNull()
  expect(gpuq.configs[0]).toContain('priority: -3\n')
  expect(gpuq.configs[0]).toMatch(
    /environment: torch\n[\s\S]*args: --x 1,2\nallowed_gpus: 0-1\ncuda_argument: true\n/,
  )
  expect(gpuq.configs[0]).toMatch(/tty: true\nmax_assign_attempts: 5\nassign_retry_wait: 5\n/)
})

it('submits valid lines and reports each invalid line once, with its number', async () => {
  await writeFile(path, '# jobs\n0,a.py,,--n 1,\nnonsense\n\n0,missing.py,,,\n0,a.py,,--n 2,\n')
  const gpuq = server()
  const watch = watcher(gpuq)
  await watch.check(signal)
  await watch.check(signal)
  expect(gpuq.configs).toHaveLength(2)
  expect(said).toEqual([expect.stringMatching(/^line 3 /), expect.stringMatching(/^line 5 .*missing\.py/)])
  await writeFile(join(directory, 'missing.py'), 'print(2)')
  await watch.check(signal)
  expect(gpuq.configs).toHaveLength(3)
})

it('waits until an incomplete line is finished or unchanged for a minute', async () => {
  await writeFile(path, '0,a.py,,--n 1,\n0,a.py,,--n')
  const gpuq = server()
  const watch = watcher(gpuq)
  expect(await watch.check(signal)).toBe(10_000)
  expect(said).toEqual([])
  clock = 50_000
  await appendFile(path, ' 2')
  await watch.check(signal)
  clock = 100_000
  expect(await watch.check(signal)).toBe(10_000)
  expect(said).toEqual([expect.stringContaining('line 2 has no line break')])
  expect(gpuq.configs).toHaveLength(1)
  await appendFile(path, ',\n0,a.py,,--n 3')
  await watch.check(signal)
  expect(gpuq.configs).toHaveLength(2)
  clock = 160_000
  await watch.check(signal)
  expect(gpuq.configs).toHaveLength(3)
  await appendFile(path, '\n')
  await watch.check(signal)
  expect(gpuq.configs).toHaveLength(3)
})

it('submits nothing twice after a restart, with two watchers, or after a rewrite of the file', async () => {
  const lines = Array.from({ length: 40 }, (_, at) => `0,a.py,,--n ${at},\n`).join('')
  await writeFile(path, lines)
  const gpuq = server()
  const [one, other] = [watcher(gpuq), watcher(gpuq)]
  await Promise.all([one.check(signal), other.check(signal)])
  await truncate(path)
  await one.check(signal)
  await writeFile(`${path}.new`, `${lines}0,a.py,,--n 40,\n`)
  await rename(`${path}.new`, path)
  await Promise.all([one.check(signal), other.check(signal)])
  await watcher(gpuq).check(signal)
  expect(gpuq.configs).toHaveLength(41)
})

it('resends claims that a crash left open, with their old keys', async () => {
  await writeFile(path, '0,a.py,,--n 1,\n0,a.py,,--n 2,\n')
  const gpuq = server()
  const crash = new Error('killed')
  const { submit } = gpuq.client.jobs
  const dying = {
    ...gpuq,
    client: {
      jobs: {
        submit: async (one: Submission) => {
          await submit(one)
          throw crash
        },
      } as unknown as Client['jobs'],
    },
  }
  await expect(watcher(dying).check(signal)).rejects.toBe(crash)
  expect(gpuq.configs).toHaveLength(1)
  await watcher(gpuq).check(signal)
  expect(gpuq.configs).toHaveLength(2)
})

it('submits a line again after it was removed for a while, or if it is added once more', async () => {
  await writeFile(path, '0,a.py,,,\n')
  const gpuq = server()
  const watch = watcher(gpuq)
  await watch.check(signal)
  await writeFile(path, '0,a.py,,,\n0,a.py,,,\n')
  await watch.check(signal)
  expect(gpuq.configs).toHaveLength(2)
  await writeFile(path, '\n')
  await watch.check(signal)
  clock = 30_000
  await watch.check(signal)
  await writeFile(path, '0,a.py,,,\n')
  await watch.check(signal)
  expect(gpuq.configs).toHaveLength(3)
})

it('submits a failed line again if it was removed and is back, but not a completed one', async () => {
  const lines = '0,a.py,,--n 1,\n0,a.py,,--n 2,\n'
  await writeFile(path, lines)
  const gpuq = server()
  const watch = watcher(gpuq)
  await watch.check(signal)
  gpuq.failed.add('job-1')
  await writeFile(path, '\n')
  await watch.check(signal)
  // An editor that writes the file again is faster.
  clock = 1_000
  await writeFile(path, lines)
  await watch.check(signal)
  expect(gpuq.configs).toHaveLength(2)
  await writeFile(path, '\n')
  await watch.check(signal)
  clock = 5_000
  await writeFile(path, lines)
  await watch.check(signal)
  await watch.check(signal)
  expect(gpuq.configs).toHaveLength(3)
  expect(gpuq.configs[2]).toContain('--n 1')
})

it('keeps a line if an editor removed its final line break', async () => {
  await writeFile(path, '0,a.py,,,\n')
  const gpuq = server()
  const watch = watcher(gpuq)
  await watch.check(signal)
  await writeFile(path, '0,a.py,,,')
  await watch.check(signal)
  clock = 40_000
  await watch.check(signal)
  await writeFile(path, '0,a.py,,,\n')
  await watch.check(signal)
  expect(gpuq.configs).toHaveLength(1)
})

it('waits for a server at its limit and skips lines that it rejects', async () => {
  await writeFile(path, '0,a.py,,--n 1,\n0,a.py,unknown,,\n0,a.py,,--n 2,\n')
  const gpuq = server()
  const problem = (status: number, detail: string, retryAfter: number | null = null) =>
    new ProblemError({ status, code: 'x', detail, retryAfter })
  gpuq.refuses = (config) =>
    config.includes('unknown')
      ? problem(422, 'config_file: environment: there is no unknown. There are: python.')
      : gpuq.configs.length === 1
        ? problem(429, 'At most 1 active job.', 12)
        : null
  const watch = watcher(gpuq)
  expect(await watch.check(signal)).toBe(12_000)
  expect(await watch.check(signal)).toBe(12_000)
  expect(said).toEqual([
    expect.stringContaining('At most 1 active job.'),
    'line 2 skipped: environment: there is no unknown. There are: python.',
  ])
  gpuq.refuses = null
  expect(await watch.check(signal)).toBeNull()
  expect(gpuq.configs).toHaveLength(2)
})

it('waits for a missing file and forgets no lines meanwhile', async () => {
  const gpuq = server()
  const watch = watcher(gpuq)
  await watch.check(signal)
  await watch.check(signal)
  expect(said).toEqual([expect.stringContaining('not found')])
  await writeFile(path, '0,a.py,,,\n')
  await watch.check(signal)
  await rm(path)
  await watch.check(signal)
  clock = 100_000
  await watch.check(signal)
  await writeFile(path, '0,a.py,,,\n')
  await watch.check(signal)
  expect(gpuq.configs).toHaveLength(1)
})

it('does not run a job again that its user cancelled, after a reset, unless its line is added again', async () => {
  await writeFile(path, '0,a.py,,,\n0,a.py,,--x 1,\n')
  const gpuq = server()
  await watcher(gpuq).check(signal)
  expect(gpuq.configs).toHaveLength(2)
  gpuq.cancelled.add('job-1')
  for (const state of ['one', 'two']) {
    const claims = opened.at(-1)
    await claims?.append([
      { account: 'ada', state, path: '/state.json' },
      { account: 'ada', reset: state },
    ])
    await watcher(gpuq).check(signal)
  }
  expect(gpuq.configs.map((config) => config.includes('--x 1'))).toEqual([false, true, true, true])
  await appendFile(path, '0,a.py,,,\n')
  await watcher(gpuq).check(signal)
  expect(gpuq.configs.at(-1)).not.toContain('--x 1')
})
