import type { Actor } from '../access/actor'
import { GpuqError } from '../errors'
import { readOutput } from '../results/result-files'
import { readJobDetail } from './read'
import { activeStatuses } from './status'
import { watchJob } from './wait'

/**
 * A job as server-sent events:
 * - `job`: the job's detail, whenever it changed;
 * - `output`: JSONL records, one a `data:` line; its id is `attempt:byte`, from which a reader goes on;
 * - `reset`: a new attempt begins, and what was shown belongs to an earlier one;
 * - `end`: the job has ended and everything was sent.
 */

/** Open streams of one user: enough for many tabs, too few to fill the server up. */
const streamsPerUser = 32
const keepAliveMs = 15_000
const encoder = new TextEncoder()

const shared = globalThis as typeof globalThis & { gpuqStreams?: Map<string, number> }
shared.gpuqStreams ??= new Map()
const open = shared.gpuqStreams

interface Position {
  attempt: number
  byte: number
}

/** Opens the stream, from the beginning or from the last event that the reader saw. */
export function jobEvents(
  actor: Actor,
  jobId: string,
  lastEventId: string | null,
  signal: AbortSignal,
): Response {
  const count = open.get(actor.userId) ?? 0
  if (count >= streamsPerUser) {
    throw new GpuqError(
      'rate_limited',
      `You have ${count} live pages open, which is the most. Close some of them.`,
      {
        headers: { 'retry-after': '10' },
      },
    )
  }
  open.set(actor.userId, count + 1)
  const ended = new AbortController()
  const over = AbortSignal.any([signal, ended.signal])
  let events: AsyncGenerator<string> | undefined
  let closed = false
  const close = () => {
    if (closed) return
    closed = true
    ended.abort()
    open.set(actor.userId, (open.get(actor.userId) ?? 1) - 1)
  }
  signal.addEventListener('abort', close)
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      events ??= follow(jobId, parsePosition(lastEventId), over)
      const next = await events.next().catch(() => ({ done: true as const, value: undefined }))
      if (!next.done) return controller.enqueue(encoder.encode(next.value))
      close()
      controller.close()
    },
    async cancel() {
      close()
    },
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

async function* follow(jobId: string, from: Position, signal: AbortSignal): AsyncGenerator<string> {
  let ring = () => {}
  let changed = true
  const onChange = () => {
    changed = true
    ring()
  }
  const stops = await Promise.all([watchJob(jobId, onChange), watchJob(jobId, onChange, 'output')])
  signal.addEventListener('abort', () => ring())
  let position = from
  let shown = ''
  let quietSince = performance.now()
  yield 'retry: 1000\n\n'
  try {
    while (!signal.aborted) {
      changed = false
      const job = await readJobDetail(jobId)
      if (job.attempt !== position.attempt) {
        if (position.attempt !== 0) yield 'event: reset\ndata: {}\n\n'
        position = { attempt: job.attempt, byte: 0 }
      }
      const { output_bytes: _, ...told } = job
      const detail = JSON.stringify(told)
      const ended = !(activeStatuses as readonly string[]).includes(job.status)
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
      if (ended) {
        yield 'event: end\ndata: {}\n\n'
        return
      }
      if (performance.now() - quietSince > keepAliveMs) {
        yield ': still here\n\n'
        quietSince = performance.now()
      }
      if (!changed && !signal.aborted) {
        await new Promise<void>((resolve) => {
          ring = resolve
        })
      }
    }
  } finally {
    for (const stop of stops) stop()
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
