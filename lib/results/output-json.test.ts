import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { collectOutput } from './decode'
import { OutputEncoder } from './encode'
import { outputJson } from './output-json'

const at = new Date('2026-11-20T22:36:00.123Z')

function encoded(output: readonly (readonly ['stdout' | 'stderr', string])[], limitBytes = 1e9): Buffer {
  const encoder = new OutputEncoder({ limitBytes })
  const parts = output.map(([stream, text]) => encoder.feed(stream, Buffer.from(text), at).bytes)
  return Buffer.concat([...parts, encoder.end(at).bytes])
}

function* inChunks(bytes: Buffer, size: number): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

async function written(stored: Buffer, maxBytes: number, size = 64 * 1024): Promise<string> {
  let json = ''
  for await (const piece of outputJson(() => inChunks(stored, size), maxBytes)) json += piece
  return `{${json}}`
}

const lines = fc.constantFrom(
  'a line\n',
  '{"a": 1}\n',
  '[1, 2, "ž😀"]\n',
  '{"type":"truncated","data":"\\u0000"}\n',
  '"quotes" and \\ and \u001b[31mred\n',
  'ž😀\u2028\n',
  'no end',
  '\n',
)

describe('output as JSON', () => {
  it('is what collecting it gives, for any output, limit and chunks', async () => {
    const output = fc.array(fc.tuple(fc.constantFrom('stdout', 'stderr'), lines), { maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(
        output,
        fc.nat(80),
        fc.integer({ min: 1, max: 300 }),
        async (printed, maxBytes, size) => {
          const stored = encoded(printed, 200)
          const collected = await collectOutput(stored, { maxBytes })
          const results = collected.results.map((json) => JSON.parse(json))
          expect(JSON.parse(await written(stored, maxBytes, size))).toEqual({ ...collected, results })
        },
      ),
    )
  })

  it('has results byte for byte', async () => {
    const result = '{"n":  12345678901234567890, "x": 1.0, "x": 1e400}'
    expect(await written(encoded([['stdout', `${result}\n`]]), 1000)).toContain(`"results":[${result}]`)
  })

  it('has results that are larger than what is kept of them, and leaves out those that do not fit', async () => {
    const large = JSON.stringify({ text: 'ž😀'.repeat(300_000) })
    const stored = encoded([
      ['stdout', '[1]\n'],
      ['stdout', `${large}\n`],
      ['stdout', '[2]\n'],
    ])
    const size = Buffer.byteLength(large)
    const all = JSON.parse(await written(stored, size + 100, 99_999))
    expect(all).toMatchObject({ truncated: false, stdout: `[1]\n${large}\n[2]\n` })
    expect(all.results).toEqual([[1], JSON.parse(large), [2]])
    const cut = JSON.parse(await written(stored, size, 99_999))
    expect(cut).toMatchObject({ truncated: true, results: [[1]] })
    expect(cut.stdout).toBe(`[1]\n${large}\n`.slice(0, cut.stdout.length))
  })

  it('stops reading each field when nothing more would be kept', async () => {
    let read = 0
    const one = encoded([
      ['stdout', '{"a":1}\n'],
      ['stderr', 'err err err\n'],
    ])
    function* endless() {
      for (; read < 100; read++) yield one
    }
    for await (const _ of outputJson(endless, 10));
    expect(read).toBeLessThan(30)
  })
})
