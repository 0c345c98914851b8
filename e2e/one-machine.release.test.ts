import { type ChildProcess, spawn } from 'node:child_process'
import { appendFile, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { JobSummary } from '@/lib/contract/jobs'
import { type Client, createClient } from '@/lib/http/client/client'
import { until } from '@/worker/testing/until'
import { type System, startSystem } from './system/start-system'

/**
 * The files of `gpuq start` and their effects on a running gpuq. The tests beside `cli/one-machine` show the same with a stand-in of
 * the server, and `one-machine-document.server.test.ts` shows the usual case of each.
 */

const program = join(import.meta.dirname, '..', 'dist', 'cli.js')
const often = ['--monitor-interval', '1', '--state-interval', '0.5']
/** Every line is a request. */
const patiently = { timeout: 400_000 }

let system: System
let admin: Client
let directory: string
let jobsFile: string

beforeAll(async () => {
  system = await startSystem({ simulatedGpus: 2 })
  admin = createClient({ baseUrl: system.url, token: system.adminToken })
})
afterAll(() => system.stop())

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-one-machine-'))
  jobsFile = join(directory, 'jobs.txt')
})
afterEach(async () => {
  for (const watcher of watchers.splice(0)) await watcher.end('SIGTERM')
  // Free every GPU and end these jobs, so that they do not affect the next test.
  await endAll()
  await admin.orchestrator.start()
  await rm(directory, { recursive: true, force: true })
})

interface Watcher {
  out: string
  err: string
  end(signal: NodeJS.Signals): Promise<number | null>
}
const watchers: Watcher[] = []

