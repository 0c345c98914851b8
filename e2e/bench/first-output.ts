import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import type { System } from '../system/start-system'
import { bearer, call, untilFirstOutput, upload } from './client'
import { type Figures, measureInTurn } from './measure'

const script = 'print("first line")\n'
const torchScript = 'import torch\nprint(torch.__version__)\n'

/**
 * Measures the time from the request or command to the first output line at the client.
 * @param warm has a warm container for each job
 * @param cold has none
 */
export async function benchFirstOutput(
  { warm, cold }: Record<'warm' | 'cold', System>,
  rounds: number,
): Promise<Record<'warm' | 'cold' | 'dockerRun' | 'dockerRunNoNetwork', Figures>> {
  return withDockerRun(script, async (run) => {
    // Nothing waits for the first job of its kind.
    await submitAndWatch(warm)
    await untilWarm(warm)
    return measureInTurn(rounds, {
      warm: async () => {
        const took = await submitAndWatch(warm)
        // Otherwise the preparation of the next container would delay the others.
        await untilWarm(warm)
        return took
      },
      cold: () => submitAndWatch(cold),
      dockerRun: async () => (await run()).firstOutputMs,
      dockerRunNoNetwork: async () => (await run('--network', 'none')).firstOutputMs,
    })
  })
}

/**
 * The same for a program that imports torch.
 * @param prepared is changed: its environment imports torch in advance
 * @param plain has warm containers without imports
 */
export async function benchTorch(
  { prepared, plain }: Record<'prepared' | 'plain', System>,
  rounds: number,
): Promise<Record<'prepared' | 'plain' | 'dockerRun', Figures>> {
  const changed = await call(`${prepared.url}/api/environments/python`, {
    method: 'PATCH',
    headers: { ...bearer(prepared), 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ prepare: ['torch'] })),
  })
  if (changed.status !== 200)
    throw new Error(`the change of the environment answered ${changed.status}: ${changed.body}`)
  const measure = async (system: System, ready: (system: System) => Promise<void>) => {
    const { sentAt, firstLineAt } = await watchSubmission(system, '', torchScript)
    await ready(system)
    return firstLineAt - sentAt
  }
  return withDockerRun(torchScript, async (run) => {
    await measure(prepared, untilPrepared)
    await measure(plain, untilWarm)
    return measureInTurn(rounds, {
      prepared: () => measure(prepared, untilPrepared),
      plain: () => measure(plain, untilWarm),
      dockerRun: async () => (await run()).firstOutputMs,
    })
  })
}

/** When a command printed first and when it ended, in milliseconds since its start. */
interface CommandTimes {
  firstOutputMs: number
  endMs: number
}

/** Provides a function that runs a program by `docker run`. Its output is read and thrown away. */
export async function withDockerRun<T>(
  program: string,
  work: (run: (...options: string[]) => Promise<CommandTimes>) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'gpuq-bench-'))
  const file = join(directory, 'solution.py')
  await writeFile(file, program, { mode: 0o644 })
  const volume = `${file}:/job/solution.py:ro`
  const command = ['gpuq/python:2', 'python', '-u', '/job/solution.py']
  try {
    return await work((...options) => timeDocker(['run', '--rm', ...options, '-v', volume, ...command]))
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Submits a job, and waits until it has ended. Returns the time from the request to the first output line. */
export async function submitAndWatch(system: System, config = ''): Promise<number> {
  const { sentAt, firstLineAt } = await watchSubmission(system, config)
  return firstLineAt - sentAt
}

/** A submission as its client saw it, with times of `performance.now()`. */
export interface WatchedSubmission {
  jobId: string
  sentAt: number
  acceptedAt: number
  firstLineAt: number
}

/** Submits a job, and waits until it has ended. */
export async function watchSubmission(
  system: System,
  config = '',
  program = script,
): Promise<WatchedSubmission> {
  const sentAt = performance.now()
  const { status, body } = await call(...upload(system, program, config))
  if (status !== 202) throw new Error(`submit answered ${status}: ${body}`)
  const acceptedAt = performance.now()
  const { job_id: jobId } = JSON.parse(body) as { job_id: string }
  await untilFirstOutput(system, jobId)
  const firstLineAt = performance.now()
  await untilEnded(system, jobId)
  return { jobId, sentAt, acceptedAt, firstLineAt }
}

/** Waits until a job has completed and its output is stored as a file. */
export async function untilEnded(system: System, jobId: string): Promise<void> {
  for (;;) {
    const { body } = await call(`${system.url}/api/status/${jobId}`, {
      headers: { authorization: `Bearer ${system.adminToken}` },
    })
    const { status, result_file } = JSON.parse(body) as { status: string; result_file: string | null }
    if (status === 'failed') throw new Error(`the job failed: ${body}`)
    if (status === 'completed' && result_file !== null) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Waits until a container of the system is warm, as before a job of a user who does not submit without a pause. */
export async function untilWarm(system: System): Promise<void> {
  const client = new pg.Client({ connectionString: system.databaseUrl })
  await client.connect()
  const deadline = performance.now() + 60_000
  try {
    const { rows } = await client.query<{ id: string }>('SELECT id FROM nodes')
    // The engine's list, because the count in the database follows later.
    while (!(await Promise.all(rows.map(({ id }) => hasWarm(id)))).includes(true)) {
      if (performance.now() > deadline) throw new Error('no container was warm within a minute')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    // A container waits for jobs when it has run for a moment.
    await new Promise((resolve) => setTimeout(resolve, 300))
  } finally {
    await client.end()
  }
}

/** Waits until a warm container has imported torch. Its memory is measured then. */
async function untilPrepared(system: System): Promise<void> {
  const client = new pg.Client({ connectionString: system.databaseUrl })
  await client.connect()
  const deadline = performance.now() + 120_000
  try {
    for (;;) {
      const { rows } = await client.query('SELECT 1 FROM nodes WHERE warm_memory_mib > 50')
      if (rows.length > 0) return
      if (performance.now() > deadline) throw new Error('no container has imported torch within two minutes')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  } finally {
    await client.end()
  }
}

/** Whether a node has a running warm container without a task. */
async function hasWarm(nodeId: string): Promise<boolean> {
  const filters = [`label=gpuq.node=${nodeId}`, 'name=gpuq-warm-'].flatMap((filter) => ['--filter', filter])
  const { stdout } = await promisify(execFile)('docker', ['ps', '--quiet', ...filters])
  return stdout !== ''
}

async function timeDocker(args: string[]): Promise<CommandTimes> {
  const began = performance.now()
  const child = spawn('docker', args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let complaint = ''
  child.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk.toString('utf8')
  })
  const first = new Promise<number>((resolve) =>
    child.stdout.once('data', () => resolve(performance.now() - began)),
  )
  child.stdout.resume()
  const ended = new Promise<number>((resolve, reject) =>
    child.once('close', (code) =>
      code === 0
        ? resolve(performance.now() - began)
        : reject(new Error(`docker ${args.join(' ')}: ${complaint}`)),
    ),
  )
  const [firstOutputMs, endMs] = await Promise.all([first, ended])
  return { firstOutputMs, endMs }
}
