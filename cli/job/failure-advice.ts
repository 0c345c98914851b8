import { stripVTControlCharacters } from 'node:util'
import { adviseEnd } from '@/lib/contract/failure/advise-end'
import type { KnownEnvironment } from '@/lib/contract/failure/advise-failure'
import type { JobDetail } from '@/lib/contract/jobs'
import type { JobsClient } from '@/lib/http/client/jobs-client'
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
  return (await adviseEnd(job, end.lines, () => listEnvironments(context)))?.text ?? null
}

/** The same from the server, which has the output; null also if it does not answer. */
export async function readAdvice(client: JobsClient, jobId: string): Promise<string | null> {
  try {
    return (await client.jobs.get(jobId)).advice?.text ?? null
  } catch {
    return null
  }
}

/** Undefined if the server does not answer: the job's own end was shown, and nothing depends on this. */
async function listEnvironments(context: Context): Promise<KnownEnvironment[] | undefined> {
  try {
    return await (await context.connect()).environments.list()
  } catch {
    return undefined
  }
}
