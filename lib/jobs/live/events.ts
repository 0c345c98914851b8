import type { Actor } from '../../access/actor'
import { cachedCheck } from '../../access/credential-validity'
import { ChangeSignal } from '../../async/change-signal'
import { takeSlot } from '../../async/concurrency-limit'
import { rateLimited } from '../../contract/errors'
import type { JobDetail } from '../../contract/jobs'
import { isFinal } from '../../contract/status'
import { traceStep } from '../../logger'
import { OutputReader } from '../../results/reading/output-reader'
import { type RankOutput, tailOffsets } from '../../results/reading/read-chunks'
import { readNewRanks, readRanks } from '../../results/reading/read-output'
import { shortenRecords } from '../../results/shorten-records'
import type { VisibleJob } from '../read/job-visibility'
import { readJobDetail } from '../read/read'
import { pollIntervalMs, watchJob } from './wait'

/**
 * A job as server-sent events:
 * - `job`: the job's detail, after each change;
 * - `output`: JSONL records of one task, one in each `data:` line. The id is the position from which a reader continues:
 *   `attempt:byte`, or for several ranks `attempt:byte,byte`;
 * - `reset`: a new attempt starts; the output so far belongs to an earlier one;
 * - `end`: the job has ended and everything was sent.
 */

/** Open streams of one user: enough for many tabs, and too few to overload the server. */
const streamsPerUser = 32
const keepAliveMs = 15_000
const encoder = new TextEncoder()

interface Position {
  attempt: number
  /** The next byte of each rank's output; 0 for a missing rank. */
  bytes: readonly number[]
}

/** Where a reader starts: after its last event, otherwise `tail` bytes before the end, otherwise at the start. */
interface EventsFrom {
  lastEventId: string | null
  tail?: number | undefined
  /** Sends only the start of larger results; default: all of them. */
  maxRecordBytes?: number | undefined
}

/** The reader of a stream. */
export interface EventsReader {
  /** Whose turns of reading output it uses. */
  owner: string
  restriction: Actor['restriction']
  /** Repeated while the stream is open. The stream ends when it returns false. */
  mayRead: () => Promise<boolean>
  /** What the reader may see of the job. */
  show: (job: JobDetail) => unknown
  /** What the reader may see of complete records; default: all of them. */
  records?: (records: Buffer) => Buffer
  /** Called once, when the stream has ended. */
  release: () => void
  /** The event of a stream that ends because the reader may no longer read; default: none. */
  closed?: string
}

/** Opens the stream for a user. @throws 429 if the user has too many. */
export function jobEvents(actor: Actor, job: VisibleJob, from: EventsFrom, signal: AbortSignal): Response {
  const release = takeSlot(`streams of ${actor.userId}`, streamsPerUser)
  if (!release) {
    const message = `You have ${streamsPerUser} live pages open, which is the limit. Close some of them.`
    throw rateLimited(message, 10)
  }
  const mayRead = cachedCheck(job.mayRead)
  return streamEvents(
    { owner: actor.userId, restriction: actor.restriction, mayRead, show: (detail) => detail, release },
    job.id,
    from,
    signal,
  )
}

/** Opens the stream for a reader whose right to read the job was checked. */
export function streamEvents(
  reader: EventsReader,
  jobId: string,
  from: EventsFrom,
  signal: AbortSignal,
): Response {
  const ended = new AbortController()
  const events = follow(reader, jobId, from, AbortSignal.any([signal, ended.signal]))
  const close = () => {
    reader.release()
    ended.abort()
    // Without this, an abandoned stream would keep its listeners and its open file forever.
    events.return(undefined).catch(() => undefined)
  }
  signal.addEventListener('abort', close)
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await events.next().catch(() => ({ done: true as const, value: undefined }))
      if (!next.done) return controller.enqueue(encoder.encode(next.value))
      close()
      controller.close()
    },
    cancel: close,
  })
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    },
  })
}

/** Parses the position of a reader's last event. An id that gpuq did not create means the start. */
export function parsePosition(lastEventId: string | null): Position {
  const match = lastEventId?.match(/^(\d{1,9}):(\d{1,15}(?:,\d{1,15}){0,63})$/)
  if (!match) return { attempt: 0, bytes: [] }
  return { attempt: Number(match[1]), bytes: (match[2] ?? '').split(',').map(Number) }
}

