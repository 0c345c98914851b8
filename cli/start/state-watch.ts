import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { Client } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'
import type { StartLog } from './start-log'
import { readWishes, toStateContent } from './state-content'

interface StateWatchOptions {
  path: string
  server: string
  client: Pick<Client, 'cluster' | 'queue' | 'jobs'>
  journal: StartLog
}

const newestJobs = 200
/** Somebody who writes while we read is let finish, and read again. */
const mostTries = 5

/** Obeys what others wrote into the state file, and writes it anew. */
export class StateWatch {
  #said = ''
  /** What was not understood at the last look; null: nothing. An empty file is a text like any other. */
  #broken: string | null = null

  constructor(readonly options: StateWatchOptions) {}

  async look(): Promise<void> {
    try {
      for (let tries = 1; tries <= mostTries; tries++) if (await this.#turn()) break
      this.#said = ''
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      await this.#sayOnce(`The state file is not up to date: ${error.message}`)
    }
  }

  /** False when somebody wrote the file between our reading and our writing: what they wish is read first. */
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

  /** False when the file cannot be understood: it is left for a while to whoever is writing it. */
  async #obey(text: string): Promise<boolean> {
    const { client, path, journal } = this.options
    const cluster = await client.cluster.get()
    const read = readWishes(text, cluster)
    if (!read.ok) {
      const seenBefore = this.#broken === text
      this.#broken = text
      if (!seenBefore) await journal.warn(`${path} is not understood: ${read.message}.`)
      else await journal.warn(`${path} is written anew.`)
      return seenBefore
    }
    this.#broken = null
    const { pause, resume, unknown } = read.wishes
    if (unknown.length > 0)
      await journal.warn(`${path} names GPUs that are not there: ${unknown.join(', ')}.`)
    const gpus = cluster.nodes.flatMap((node) => node.gpus.map((gpu) => ({ node, gpu })))
    for (const { node, gpu } of gpus) {
      const paused = pause.includes(gpu.gpu_id)
      if (!paused && !resume.includes(gpu.gpu_id)) continue
      if (paused === (gpu.state === 'paused')) continue
      const what = `GPU ${gpu.index} of ${node.name} is`
      try {
        const reason = paused ? { reason: 'by the state file' } : {}
        await client.cluster.updateGpu(gpu.gpu_id, { paused, ...reason })
        await journal.note(`${what} ${paused ? 'paused' : 'resumed'}, as ${path} says.`)
      } catch (error) {
        if (!(error instanceof ProblemError) || error.status !== 403) throw error
        await journal.warn(`${what} not ${paused ? 'paused' : 'resumed'}, as ${path} says: ${error.message}`)
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

/** Beside it and then moved into place: who reads never sees half of it. */
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
