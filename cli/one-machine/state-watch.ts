import { randomUUID } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import type { Client } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'
import { readIfPresent } from '../files'
import { type StartLog, warnOnChange } from '../follow/start-log'
import type { ClaimLogFile } from './claim-log-file'
import { readRequests, toStateContent } from './state-content'

interface StateWatchOptions {
  path: string
  server: string
  client: Pick<Client, 'cluster' | 'queue' | 'jobs'>
  log: StartLog
  claims: ClaimLogFile
  /** Called after the claims were reset: all lines of the jobs file are new. */
  onReset(): void
}

const newestJobs = 200
/** How often to read again if another program writes at the same time. */
const maxTries = 5

/** Applies the requests in the state file and writes the current state. */
export class StateWatch {
  readonly #warn: (text: string) => Promise<void>
  /** The invalid text of the last check. Null: the text was valid. An empty file counts as invalid. */
  #broken: string | null = null

  constructor(readonly options: StateWatchOptions) {
    this.#warn = warnOnChange(options.log)
  }

  async check(): Promise<void> {
    try {
      for (let tries = 1; tries <= maxTries; tries++) if (await this.#update()) break
      await this.#warn('')
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      await this.#warn(`State file not updated: ${error.message}`)
    }
  }

  /**
   * Returns false if another program wrote the file between our read and our write: its requests come first.
   */
  async #update(): Promise<boolean> {
    const { client, path, server } = this.options
    const text = await readIfPresent(path)
    if (text === null) await this.#resetIfDeleted()
    else if (!(await this.#apply(text))) return true
    const [cluster, queue, jobs] = await Promise.all([
      client.cluster.get(),
      client.queue.list(),
      client.jobs.list({ limit: newestJobs }),
    ])
    const content = toStateContent({ server, cluster, queue, jobs: jobs.items })
    const whole = { ...content, updated_at: new Date().toISOString() }
    const isWritten = await replaceFile(path, text, `${JSON.stringify(whole, null, 2)}\n`)
    if (isWritten) await this.#recordWritten()
    return isWritten
  }

  async #recordWritten(): Promise<void> {
    const { claims, path } = this.options
    const { account } = claims
    if ((await claims.refresh()).stateId(path) !== null) return
    await claims.append([{ account, state: randomUUID(), path }])
  }

  /** A user deletes the file to start over. A file that was never written, as at the first start, resets nothing. */
  async #resetIfDeleted(): Promise<void> {
    const { claims, path, client, log, onReset } = this.options
    const id = (await claims.refresh()).stateId(path)
    // Another watcher may have written it again.
    if (id === null || (await readIfPresent(path)) !== null) return
    const { nodes } = await client.cluster.get()
    const paused = nodes.flatMap(({ gpus }) => gpus).filter(({ state }) => state === 'paused')
    for (const gpu of paused) await this.#setPaused(gpu.gpu_id, `GPU ${gpu.index}`, false)
    await claims.append([{ account: claims.account, reset: id }])
    await log.note(`${path} was deleted: no GPU is paused, and all lines of the jobs file are new.`)
    onReset()
  }

  /** Returns false if the file is invalid: another program may still be writing it. */
  async #apply(text: string): Promise<boolean> {
    const { client, path, log } = this.options
    const cluster = await client.cluster.get()
    const read = readRequests(text, cluster)
    if (!read.ok) {
      const seenBefore = this.#broken === text
      this.#broken = text
      const problem = `${path} is not valid: ${read.message}. Checking again before overwriting it.`
      await log.warn(seenBefore ? `Overwriting ${path}.` : problem)
      return seenBefore
    }
    this.#broken = null
    const { pause, resume, unknown } = read.requests
    if (unknown.length > 0) await log.warn(`${path} contains unknown GPUs: ${unknown.join(', ')}.`)
    const gpus = cluster.nodes.flatMap((node) => node.gpus.map((gpu) => ({ node, gpu })))
    for (const { node, gpu } of gpus) {
      const paused = pause.includes(gpu.gpu_id)
      if (!paused && !resume.includes(gpu.gpu_id)) continue
      if (paused === (gpu.state === 'paused')) continue
      await this.#setPaused(gpu.gpu_id, `GPU ${gpu.index} on ${node.name}`, paused)
    }
    return true
  }

  async #setPaused(gpuId: string, what: string, paused: boolean): Promise<void> {
    const { client, path, log } = this.options
    const done = paused ? 'paused' : 'resumed'
    try {
      const reason = paused ? 'requested in the state file' : undefined
      await client.cluster.updateGpu(gpuId, { paused, reason })
      await log.note(`${what} ${done} as requested in ${path}.`)
    } catch (error) {
      if (!(error instanceof ProblemError) || error.status !== 403) throw error
      await log.warn(`${what} not ${done} as requested in ${path}: ${error.message}`)
    }
  }
}

/** Writes a temporary file and renames it, so that readers never see partial content. */
async function replaceFile(path: string, before: string | null, text: string): Promise<boolean> {
  const temporary = `${path}.${process.pid}`
  try {
    await writeFile(temporary, text, { mode: 0o644 })
    if ((await readIfPresent(path)) !== before) return false
    await rename(temporary, path)
    return true
  } finally {
    await rm(temporary, { force: true })
  }
}