/** Returns the position after a piece of one rank's output. */
export function advance({ attempt, bytes }: Position, { rank, records }: RankOutput): Position {
  const next = Array.from({ length: Math.max(bytes.length, rank + 1) }, (_, of) => bytes[of] ?? 0)
  next[rank] = (next[rank] ?? 0) + records.length
  return { attempt, bytes: next }
}

async function* follow(
  reader: EventsReader,
  jobId: string,
  from: EventsFrom,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const change = new ChangeSignal(signal)
  let jobChanged = true
  const onJobChange = () => {
    jobChanged = true
    change.notify()
  }
  const readAgain = () => {
    jobChanged = false
    return readJobDetail(jobId, reader.restriction)
  }
  const stops = await Promise.all([watchJob(jobId, onJobChange), watchJob(jobId, change.notify, 'output')])
  let position = parsePosition(from.lastEventId)
  let shown = ''
  const hasChanged = ({ output_bytes: _, metrics: __, ...compared }: JobDetail) => {
    const before = shown
    shown = JSON.stringify(compared)
    return shown !== before
  }
  let quietSince = performance.now()
  try {
    yield 'retry: 1000\n\n'
    while (!signal.aborted && (await reader.mayRead())) {
      // New output alone is sent without reading the job, which takes longer.
      const job = jobChanged ? await readAgain() : null
      if (job !== null && job.attempt !== position.attempt) {
        const tail = position.attempt === 0 ? from.tail : undefined
        if (position.attempt !== 0) yield 'event: reset\ndata: {}\n\n'
        const bytes = tail === undefined ? [] : await tailOffsets(jobId, job.attempt, tail)
        position = { attempt: job.attempt, bytes }
      }
      // The output is read after the status, because the final status is written after the last output.
      const readNew = job === null ? readNewRanks : readRanks
      // A reader of its own, so that a little new output waits for no turn, however much was read before.
      const outputReader = new OutputReader(reader.owner, signal)
      for await (const piece of wholeRecords(
        readNew(outputReader, jobId, position.attempt, position.bytes),
      )) {
        position = advance(position, piece)
        if (!(await reader.mayRead())) return yield* closedEvents(reader)
        const records = reader.records?.(piece.records) ?? piece.records
        if (records.length === 0) continue
        traceStep('event', jobId)
        yield outputEvent(position, shortenRecords(records, from.maxRecordBytes ?? Number.POSITIVE_INFINITY))
        quietSince = performance.now()
      }
      if (job !== null && hasChanged(job)) {
        yield `event: job\ndata: ${JSON.stringify(reader.show(job))}\n\n`
        quietSince = performance.now()
      }
      if (job !== null && isFinal(job.status)) return yield 'event: end\ndata: {}\n\n'
      if (performance.now() - quietSince > keepAliveMs) {
        yield ': keep-alive\n\n'
        quietSince = performance.now()
      }
      if (!(await change.wait(pollIntervalMs))) jobChanged = true
    }
    if (!signal.aborted) yield* closedEvents(reader)
  } finally {
    for (const stop of stops) stop()
  }
}

function* closedEvents({ closed }: EventsReader): Generator<string, void> {
  if (closed !== undefined) yield closed
}

/** Each record ends with a line feed, and contains neither a line feed nor a carriage return. */
function outputEvent({ attempt, bytes }: Position, records: Buffer): string {
  const lines = records.toString('utf8').trimEnd().replaceAll('\n', '\ndata: ')
  return `id: ${attempt}:${bytes.join(',')}\nevent: output\ndata: ${lines}\n\n`
}

/** Splits output at the ends of records: the chunks of a file have arbitrary boundaries. */
async function* wholeRecords(source: AsyncIterable<RankOutput>): AsyncGenerator<RankOutput> {
  // The output of each rank ends with a complete record, so nothing remains when the next rank starts.
  let begun: Buffer[] = []
  for await (const { rank, records } of source) {
    const end = records.lastIndexOf(0x0a) + 1
    if (end > 0) {
      yield { rank, records: Buffer.concat([...begun, records.subarray(0, end)]) }
      begun = []
    }
    if (end < records.length) begun.push(records.subarray(end))
  }
}
