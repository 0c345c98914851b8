import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { Client } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'
import type { StartLog } from './start-log'
import { readWishes, toStateContent } from './state-content'

export interface StateWatchOptions {
  path: string
  server: string
  client: Pick<Client, 'cluster' | 'queue' | 'jobs'>
  journal: StartLog
}

const newestJobs = 200
/** How often to read again if another program writes at the same time. */
const mostTries = 5

/** Applies the requests in the state file and writes the current state. */
export class StateWatch {
  #said = ''
  /** The invalid text of the last check. Null: the text was valid. An empty file counts as invalid. */
  #broken: string | null = null

  constructor(readonly options: StateWatchOptions) {}

  async look(): Promise<void> {
    try {
      for (let tries = 1; tries <= mostTries; tries++) if (await this.#turn()) break
      this.#said = ''
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      await this.#sayOnce(`State file not updated: ${error.message}`)
    }
  }

  /**
   * Returns false if another program wrote the file between our read and our write: its requests come first.
   */
  async #turn(): Promise<boolean> {
    const { client, path, server } = this.options
    const text = await readText(path)
    if (text !== null && !(await this.#obey(text))) return true
    const [cluster, queue, jobs] = await Promise.all([
      client.cluster.get(),
      client.queue.list(),
      client.jobs.list({ limit: newestJobs }),
    ])
    const content = toStateContent({ server, cluster, queue, jobs: jobs.items })
    const whole = { ...content, updated_at: new Date().toISOString() }
    return replaceFile(path, text, `${JSON.stringify(whole, null, 2)}\n`)
  }

  /** Returns false if the file is invalid: another program may still be writing it. */
  async #obey(text: string): Promise<boolean> {
    const { client, path, journal } = this.options
    const cluster = await client.cluster.get()
    const read = readWishes(text, cluster)
    if (!read.ok) {
      const seenBefore = this.#broken === text
      this.#broken = text
      if (!seenBefore)
        await journal.warn(`${path} is not valid: ${read.message}. Checking again before overwriting it.`)
      else await journal.warn(`Overwriting ${path}.`)
      return seenBefore
    }
    this.#broken = null
    const { pause, resume, unknown } = read.wishes
    if (unknown.length > 0) await journal.warn(`${path} contains unknown GPUs: ${unknown.join(', ')}.`)
    const gpus = cluster.nodes.flatMap((node) => node.gpus.map((gpu) => ({ node, gpu })))
    for (const { node, gpu } of gpus) {
      const paused = pause.includes(gpu.gpu_id)
      if (!paused && !resume.includes(gpu.gpu_id)) continue
      if (paused === (gpu.state === 'paused')) continue
      const what = `GPU ${gpu.index} on ${node.name}`
      try {
        const reason = paused ? { reason: 'requested in the state file' } : {}
        await client.cluster.updateGpu(gpu.gpu_id, { paused, ...reason })
        await journal.note(`${what} ${paused ? 'paused' : 'resumed'} as requested in ${path}.`)
      } catch (error) {
        if (!(error instanceof ProblemError) || error.status !== 403) throw error
        await journal.warn(
          `${what} not ${paused ? 'paused' : 'resumed'} as requested in ${path}: ${error.message}`,
        )
      }
    }
    return true
  }

  async #sayOnce(text: string): Promise<void> {
    if (this.#said !== text) await this.options.journal.warn(text)
    this.#said = text
  }
}

async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** Writes a temporary file and renames it, so that readers never see partial content. */
async function replaceFile(path: string, before: string | null, text: string): Promise<boolean> {
  const beside = `${path}.${process.pid}`
  try {
    await writeFile(beside, text, { mode: 0o644 })
    if ((await readText(path)) !== before) return false
    await rename(beside, path)
    return true
  } finally {
    await rm(beside, { force: true })
  }
}
