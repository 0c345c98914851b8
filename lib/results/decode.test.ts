import { describe, expect, it } from 'vitest'
import { ResultFormatFault } from '../contract/output/printed-output'
import { collectOutput, readRecords, toPlainText } from './decode'
import { OutputEncoder } from './encode'
import { readLines } from './lines'

const at = new Date('2026-11-20T22:36:00.123Z')
const t = at.toISOString()

function encoded(...output: ['stdout' | 'stderr', string][]): Buffer {
  const encoder = new OutputEncoder({ limitBytes: 1e9 })
  const parts = output.map(([stream, text]) => encoder.feed(stream, Buffer.from(text), at).bytes)
  return Buffer.concat([...parts, encoder.end(at).bytes])
}

async function all<Value>(source: AsyncIterable<Value>): Promise<Value[]> {
  const values: Value[] = []
  for await (const value of source) values.push(value)
  return values
}

function* inChunks(bytes: Buffer, size: number): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

describe('reading', () => {
  it('finds the same records for any chunk boundaries', async () => {
    const stored = encoded(['stdout', 'one\n{"a": "ž😀"}\nend'], ['stderr', 'oops\n'])
    const expected = await all(readRecords(stored))
    expect(expected.map((record) => record.type)).toEqual(['stdout', 'result', 'stdout', 'stderr'])
    for (const size of [1, 2, 7, 64]) expect(await all(readRecords(inChunks(stored, size)))).toEqual(expected)
  })

  it('accepts any byte arrays, not only buffers', async () => {
    const bytes = new Uint8Array([...encoded(['stdout', 'x\n'])])
    expect(await all(readRecords([bytes]))).toMatchObject([{ text: 'x' }])
  })

  it.each([
    ['text that is not JSON', 'nonsense\n'],
    ['a record of unknown shape', '{"type":"stdout","t":1}\n'],
    ['a truncated last line', `{"type":"stdout","t":"${t}","te`],
  ])('refuses %s', async (_, stored) => {
    await expect(all(readRecords(Buffer.from(stored)))).rejects.toThrow(ResultFormatFault)
  })

  it('refuses a line longer than any record before it fills the memory', async () => {
    let read = 0
    function* endless() {
      for (; read < 100; read++) yield Buffer.alloc(1 << 20, 'x')
    }
    await expect(all(readLines(endless()))).rejects.toThrow(ResultFormatFault)
    expect(read).toBeLessThan(70)
  })
})

describe('collecting', () => {
  it('restores both streams and lists the results', async () => {
    const stored = encoded(['stdout', 'start\n{"a":  1.0}\n'], ['stderr', 'warn\r\n'], ['stdout', '[2]'])
    expect(await collectOutput(stored, { maxBytes: 1e6 })).toEqual({
      stdout: 'start\n{"a":  1.0}\n[2]',
      stderr: 'warn\r\n',
      results: ['{"a":  1.0}', '[2]'],
      truncated: false,
    })
  })

  it('ignores records that are not output, whatever they contain', async () => {
    const stored = Buffer.concat([
      Buffer.from('{"type":"job","t":"x","name":"{\\"type\\":\\"truncated\\",\\"text\\":\\"no\\"}"}\n'),
      encoded(['stdout', 'yes\n']),
      Buffer.from('{"type":"exit","t":"x"}\n'),
    ])
    expect(await collectOutput(stored, { maxBytes: 1e6 })).toMatchObject({
      stdout: 'yes\n',
      truncated: false,
    })
  })

  it('returns a result verbatim even if it looks like a record', async () => {
    const line = '{"type":"result","data":{"data":1},"eol":false}'
    const { stdout, results } = await collectOutput(encoded(['stdout', `${line}\n`]), { maxBytes: 1e6 })
    expect(stdout).toBe(`${line}\n`)
    expect(results).toEqual([line])
  })

  it('truncates each stream at a character and sets the flag', async () => {
    const stored = encoded(['stdout', 'žluť\n'], ['stderr', 'ok\n'])
    const cutTo = (maxBytes: number) => collectOutput(stored, { maxBytes })
    expect(await cutTo(5)).toMatchObject({ stdout: 'žlu', stderr: 'ok\n', truncated: true })
    expect(await cutTo(6)).toMatchObject({ stdout: 'žluť', truncated: true })
    expect(await cutTo(7)).toMatchObject({ stdout: 'žluť\n', truncated: false })
  })

  it('keeps as many complete results as fit', async () => {
    const stored = encoded(['stdout', '{"a":1}\n{"b":2}\n[]\n'])
    const { results, truncated } = await collectOutput(stored, { maxBytes: 15 })
    expect(results).toEqual(['{"a":1}', '{"b":2}'])
    expect(truncated).toBe(true)
  })

  it('sets the flag if the limit truncated the output during the run', async () => {
    const encoder = new OutputEncoder({ limitBytes: 100 })
    const stored = [encoder.feed('stdout', Buffer.from('a\n'.repeat(20)), at).bytes, encoder.end(at).bytes]
    expect(await collectOutput(stored, { maxBytes: 1e6 })).toMatchObject({ stdout: 'a\n', truncated: true })
  })

  it('stops reading when nothing more would be kept', async () => {
    let read = 0
    const one = encoded(['stdout', '{"a":1}\n'], ['stderr', 'err err err\n'])
    function* endless() {
      for (; read < 100; read++) yield one
    }
    await collectOutput(endless(), { maxBytes: 10 })
    expect(read).toBeLessThan(10)
  })
})

describe('plain text', () => {
  const stored = encoded(['stdout', 'a\n'], ['stderr', 'b\n'], ['stdout', '{"c":  1}\nd'])

  it('contains both streams in the order they were printed', async () => {
    expect(Buffer.concat(await all(toPlainText(stored))).toString()).toBe('a\nb\n{"c":  1}\nd')
  })

  it('can be limited to one stream', async () => {
    expect(Buffer.concat(await all(toPlainText(stored, ['stderr']))).toString()).toBe('b\n')
  })
})
