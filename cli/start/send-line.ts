import { readFile } from 'node:fs/promises'
import type { Client } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'
import type { JobLine } from './jobs-file'
import { type LineOptions, refuseScript, toLineConfig } from './line-config'

/** What became of a line. */
export type Sent =
  /** `job` is null where it was sent before, and all that is known is that the server had it. */
  | { kind: 'queued' | 'known'; job: string | null; message: string }
  /** `forGood`: the server refused it, and sending it again would change nothing. */
  | { kind: 'bad'; message: string; forGood: boolean }
  /** The server is away, or has no room: to be sent again after so many milliseconds. */
  | { kind: 'later'; message: string; ms: number }

interface LineToSend {
  line: JobLine
  /** Its path, absolute. */
  script: string
  /** Sending it again under the same key makes no second job. */
  key: string
  options: LineOptions
}

const retryMs = 5_000
const refusals = [400, 413, 415, 422]

/** Makes a job of a line, unless the same one is alive or has completed. */
export async function sendLine(
  client: Pick<Client, 'jobs'>,
  { line, script, key, options }: LineToSend,
): Promise<Sent> {
  const code = await readScript(script)
  if (typeof code === 'string') return { kind: 'bad', message: code, forGood: false }
  try {
    const config = toLineConfig(line, options)
    const {
      job_id: job,
      status,
      deduplicated,
    } = await client.jobs.submit({
      code,
      config,
      idempotencyKey: key,
      deduplicate: true,
    })
    if (deduplicated) return { kind: 'known', job, message: `is there already: ${job}, ${status}` }
    return { kind: 'queued', job, message: `is job ${job}` }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return judge(error)
  }
}

/** Refused for good, or only now. */
function judge(error: ProblemError): Sent {
  if (error.messageFor('Idempotency-Key') !== undefined) {
    return { kind: 'known', job: null, message: 'was sent before, with other content' }
  }
  if (refusals.includes(error.status)) {
    const message = error.message.replace(/^config_file: /, '').replace(/\.$/, '')
    return { kind: 'bad', message, forGood: true }
  }
  const message = `The server takes no more jobs now: ${error.message} What is left waits.`
  return { kind: 'later', message, ms: Math.max(1_000, (error.retryAfter ?? 0) * 1_000 || retryMs) }
}

/** The script's bytes, or why they cannot be had. */
async function readScript(path: string): Promise<Blob | string> {
  const refused = await refuseScript(path)
  if (refused !== null) return refused
  try {
    return new Blob([await readFile(path)])
  } catch (error) {
    return `${path} cannot be read (${error instanceof Error ? error.message : String(error)})`
  }
}
