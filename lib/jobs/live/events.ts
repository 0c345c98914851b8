import type { Actor } from '../../access/actor'
import { isCredentialValid } from '../../access/credential-validity'
import { ChangeSignal } from '../../async/change-signal'
import { takeSlot } from '../../async/concurrency-limit'
import { GpuqError } from '../../contract/errors'
import { isFinal } from '../../contract/status'
import { type RankOutput, readRanks, tailOffsets } from '../../results/read-output'
import { readJobDetail } from '../read/read'
import { lookEveryMs, watchJob } from './wait'

/**
 * A job as server-sent events:
 * - `job`: the job's detail, whenever it changed;
 * - `output`: JSONL records of one task, one a `data:` line; its id is `attempt:byte`, from which a reader goes on; for a
 *   job over several nodes it has a byte for each rank, as `attempt:byte,byte`;
 * - `reset`: a new attempt begins, and what was shown belongs to an earlier one;
 * - `end`: the job has ended and everything was sent.
 */

/** Open streams of one user: enough for many tabs, too few to overload the server. */
const streamsPerUser = 32
const keepAliveMs = 15_000
/** Output may ring many times a second: whether the reader may still read is asked less often. */
const askEveryMs = 2_000
const encoder = new TextEncoder()

interface Position {
  attempt: number
  /** Of each rank's output; a rank that is missing here is read from its beginning. */
  bytes: readonly number[]
}

/** Where a reader begins: behind the last event that it saw, else so many bytes before the end, else at the start. */
interface EventsFrom {
  lastEventId: string | null
  tail?: number | undefined
}

/**
 * Opens the stream.
 * @throws 429 when the user has too many open.
 */
export function jobEvents(actor: Actor, jobId: string, from: EventsFrom, signal: AbortSignal): Response {
  const leave = takeSlot(`streams of ${actor.userId}`, streamsPerUser)
  if (!leave) throw tooManyStreams()
  const ended = new AbortController()
  const events = follow(actor, jobId, from, AbortSignal.any([signal, ended.signal]))
  const close = () => {
    leave()
    ended.abort()
    // A stream that nobody reads from any more would keep its listeners and its open file for ever.
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

/** Where a reader's last event left it. Anything else than what gpuq itself gave out is the beginning. */
export function parsePosition(lastEventId: string | null): Position {
  const match = lastEventId?.match(/^(\d{1,9}):(\d{1,15}(?:,\d{1,15}){0,63})$/)
  if (!match) return { attempt: 0, bytes: [] }
  return { attempt: Number(match[1]), bytes: (match[2] ?? '').split(',').map(Number) }
}

/** The position behind a piece of one rank's output. */
export function advance({ attempt, bytes }: Position, { rank, records }: RankOutput): Position {
  const next = Array.from({ length: Math.max(bytes.length, rank + 1) }, (_, of) => bytes[of] ?? 0)
  next[rank] = (next[rank] ?? 0) + records.length
  return { attempt, bytes: next }
}

async function* follow(
  actor: Actor,
  jobId: string,
  from: EventsFrom,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const change = new ChangeSignal(signal)
  const stops = await Promise.all([watchJob(jobId, change.notify), watchJob(jobId, change.notify, 'output')])
  const mayRead = askingNowAndThen(actor)
  let position = parsePosition(from.lastEventId)
  let shown = ''
  let quietSince = performance.now()
  try {
    yield 'retry: 1000\n\n'
    while (!signal.aborted && (await mayRead())) {
      const job = await readJobDetail(jobId)
      if (job.attempt !== position.attempt) {
        const tail = position.attempt === 0 ? from.tail : undefined
        if (position.attempt !== 0) yield 'event: reset\ndata: {}\n\n'
        const bytes = tail === undefined ? [] : await tailOffsets(jobId, job.attempt, tail)
        position = { attempt: job.attempt, bytes }
      }
      const { output_bytes: _, ...told } = job
      const detail = JSON.stringify(told)
      // Read after the status: a verdict is written after the last of the output.
      for await (const piece of wholeRecords(readRanks(jobId, position.attempt, position.bytes))) {
        position = advance(position, piece)
        yield outputEvent(position, piece.records)
        quietSince = performance.now()
      }
      if (detail !== shown) {
        shown = detail
        yield `event: job\ndata: ${JSON.stringify(job)}\n\n`
        quietSince = performance.now()
      }
      if (isFinal(job.status)) return yield 'event: end\ndata: {}\n\n'
      if (performance.now() - quietSince > keepAliveMs) {
        yield ': still here\n\n'
        quietSince = performance.now()
      }
      await change.wait(lookEveryMs)
    }
  } finally {
    for (const stop of stops) stop()
  }
}

function tooManyStreams(): GpuqError {
  const message = `You have ${streamsPerUser} live pages open, which is the most. Close some of them.`
  return new GpuqError('rate_limited', message, { headers: { 'retry-after': '10' } })
}

/** Whether the reader may still read; what was true is believed for a moment. */
function askingNowAndThen(actor: Actor): () => Promise<boolean> {
  let askedAt = performance.now()
  return async () => {
    if (performance.now() - askedAt < askEveryMs) return true
    askedAt = performance.now()
    return isCredentialValid(actor)
  }
}

/** Records end with a line feed each; none of them holds one, nor a carriage return. */
function outputEvent({ attempt, bytes }: Position, records: Buffer): string {
  const lines = records.toString('utf8').trimEnd().replaceAll('\n', '\ndata: ')
  return `id: ${attempt}:${bytes.join(',')}\nevent: output\ndata: ${lines}\n\n`
}

/** Cuts what comes at the ends of records: a file is read in pieces that know nothing of them. */
async function* wholeRecords(source: AsyncIterable<RankOutput>): AsyncGenerator<RankOutput> {
  // A rank's output ends with a record's end, so nothing is left over where the next one's begins.
  let rest: Buffer = Buffer.alloc(0)
  for await (const { rank, records } of source) {
    const bytes = rest.length === 0 ? records : Buffer.concat([rest, records])
    const end = bytes.lastIndexOf(0x0a) + 1
    if (end > 0) yield { rank, records: bytes.subarray(0, end) }
    rest = bytes.subarray(end)
  }
}
