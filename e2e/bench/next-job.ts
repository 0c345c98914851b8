import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { System } from '../system/start-system'
import { bearer, call, upload } from './client'
import { untilWarm } from './first-output'
import { type Figures, figuresOf } from './measure'

/** Prints when it began and when it ended, in seconds, and runs long enough that the next container can be prepared. */
const script = `
import time
print(time.time())
time.sleep(1.5)
print(time.time())
`

/** When a program began and ended by its own clock, in milliseconds since 1970. */
interface Times {
  beganMs: number
  endedMs: number
}

interface TimedJob extends Times {
  id: string
}

/**
 * Measures the time from the last line of a job to the first line of the next one on the same GPU, by their own clocks. The
 * alternative is a shell loop that runs the same program by one `docker run` after the other.
 */
export async function benchNextJob(
  system: System,
  rounds: number,
): Promise<Record<'gpuq' | 'dockerRun', Figures>> {
  // Half of the loop before gpuq and half after it, so that a change of the machine's speed affects both.
  const half = Math.ceil(rounds / 2)
  const before = gapsOf(await loopDockerRun(half + 1))
  const gpuq = gapsOf(await runInTurn(system, rounds))
  const after = gapsOf(await loopDockerRun(half + 1))
  return { gpuq: figuresOf(gpuq), dockerRun: figuresOf([...before, ...after]) }
}

/** The times between the end of each program and the beginning of the next one. */
function gapsOf(programs: readonly Times[]): number[] {
  return programs.slice(1).map(({ beganMs }, index) => beganMs - (programs[index]?.endedMs ?? Number.NaN))
}

/** Runs the program in new containers, one after the other, as a shell loop does. */
async function loopDockerRun(count: number): Promise<Times[]> {
  const directory = await mkdtemp(join(tmpdir(), 'gpuq-bench-'))
  const file = join(directory, 'solution.py')
  await writeFile(file, script, { mode: 0o644 })
  const docker = `docker run --rm -v ${file}:/job/solution.py:ro gpuq/python:2 python -u /job/solution.py`
  const loop = `n=0; while [ $n -lt ${count} ]; do ${docker} || exit 1; n=$((n + 1)); done`
  try {
    const { stdout } = await promisify(execFile)('sh', ['-c', loop])
    const printed = stdout.trim().split('\n')
    return Array.from({ length: count }, (_, run) => readTimes(printed.slice(2 * run, 2 * run + 2)))
  } finally {
    await rm(directory, { recursive: true })
  }
}

/** Runs one more than `rounds` jobs on the only GPU of the system, when one is warm. Returns them in the order of their starts. */
export async function runInTurn(system: System, rounds: number): Promise<TimedJob[]> {
  await run(system, 1)
  await untilWarm(system)
  return (await run(system, rounds + 1)).sort((a, b) => a.beganMs - b.beganMs)
}

/** Submits jobs at once. */
async function run(system: System, count: number): Promise<TimedJob[]> {
  const ids: string[] = []
  for (let job = 0; job < count; job++) {
    const { status, body } = await call(...upload(system, script))
    if (status !== 202) throw new Error(`submit answered ${status}: ${body}`)
    ids.push((JSON.parse(body) as { job_id: string }).job_id)
  }
  const jobs: TimedJob[] = []
  for (const id of ids) jobs.push({ id, ...readTimes((await waitForOutput(system, id)).split('\n')) })
  return jobs
}

/** The times that the program printed. */
function readTimes(lines: readonly string[]): Times {
  const [began, ended] = lines.map(Number)
  if (!began || !ended) throw new Error(`the program printed ${lines.join(', ')}`)
  return { beganMs: began * 1000, endedMs: ended * 1000 }
}

/** What a job printed, when it has completed. */
async function waitForOutput(system: System, id: string): Promise<string> {
  for (;;) {
    const headers = bearer(system)
    const { body } = await call(`${system.url}/api/status/${id}`, { headers })
    const { status, result_file } = JSON.parse(body) as { status: string; result_file: string | null }
    if (status === 'failed') throw new Error(`the job failed: ${body}`)
    if (status === 'completed' && result_file !== null)
      return (await call(`${system.url}/api/results/${id}?format=text`, { headers })).body.trim()
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
