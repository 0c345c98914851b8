import { type ModelTable, modelTableSchema } from '@/lib/contract/cluster/policy'
import type { Client } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'
import { type StartLog, warnOnChange } from '../follow/start-log'
import { readFileSnapshot } from './file-snapshot'

interface ModelsWatchOptions {
  path: string
  client: Pick<Client, 'cluster'>
  log: StartLog
}

/** Parses an llm_config.json. */
export function readModelTable(
  bytes: Uint8Array,
): { ok: true; table: ModelTable } | { ok: false; message: string } {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return { ok: false, message: 'it is not valid JSON' }
  }
  const parsed = modelTableSchema.safeParse(value)
  if (parsed.success) return { ok: true, table: parsed.data }
  const [issue] = parsed.error.issues
  const place = issue?.path.length ? `${issue.path.join('.')}: ` : ''
  return { ok: false, message: `${place}${issue?.message ?? 'it is no table of models'}` }
}

/** Uploads an llm_config.json to the server whenever it changes. */
export class ModelsWatch {
  /** The version that was read last, valid or not. */
  #version = ''
  readonly #warn: (text: string) => Promise<void>

  constructor(readonly options: ModelsWatchOptions) {
    this.#warn = warnOnChange(options.log)
  }

  /** Checks the file once. An invalid or missing file changes nothing: the last valid table stays active. */
  async check(): Promise<void> {
    const { path, log } = this.options
    const file = await readFileSnapshot(path)
    if (file.kind === 'missing') return
    if (file.kind === 'unreadable') return this.#warn(`Cannot read ${path}: ${file.message}.`)
    if (file.version === this.#version) return
    const read = readModelTable(file.bytes)
    if (!read.ok) {
      await this.#warn(`${path} ignored: ${read.message}. The previous table stays active.`)
      return
    }
    try {
      const changed = await this.#replace(read.table)
      const names = Object.keys(read.table.models).length
      if (changed) await log.note(`Loaded ${path} with ${names} ${names === 1 ? 'model' : 'models'}.`)
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      await this.#warn(`${path} not loaded: ${error.message}`)
      // Retry if the server is unavailable. Other errors are final.
      if (error.isTemporary) return
    }
    this.#version = file.version
    await this.#warn('')
  }

  /** Returns false if the server already has this table. Avoids an audit entry without a change. */
  async #replace(table: ModelTable): Promise<boolean> {
    const { client } = this.options
    if (sameTable(await client.cluster.models(), table)) return false
    await client.cluster.replaceModels(table)
    return true
  }
}

function sameTable(one: ModelTable, other: ModelTable): boolean {
  const text = ({ default_requirement, models }: ModelTable) =>
    JSON.stringify([default_requirement, Object.entries(models).toSorted(([a], [b]) => (a < b ? -1 : 1))])
  return text(one) === text(other)
}
