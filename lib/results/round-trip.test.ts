import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { collectOutput, readRecords, toPlainText } from './decode'
import { type EncoderState, OutputEncoder } from './encode'

/** Difficult output: split characters, JSON, carriage returns, separators, invalid bytes. */
const token = fc.oneof(
  fc.constantFrom(
    '\n',
    '\r',
    '\r\n',
    '{',
    '}',
    '{"a":1}\n',
    '["x", 2 ]\n',
    '[NaN, -Infinity]\n',
    '{"a":1}\r\n',
    '{"a":',
    '"',
    '\\',
    '\0',
    ' ',
    '\u2028',
  ),
  fc.constantFrom('Traceback (most recent call last):\n', '  File "a.py", line 1\n', 'ValueError: x\n'),
  fc.constantFrom('plain text ', 'žluť', '😀', '\ufffd', '\x85', '[INFO] '),
)
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.array(token, { maxLength: 8 }).map((tokens) => Buffer.from(tokens.join(''))) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom([0xe2], [0x82], [0xac], [0xf0, 0x9f], [0x98, 0x80], [0xed, 0xa0, 0x80], [0xc0])
      .map((bytes) => Buffer.from(bytes)),
  },
)
const stream = fc.constantFrom('stdout' as const, 'stderr' as const)
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('feed' as const), stream, bytes: piece }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('flush' as const), wait: fc.constantFrom(0, 50, 150, 2000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('restart' as const), seed: fc.integer({ min: 1, max: 7 }) }),
  },
)

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

async function all<Value>(source: AsyncIterable<Value>): Promise<Value[]> {
  const values: Value[] = []
  for await (const value of source) values.push(value)
  return values
}

/** One run of a task: its output, and what was stored through all flushes and restarts. */
class Run {
  readonly written = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) }
  readonly stored: Buffer[] = []
  #encoder: OutputEncoder
  #clock = Date.UTC(2026, 10, 20)

  constructor(readonly limitBytes: number) {
    this.#encoder = new OutputEncoder({ limitBytes })
  }

  #now(): Date {
    return new Date(this.#clock)
  }

  feed(name: 'stdout' | 'stderr', bytes: Buffer): void {
    this.written[name] = Buffer.concat([this.written[name], bytes])
    this.stored.push(this.#encoder.feed(name, bytes, this.#now()).bytes)
  }

  flush(wait: number): void {
    this.#clock += wait
    this.stored.push(this.#encoder.flush(this.#now()).bytes)
  }

  /** Simulates a restart: another process replays all output in chunks of a different size. */
  restart(chunk: number): EncoderState {
    const resume = this.#encoder.state
    this.#encoder = new OutputEncoder({ limitBytes: this.limitBytes, resume })
    for (const name of ['stdout', 'stderr'] as const) {
      for (let at = 0; at < this.written[name].length; at += chunk) {
        const bytes = this.written[name].subarray(at, at + chunk)
        this.stored.push(this.#encoder.feed(name, bytes, this.#now()).bytes)
      }
    }
    return resume
  }

  end(): Buffer {
    this.stored.push(this.#encoder.end(this.#now()).bytes)
    return Buffer.concat(this.stored)
  }
}

async function plain(stored: Buffer, name: 'stdout' | 'stderr'): Promise<string> {
  return (await all(toPlainText(stored, [name]))).join('')
}

function play(run: Run, steps: Step[]): Buffer {
  for (const next of steps) {
    if (next.do === 'feed') run.feed(next.stream, next.bytes)
    else if (next.do === 'flush') run.flush(next.wait)
    else run.restart(next.seed)
  }
  return run.end()
}

describe('output with arbitrary splits, flushes and restarts', () => {
  it('is restored exactly', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const run = new Run(Number.MAX_SAFE_INTEGER)
        const stored = play(run, steps)
        expect(await plain(stored, 'stdout')).toBe(run.written.stdout.toString())
        expect(await plain(stored, 'stderr')).toBe(run.written.stderr.toString())
        const collected = await collectOutput(stored, { maxBytes: 1e9 })
        expect(collected.stdout).toBe(run.written.stdout.toString())
        expect(collected.truncated).toBe(false)
      }),
      { numRuns: 1500 },
    )
  })

  it('consists of valid records, one per line for every kind of reader', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const stored = play(new Run(Number.MAX_SAFE_INTEGER), steps)
        const records = await all(readRecords(stored))
        const pythonLines = stored.toString().split(/\r\n|[\n\r\v\f\x85\u2028\u2029]/)
        expect(pythonLines.filter((line) => line !== '')).toHaveLength(records.length)
      }),
      { numRuns: 500 },
    )
  })

  it('output with arbitrary splits, flushes and restarts under a limit is a prefix of each stream, and every byte is stored or counted', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.integer({ min: 1, max: 1500 }),
        async (steps, limit) => {
          const run = new Run(limit)
          const stored = play(run, steps)
          const records = await all(readRecords(stored))
          const dropped = records.find((record) => record.type === 'truncated')
          for (const name of ['stdout', 'stderr'] as const) {
            expect(run.written[name].toString().startsWith(await plain(stored, name))).toBe(true)
          }
          const { consumed, encodedBytes } = run.restart(64)
          const total = run.written.stdout.length + run.written.stderr.length
          const missing = dropped?.type === 'truncated' ? dropped.dropped_bytes : 0
          expect(consumed.stdout + consumed.stderr + missing).toBe(total)
          expect(encodedBytes).toBeLessThanOrEqual(limit)
        },
      ),
      { numRuns: 500 },
    )
  })
})
