import type { Actor } from '../access/actor'
import { stillHolds } from '../access/still-holds'
import { readOutput, startOfTail } from '../results/result-files'
import { takeStream } from './open-streams'
import { readJobDetail } from './read'
import { isFinal } from './status'
import { watchJob } from './wait'

/**
 * A job as server-sent events:
 * - `job`: the job's detail, whenever it changed;
 * - `output`: JSONL records, one a `data:` line; its id is `attempt:byte`, from which a reader goes on;
 * - `reset`: a new attempt begins, and what was shown belongs to an earlier one;
 * - `end`: the job has ended and everything was sent.
 */

const keepAliveMs = 15_000
/** Output may ring many times a second: whether the reader may still read is asked less often. */
const askEveryMs = 2_000
const encoder = new TextEncoder()

interface Position {
  attempt: number
  byte: number
}

/** Where a reader begins: behind the last event that it saw, else so many bytes before the end, else at the start. */
export interface EventsFrom {
  lastEventId: string | null
  tail?: number | undefined
}

/** Opens the stream. */
export function jobEvents(actor: Actor, jobId: string, from: EventsFrom, signal: AbortSignal): Response {
  const leave = takeStream(actor.userId)
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

function parsePosition(lastEventId: string | null): Position {
  const match = lastEventId?.match(/^(\d{1,9}):(\d{1,15})$/)
  return match ? { attempt: Number(match[1]), byte: Number(match[2]) } : { attempt: 0, byte: 0 }
}

async function* follow(
  actor: Actor,
  jobId: string,
  from: EventsFrom,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const bell = new Bell()
  signal.addEventListener('abort', bell.ring)
  const stops = await Promise.all([watchJob(jobId, bell.ring), watchJob(jobId, bell.ring, 'output')])
  const mayRead = askingNowAndThen(actor)
  let position = parsePosition(from.lastEventId)
  let shown = ''
  let quietSince = performance.now()
  try {
    yield 'retry: 1000\n\n'
    while (!signal.aborted && (await mayRead())) {
      bell.quieten()
      const job = await readJobDetail(jobId)
      if (job.attempt !== position.attempt) {
        const tail = position.attempt === 0 ? from.tail : undefined
        if (position.attempt !== 0) yield 'event: reset\ndata: {}\n\n'
        const byte = tail === undefined ? 0 : await startOfTail(jobId, job.attempt, tail)
        position = { attempt: job.attempt, byte }
      }
      const { output_bytes: _, ...told } = job
      const detail = JSON.stringify(told)
      // Read after the status: a verdict is written after the last of the output.
      for await (const records of wholeRecords(readOutput(jobId, position.attempt, position.byte))) {
        position = { ...position, byte: position.byte + records.length }
        yield outputEvent(position, records)
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
      await bell.wait()
    }
  } finally {
    for (const stop of stops) stop()
  }
}

/** Wakes the one who waits: at once, if it rang since it was last quietened. */
class Bell {
  #rang = false
  #wake = () => {}

  readonly ring = () => {
    this.#rang = true
    this.#wake()
  }

  quieten(): void {
    this.#rang = false
  }

  async wait(): Promise<void> {
    if (this.#rang) return
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
  }
}

/** Whether the reader may still read; what was true is believed for a moment. */
function askingNowAndThen(actor: Actor): () => Promise<boolean> {
  let askedAt = performance.now()
  return async () => {
    if (performance.now() - askedAt < askEveryMs) return true
    askedAt = performance.now()
    return stillHolds(actor)
  }
}

/** Records end with a line feed each; none of them holds one, nor a carriage return. */
function outputEvent({ attempt, byte }: Position, records: Buffer): string {
  const lines = records.toString('utf8').trimEnd().replaceAll('\n', '\ndata: ')
  return `id: ${attempt}:${byte}\nevent: output\ndata: ${lines}\n\n`
}

/** Cuts what comes at the ends of records: a file is read in pieces that know nothing of them. */
async function* wholeRecords(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const part of source) {
    const bytes = rest.length === 0 ? part : Buffer.concat([rest, part])
    const end = bytes.lastIndexOf(0x0a) + 1
    if (end > 0) yield bytes.subarray(0, end)
    rest = bytes.subarray(end)
  }
}
