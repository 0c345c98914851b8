import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { parseConfig } from '@/lib/contract/config/config'
import { conflict } from '@/lib/contract/errors'
import type { JobDetail } from '@/lib/contract/jobs'
import { isFinal } from '@/lib/contract/status'
import type { JobsClient } from '@/lib/http/client/jobs-client'
import type { Connection } from '../config'
import { errorCode } from '../files'
import type { JobSink } from './job-sink'
import type { StartLog } from './start-log'

const run = promisify(execFile)
/** GNU Screen does not accept a longer name. */
const maxName = 80

/** @throws GpuqError conflict without GNU Screen. */
export async function requireScreen(env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await run('screen', ['-v'], { env })
  } catch (error) {
    // Some versions exit with 1.
    if (errorCode(error) !== 'ENOENT') return
    throw conflict(
      'GNU Screen is not installed. Install it with `sudo apt-get install screen`, or start without --screen.',
    )
  }
}

/** `gpujob_0,1_train_ID`: the GPUs on the machine, the value of `--mode` in the arguments, and the job. */
export function sessionName(
  { gpus, job_id }: Pick<JobDetail, 'gpus' | 'job_id'>,
  args: readonly string[],
): string {
  const places = gpus.map(({ index }) => index).join(',') || 'none'
  const before = `gpujob_${places}_`
  const mode = modeOf(args).slice(0, Math.max(1, maxName - before.length - job_id.length - 1))
  return `${before}${mode}_${job_id}`
}

function modeOf(args: readonly string[]): string {
  const at = args.findLastIndex((word) => word === '--mode' || word.startsWith('--mode='))
  const value = args[at]?.startsWith('--mode=') ? args[at].slice('--mode='.length) : args[at + 1]
  return (at === -1 ? '' : (value ?? '')).replace(/[^A-Za-z0-9.-]/g, '') || 'run'
}

/** The names of the jobs' sessions on this machine, by job. Empty without GNU Screen. */
export async function listSessions(env: NodeJS.ProcessEnv): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  // `screen -ls` exits with 1 if there is none.
  const listed = await run('screen', ['-ls'], { env }).catch((error: { stdout?: string }) => error)
  for (const [, name = '', jobId = ''] of (listed.stdout ?? '').matchAll(
    /^\s+\d+\.(gpujob_\S*_([0-9a-f-]{36}))\s/gm,
  ))
    found.set(jobId, name)
  return found
}

interface SessionOptions {
  client: Pick<JobsClient, 'jobs'>
  connection: Connection
  env: NodeJS.ProcessEnv
  log: StartLog
}

/** Keeps a session of GNU Screen for each running job, in which `gpuq attach` shows the job. */
export class ScreenSessions {
  readonly #names = new Map<string, string>()

  constructor(readonly options: SessionOptions) {}

  sink(): JobSink {
    let jobId: string | null = null
    return {
      started: async (job) => {
        jobId = job.job_id
        await this.#open(job)
      },
      write: async () => {},
      // `gpuq attach` ends with the job, and the session with it.
      ended: async () => {
        if (jobId !== null) this.#names.delete(jobId)
      },
    }
  }

  /** Ends the sessions of jobs that are over: while gpuq did not run, nobody did. */
  async endOld(): Promise<void> {
    const { client, env, log } = this.options
    for (const [jobId, name] of await listSessions(env)) {
      // One that this server does not know may belong to another one.
      const job = await client.jobs.get(jobId).catch(() => null)
      if (job === null || !isFinal(job.status)) continue
      await run('screen', ['-S', name, '-X', 'quit'], { env }).catch(() => undefined)
      await log.detail(`Ended the session ${name}: its job is over.`)
    }
  }

  /** Ends the sessions that this process knows. Jobs are not affected. */
  async close(): Promise<void> {
    const { env } = this.options
    for (const name of this.#names.values())
      await run('screen', ['-S', name, '-X', 'quit'], { env }).catch(() => undefined)
  }

  async #open(job: JobDetail): Promise<void> {
    const { env, log, connection } = this.options
    try {
      const name = sessionName(job, await this.#readArgs(job.job_id))
      // A `gpuq start` before this one may have opened it.
      if ((await listSessions(env)).get(job.job_id) !== name) {
        const attach = [process.execPath, process.argv[1] ?? '', 'attach', job.job_id, '--escape', 'none']
        const { server, token } = connection
        const options = { env: { ...env, GPUQ_SERVER: server, GPUQ_TOKEN: token } }
        await run('screen', ['-U', '-dmS', name, ...attach], options)
      }
      this.#names.set(job.job_id, name)
      await log.note(`Show job ${job.job_id} with: screen -r ${name}`)
    } catch (error) {
      const { stdout = '', message } = error as { stdout?: string; message: string }
      await log.warn(
        `No session of GNU Screen for job ${job.job_id}: ${stdout.trim() || message} Use \`gpuq attach ${job.job_id}\`.`,
      )
    }
  }

  async #readArgs(jobId: string): Promise<string[]> {
    const { config } = await this.options.client.jobs.source(jobId)
    const parsed = parseConfig(config)
    return parsed.ok ? parsed.config.args : []
  }
}
