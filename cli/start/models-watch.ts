import { type ModelTable, modelTableSchema } from '@/lib/contract/cluster'
import type { Client } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'
import { readWhole } from './read-whole'
import type { StartLog } from './start-log'

interface ModelsWatchOptions {
  path: string
  client: Pick<Client, 'cluster'>
  journal: StartLog
}

type TableReading = { ok: true; table: ModelTable } | { ok: false; message: string }

/** Reads an llm_config.json. */
export function readModelTable(bytes: Uint8Array): TableReading {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return { ok: false, message: 'it is not JSON' }
  }
  const parsed = modelTableSchema.safeParse(value)
  if (parsed.success) return { ok: true, table: parsed.data }
  const [issue] = parsed.error.issues
  const place = issue?.path.length ? `${issue.path.join('.')}: ` : ''
  return { ok: false, message: `${place}${issue?.message ?? 'it is no table of models'}` }
}

/** Puts an llm_config.json in place of the server's table of models whenever it is another one. */
export class ModelsWatch {
  /** What was read last, whatever became of it. */
  #version = ''
  #said = ''

  constructor(readonly options: ModelsWatchOptions) {}

  /** One look. A file that is broken or gone changes nothing: the last good one holds. */
  async look(): Promise<void> {
    const { path, journal } = this.options
    const file = await readWhole(path)
    if (file.kind === 'missing') return
    if (file.kind === 'unreadable') return this.#sayOnce(`${path} cannot be read: ${file.message}.`)
    if (file.version === this.#version) return
    const read = readModelTable(file.bytes)
    if (!read.ok) {
      await this.#sayOnce(`${path} is passed over: ${read.message}. What held before holds on.`)
      return
    }
    try {
      const changed = await this.#replace(read.table)
      const names = Object.keys(read.table.models).length
      if (changed)
        await journal.note(`${path} holds from now on, for ${names} ${names === 1 ? 'model' : 'models'}.`)
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      await this.#sayOnce(`${path} does not hold yet: ${error.message}`)
      // A server that was away is asked again; one that says no, says so again.
      if (error.status === 0 || error.status >= 500) return
    }
    this.#version = file.version
    this.#said = ''
  }

  /** False where the server has this very table: it writes down each change. */
  async #replace(table: ModelTable): Promise<boolean> {
    const { client } = this.options
    if (sameTable(await client.cluster.models(), table)) return false
    await client.cluster.replaceModels(table)
    return true
  }

  async #sayOnce(text: string): Promise<void> {
    if (this.#said !== text) await this.options.journal.warn(text)
    this.#said = text
  }
}

function sameTable(one: ModelTable, other: ModelTable): boolean {
  const text = ({ default_requirement, models }: ModelTable) =>
    JSON.stringify([default_requirement, Object.entries(models).toSorted(([a], [b]) => (a < b ? -1 : 1))])
  return text(one) === text(other)
}
