import { stripVTControlCharacters } from 'node:util'
import {
  adviseFailure,
  type KnownEnvironment,
  needsEnvironments,
} from '@/lib/contract/failure/advise-failure'
import { parseTraceback } from '@/lib/contract/failure/parse-traceback'
import type { JobDetail } from '@/lib/contract/jobs'
import type { Context } from '../context'

/** As much of the end of an output as a traceback and its causes need. */
const keptCharacters = 65_536

/** The end of a job's output, which says why it failed. */
export class OutputEnd {
  #text = ''

  add(text: string): void {
    this.#text = (this.#text + text).slice(-keptCharacters)
  }

  /** The output so far belongs to an earlier attempt. */
  clear(): void {
    this.#text = ''
  }

  get lines(): string[] {
    return stripVTControlCharacters(this.#text).split('\n')
  }
}

/** What to change so that a failed job can succeed, as its page says; null: unknown. */
export async function adviseAtEnd(context: Context, job: JobDetail, end: OutputEnd): Promise<string | null> {
  const { lines } = end
  const exception = parseTraceback(lines)?.exception ?? null
  const environments = needsEnvironments(exception, lines) ? await listEnvironments(context) : undefined
  return adviseFailure({ job, exception, lines, environments })?.text ?? null
}

/** Undefined if the server does not answer: the job's own end was shown, and nothing depends on this. */
async function listEnvironments(context: Context): Promise<KnownEnvironment[] | undefined> {
  try {
    return await (await context.connect()).environments.list()
  } catch {
    return undefined
  }
}