function gpuq(args: string[]): ChildProcess {
  const { PATH = '' } = process.env
  const connection = { GPUQ_SERVER: system.url, GPUQ_TOKEN: system.adminToken }
  return spawn(process.execPath, [program, ...args], {
    cwd: directory,
    env: { PATH, HOME: directory, NODE_ENV: 'production', ...connection },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function watch(args: string[] = often): Watcher {
  const child = gpuq(['start', ...args])
  const gone = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const watcher: Watcher = {
    out: '',
    err: '',
    end(signal) {
      child.kill(signal)
      return gone
    },
  }
  child.stdout?.on('data', (text: Buffer) => {
    watcher.out += text
  })
  child.stderr?.on('data', (text: Buffer) => {
    watcher.err += text
  })
  watchers.push(watcher)
  return watcher
}

async function run(args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = gpuq(args)
  const ended = { out: '', err: '' }
  child.stdout?.on('data', (text: Buffer) => {
    ended.out += text
  })
  child.stderr?.on('data', (text: Buffer) => {
    ended.err += text
  })
  return new Promise((resolve) => child.once('close', (code) => resolve({ ...ended, code })))
}

async function script(name: string, code: string): Promise<string> {
  const path = join(directory, name)
  await writeFile(path, code)
  return path
}

async function everyJob(): Promise<JobSummary[]> {
  const found: JobSummary[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<Client['jobs']['list']>> = await admin.jobs.list({
      limit: 200,
      ...(cursor === null ? {} : { cursor }),
    })
    found.push(...page.items)
    cursor = page.next
  } while (cursor !== null)
  return found
}

async function leftJobs(): Promise<JobSummary[]> {
  return (await everyJob()).filter(({ status }) => status === 'pending' || status === 'running')
}

/** Ends all jobs, in batches so that no request waits long. */
async function endAll(): Promise<void> {
  await until('all jobs have ended', async () => {
    const left = await leftJobs()
    for (let at = 0; at < left.length; at += 20) {
      // A job that ends meanwhile cannot be cancelled any more.
      await Promise.allSettled(left.slice(at, at + 20).map(({ job_id }) => admin.jobs.cancel(job_id)))
    }
    return left.length === 0
  })
}

/** The jobs of one script, oldest first. */
async function jobsOf(name: string): Promise<JobSummary[]> {
  return (await everyJob()).filter((job) => job.name === name).reverse()
}

const countOf = (name: string) => async () => (await jobsOf(name)).length

async function configsOf(name: string): Promise<string[]> {
  const jobs = await jobsOf(name)
  const configs: string[] = []
  for (let at = 0; at < jobs.length; at += 10) {
    const some = jobs.slice(at, at + 10).map(({ job_id }) => admin.jobs.source(job_id))
    configs.push(...(await Promise.all(some)).map(({ config }) => config))
  }
  return configs
}

async function numbersOf(name: string): Promise<number[]> {
  const configs = await configsOf(name)
  return configs.map((config) => Number(/number-(\d+)/.exec(config)?.[1])).toSorted((a, b) => a - b)
}

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)

it('two watchers submit 90 of 100 lines exactly once, although one is killed', {
  timeout: 600_000,
}, async () => {
  await admin.orchestrator.stop()
  const path = await script('many.py', 'print(1)\n')
  const wrongs = [
    'nonsense',
    `x,${path},,,`,
    '0,/no/such/script.py,,,',
    `0,${path},,--l a,b`,
    `0,${path},,"open`,
  ]
  const lines = numbers(100).map((at) =>
    at % 10 === 9
      ? `${wrongs[((at - 9) / 10) % wrongs.length]}`
      : `${at % 7},${path},,number-${at - Math.floor(at / 10)},0-1`,
  )
  await writeFile(jobsFile, `${lines.join('\n')}\n`)
  const [one, other] = [watch(), watch()]
  await expect.poll(countOf('many.py'), patiently).toBeGreaterThan(5)
  await one.end('SIGKILL')
  const again = watch()
  await expect.poll(countOf('many.py'), patiently).toBe(90)
  await expect.poll(() => other.err.match(/line \d+ skipped/g)?.length).toBe(10)
  await expect.poll(() => again.err.match(/line \d+ skipped/g)?.length).toBe(10)
  for (const at of [10, 100]) expect(other.err).toContain(`line ${at} skipped: `)
  expect(await other.end('SIGINT')).toBe(0)
  expect(await again.end('SIGTERM')).toBe(0)
  expect(await numbersOf('many.py')).toEqual(numbers(90))
})

it('a file that is replaced, emptied and rewritten loses no lines, and an incomplete line waits', {
  timeout: 600_000,
}, async () => {
  await admin.orchestrator.stop()
  const path = await script('moved.py', 'print(1)\n')
  const line = (at: number) => `0,${path},,number-${at},\n`
  await writeFile(jobsFile, numbers(20).map(line).join(''))
  watch()
  for (const count of [40, 60, 80]) {
    await writeFile(`${jobsFile}.new`, numbers(count).map(line).join(''))
    await rename(`${jobsFile}.new`, jobsFile)
  }
  await writeFile(jobsFile, '')
  await writeFile(jobsFile, `${numbers(80).map(line).join('')}0,${path},,number-8`)
  await expect.poll(countOf('moved.py'), patiently).toBe(80)
  await appendFile(jobsFile, '0,\n')
  await expect.poll(countOf('moved.py'), patiently).toBe(81)
  expect(await numbersOf('moved.py')).toEqual(numbers(81))
})

it('a failed job runs again only when its line is added again', async () => {
  const path = await script('fails.py', 'import sys\nsys.exit(3)\n')
  await writeFile(jobsFile, `0,${path},,,\n`)
  const failed = async () => (await jobsOf('fails.py')).filter(({ status }) => status === 'failed').length
  const first = watch()
  await expect.poll(failed).toBe(1)
  await first.end('SIGKILL')
  watch()
  const marker = await script('marker.py', 'print(1)\n')
  await appendFile(jobsFile, `0,${marker},,,\n`)
  await expect.poll(countOf('marker.py')).toBe(1)
  expect(await countOf('fails.py')()).toBe(1)
  expect(await run(['add', path, '--output-file', jobsFile])).toMatchObject({ code: 0, err: '' })
  await expect.poll(failed).toBe(2)
  // A completed job is not submitted again.
  await expect.poll(async () => (await jobsOf('marker.py'))[0]?.status).toBe('completed')
  const known = await run(['add', marker])
  expect(known).toMatchObject({ code: 0, out: `${(await jobsOf('marker.py'))[0]?.job_id}\n` })
  expect(known.err).toContain('the same job is already completed')
  expect(await run(['add', marker, '--force', '--priority', '7', '--gpus', '0,1'])).toMatchObject({
    code: 0,
    err: '',
  })
  const [, forced] = await jobsOf('marker.py')
  expect((await admin.jobs.get(forced?.job_id ?? '')).priority).toBe(-7)
})

it('the state file pauses and resumes GPUs, also by number alone', async () => {
  const stateFile = join(directory, 'gpu_scheduler_state.json')
  const stateOf = async (index: number) =>
    (await admin.cluster.get()).nodes.flatMap(({ gpus }) => gpus).find((gpu) => gpu.index === index)?.state
  const read = async () =>
    JSON.parse(await readFile(stateFile, 'utf8').catch(() => '{}')) as Record<string, unknown>
  const first = watch()
  await expect.poll(async () => (await read()).paused_gpus).toEqual([])
  expect((await read()).gpus).toMatchObject([{ gpu: 0, state: 'free', allocation: 0 }, { gpu: 1 }])
  await writeFile(stateFile, JSON.stringify({ ...(await read()), paused_gpus: [1] }))
  await expect.poll(() => stateOf(1)).toBe('paused')
  await expect.poll(async () => (await read()).known_paused_gpus).toEqual([1])
  // A change made while no watcher ran is applied by the next one.
  await first.end('SIGTERM')
  await writeFile(stateFile, JSON.stringify({ ...(await read()), paused_gpus: [] }))
  watch()
  await expect.poll(() => stateOf(1)).toBe('free')
  expect(await run(['pause', '0'])).toMatchObject({ code: 0, err: '' })
  await expect.poll(async () => (await read()).paused_gpus).toEqual([0])
  expect((await run(['status'])).out).toContain('paused')
  await writeFile(stateFile, '{ "paused_gpus": [')
  await expect.poll(async () => (await read().catch(() => ({ paused_gpus: null }))).paused_gpus).toEqual([0])
  expect(await run(['resume', '0'])).toMatchObject({ code: 0, err: '' })
  await expect.poll(async () => (await read()).paused_gpus).toEqual([])
  expect(await stateOf(0)).toBe('free')
})

it('changes of llm_config.json apply immediately, and an invalid file changes nothing', async () => {
  await admin.orchestrator.stop()
  const config = join(directory, 'llm_config.json')
  const path = await script('llm.py', 'print(1)\n')
  const asked = async (at: number) => {
    const { job_id = '' } = (await jobsOf('llm.py'))[at] ?? {}
    const { gpu_count, gpu_fraction } = (await admin.jobs.get(job_id)).resources.asked
    return gpu_fraction ?? gpu_count
  }
  await writeFile(config, JSON.stringify({ default_requirement: 1, models: { 'small-7b': 0.5 } }))
  await writeFile(jobsFile, `0,${path},,--llm small-7b --seed 1,\n`)
  const watcher = watch([...often, '--screen'])
  await expect.poll(countOf('llm.py')).toBe(1)
  expect(await asked(0)).toBe(0.5)
  expect((await jobsOf('llm.py'))[0]?.terminal).toBe(true)
  await writeFile(config, '{ "default_requirement": 1, "models": { "small-7b": "much" } }')
  await expect.poll(() => watcher.err).toContain('models.small-7b')
  await appendFile(jobsFile, `0,${path},,--llm small-7b --seed 2,\n`)
  await expect.poll(countOf('llm.py')).toBe(2)
  expect(await asked(1)).toBe(0.5)
  await writeFile(config, JSON.stringify({ default_requirement: 1, models: { 'small-7b': 0.25 } }))
  await expect.poll(async () => (await admin.cluster.models()).models['small-7b']).toBe(0.25)
  await appendFile(
    jobsFile,
    `0,${path},unknown_env,--llm small-7b --seed 3,\n0,${path},,--llm small-7b --seed 4,\n`,
  )
  await expect.poll(countOf('llm.py')).toBe(3)
  expect(await asked(2)).toBe(0.25)
  await expect.poll(() => watcher.err).toMatch(/line 3 skipped: environment: .*unknown_env.*"python"/)
})
