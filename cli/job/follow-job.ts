import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { backoff } from '@/lib/async/backoff'
import { type JobDetail, jobDetailSchema } from '@/lib/contract/jobs'
import { kindOf, type Printed, readPrinted } from '@/lib/contract/output/printed-output'
import type { JobsClient } from '@/lib/http/client/jobs-client'
import { ProblemError } from '@/lib/http/client/problem'

/** The events of a job, in order. */
export type JobEvent =
  | { kind: 'job'; job: JobDetail }
  | { kind: 'output'; printed: Printed[] }
  /** A new attempt begins. The output so far belongs to an earlier attempt. */
  | { kind: 'again' }
  | { kind: 'end' }

interface FollowOptions {
  client: Pick<JobsClient, 'jobs'>
  jobId: string
  sleep(ms: number): Promise<void>
  signal: AbortSignal
  /** Start this many bytes of records before the end, or a little more. Undefined: from the beginning. */
  tail?: number
}

/** The server sends something at least every 15 s. After this long silence, the connection is dead. */
const silenceMs = 45_000
/** How many connections in a row may bring nothing before the command fails. */
const maxTries = 30
const firstDelayMs = 500
const longestDelayMs = 5_000

/**
 * Follows a job until it ends. After a broken connection, it resumes after the last complete event, so that
 * nothing is lost or repeated.
 */
export async function* followJob(options: FollowOptions): AsyncGenerator<JobEvent> {
  const { signal, sleep } = options
  let lastId: string | null = null
  let tries = 0
  while (!signal.aborted) {
    try {
      for await (const { event, data, id } of connectOnce(options, lastId)) {
        tries = 0
        const jobEvent = toJobEvent(event, data)
        if (jobEvent) yield jobEvent
        if (jobEvent?.kind === 'end') return
        lastId = id ?? lastId
      }
    } catch (error) {
      if (signal.aborted) return
      if (!isTemporary(error)) throw error
      if (++tries > maxTries) throw error instanceof ProblemError ? error : broken(error)
      const asked = error instanceof ProblemError ? (error.retryAfter ?? 0) * 1000 : 0
      await sleep(Math.max(asked, backoff(tries, firstDelayMs, longestDelayMs)))
      continue
    }
    if (++tries > maxTries) throw broken()
    await sleep(250)
  }
}

function broken(cause?: unknown): ProblemError {
  const detail = 'The live stream keeps breaking off. Check the connection to the server and try again.'
  return new ProblemError({ status: 0, code: 'unexpected', detail, cause })
}

async function* connectOnce({ client, jobId, signal, tail }: FollowOptions, lastId: string | null) {
  const silent = new AbortController()
  const alarm = setTimeout(() => silent.abort(), silenceMs)
  try {
    const response = await client.jobs.events(jobId, lastId, AbortSignal.any([signal, silent.signal]), tail)
    if (response.body) yield* readEvents(withSilenceTimeout(response.body, () => alarm.refresh()))
  } finally {
    clearTimeout(alarm)
    // If the consumer stops reading, close the stream so that the server stops sending.
    silent.abort()
  }
}

async function* withSilenceTimeout(
  body: AsyncIterable<Uint8Array>,
  heard: () => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    heard()
    yield chunk
  }
}

/** Broken connections and server errors are temporary. Other refusals are final. */
function isTemporary(error: unknown): boolean {
  if (error instanceof ProblemError) return error.isTemporary
  // What fetch throws when a body breaks off, and what the silence timeout throws.
  return error instanceof TypeError || (error instanceof Error && error.name === 'AbortError')
}

/**
 * Parses server-sent events. Drops an event that the end of the stream cut off: the caller resumes after the
 * previous id.
 */
export async function* readEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<EventSourceMessage> {
  const events: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (event) => events.push(event) })
  const decoder = new TextDecoder()
  for await (const chunk of bytes) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    yield* events.splice(0)
  }
}

function toJobEvent(event: string | undefined, data: string): JobEvent | null {
  if (event === 'job') return { kind: 'job', job: jobDetailSchema.parse(JSON.parse(data)) }
  if (event === 'output') return { kind: 'output', printed: toPrinted(data.split('\n')) }
  if (event === 'reset') return { kind: 'again' }
  if (event === 'end') return { kind: 'end' }
  return null
}

/** The job's output, byte for byte. Joins neighbouring records of one stream and rank into one write. */
function toPrinted(records: string[]): Printed[] {
  const printed: Printed[] = []
  let last: Printed | undefined
  for (const record of records) {
    const line = Buffer.from(record)
    const kind = kindOf(line)
    if (kind === 'truncated' || kind === 'other') continue
    const next = readPrinted(line, kind)
    if (last?.stream === next.stream && last.rank === next.rank) last.text += next.text
    else {
      last = next
      printed.push(last)
    }
  }
  return printed
}
