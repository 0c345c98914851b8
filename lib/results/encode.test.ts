import { describe, expect, it } from 'vitest'
import { readPrinted } from '../contract/output/printed-output'
import { recordSchema } from '../contract/output/records'
import { collectOutput } from './decode'
import { type EncodedOutput, OutputEncoder } from './encode'

const at = new Date('2026-11-20T22:36:00.123Z')
const t = at.toISOString()
const later = (ms: number) => new Date(at.getTime() + ms)
const bytes = (text: string) => Buffer.from(text)
const unlimited = () => new OutputEncoder({ limitBytes: Number.MAX_SAFE_INTEGER })

function recordsOf(...outputs: EncodedOutput[]) {
  const text = Buffer.concat(outputs.map((output) => output.bytes)).toString()
  expect(text === '' || text.endsWith('\n')).toBe(true)
  const records = text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
  for (const record of records) expect(recordSchema.safeParse(record).error).toBeUndefined()
  expect(outputs.reduce((sum, output) => sum + output.records, 0)).toBe(records.length)
  return records
}

describe('lines', () => {
  it('become one record each as soon as they are complete', () => {
    const encoder = unlimited()
    expect(recordsOf(encoder.feed('stdout', bytes('one\ntw'), at))).toEqual([
      { type: 'stdout', t, text: 'one' },
    ])
    expect(recordsOf(encoder.feed('stdout', bytes('o\n\n'), at))).toEqual([
      { type: 'stdout', t, text: 'two' },
      { type: 'stdout', t, text: '' },
    ])
    expect(recordsOf(encoder.feed('stderr', bytes('oops\n'), at))).toEqual([
      { type: 'stderr', t, text: 'oops' },
    ])
  })

  it('appear before their end when flushed, so that progress bars move', () => {
    const encoder = unlimited()
    expect(recordsOf(encoder.feed('stderr', bytes('\r10%'), at))).toEqual([])
    expect(recordsOf(encoder.flush(at))).toEqual([{ type: 'stderr', t, text: '\r10%', eol: false }])
    expect(recordsOf(encoder.flush(at))).toEqual([])
    expect(recordsOf(encoder.feed('stderr', bytes('\r20%\n'), at))).toEqual([
      { type: 'stderr', t, text: '\r20%' },
    ])
  })

  it('longer than 64 KiB continue in the next record, without splitting a character', () => {
    const line = `${'x'.repeat(65_535)}${'😀'.repeat(40_000)}`
    const records = recordsOf(unlimited().feed('stdout', bytes(`${line}\n`), at))
    expect(records.map((record) => record.eol)).toEqual([false, false, undefined])
    expect(records.map((record) => record.text).join('')).toBe(line)
    for (const { text } of records) expect(text.isWellFormed()).toBe(true)
  })

  it('lines without an end do not accumulate in memory', () => {
    const encoder = unlimited()
    const [record] = recordsOf(encoder.feed('stdout', bytes('x'.repeat(64 * 1024)), at))
    expect(record).toMatchObject({ eol: false })
    expect(encoder.state.consumed.stdout).toBe(64 * 1024)
  })

  it('carry the rank of their task', () => {
    const encoder = new OutputEncoder({ limitBytes: 1000, rank: 3 })
    const records = recordsOf(encoder.feed('stdout', bytes('a\n{"b":1}\n'), at))
    expect(records).toEqual([
      { type: 'stdout', t, rank: 3, text: 'a' },
      { type: 'result', t, rank: 3, data: { b: 1 } },
    ])
  })
})

describe('pending output', () => {
  it('is reported, so that nobody flushes without need', () => {
    const encoder = unlimited()
    encoder.feed('stdout', bytes('line\n'), at)
    expect(encoder.holdsOutput).toBe(false)
    encoder.feed('stdout', bytes('{"half'), at)
    encoder.feed('stderr', bytes('half'), at)
    encoder.flush(at)
    expect(encoder.holdsOutput).toBe(true)
    encoder.flush(later(1000))
    expect(encoder.holdsOutput).toBe(false)
    encoder.feed('stdout', Buffer.from([0xe2]), at)
    expect(encoder.holdsOutput).toBe(false)
  })
})

describe('bytes', () => {
  it('bytes of one character may arrive separately', () => {
    const encoder = unlimited()
    const euro = bytes('€')
    encoder.feed('stdout', euro.subarray(0, 1), at)
    expect(recordsOf(encoder.flush(at))).toEqual([])
    expect(encoder.state.consumed.stdout).toBe(0)
    encoder.feed('stdout', euro.subarray(1), at)
    expect(recordsOf(encoder.flush(at))).toEqual([{ type: 'stdout', t, text: '€', eol: false }])
  })

  it('bytes that are not UTF-8 are replaced and counted', () => {
    const encoder = unlimited()
    const records = recordsOf(
      encoder.feed('stdout', Buffer.from([0x61, 0xff, 0xfe, 0x62, 0xef, 0xbf, 0xbd, 0x0a, 0x63, 0x0a]), at),
    )
    expect(records).toEqual([
      { type: 'stdout', t, text: 'a\ufffd\ufffdb\ufffd', replaced: 2 },
      { type: 'stdout', t, text: 'c' },
    ])
    expect(encoder.replacedBytes).toBe(2)
  })

  it('bytes of an incomplete character are replaced when the stream ends', () => {
    const encoder = unlimited()
    encoder.feed('stdout', Buffer.from([0xf0, 0x9f, 0x98]), at)
    expect(recordsOf(encoder.end(at))).toEqual([
      { type: 'stdout', t, text: '\ufffd', eol: false, replaced: 3 },
    ])
  })

  it('bytes of every control character and separator are kept, and none ends a line for any reader', () => {
    const nasty = `\0\x01\x0b\x0c\r\x1b[31m\x1c\x1d\x1e\x7f\x85\u2028\u2029"\\`
    const { bytes: encoded } = unlimited().feed('stdout', bytes(`${nasty}\n`), at)
    expect(JSON.parse(encoded.toString()).text).toBe(nasty)
    expect(encoded.toString().trimEnd()).not.toMatch(/[\r\n\v\f\x85\u2028\u2029]/)
  })
})

describe('the order of both streams', () => {
  /** Feeds pieces such as `out:text` and `err:text`, and returns the records in the same form. */
  function order(encoder: OutputEncoder, ...pieces: string[]): string[] {
    return formOf(...pieces.map((piece) => feedPiece(encoder, piece)))
  }
  const feedPiece = (encoder: OutputEncoder, piece: string) =>
    encoder.feed(piece.startsWith('err:') ? 'stderr' : 'stdout', bytes(piece.slice(4)), at)
  const formOf = (...outputs: EncodedOutput[]) =>
    recordsOf(...outputs).map(({ type, text, data }) =>
      type === 'result' ? `out:${JSON.stringify(data)}` : `${type.slice(3)}:${text}`,
    )

  it('is that of the beginnings of their lines, although a program writes a line in parts', () => {
    const encoder = unlimited()
    expect(order(encoder, 'out:a', 'err:b', 'out:\n', 'err:\nc\n', 'out:d\n')).toEqual([
      'out:a',
      'err:b',
      'err:c',
      'out:d',
    ])
    expect(encoder.holdsOutput).toBe(false)
  })

  it('keeps the rest of an output behind what waited for its first line', () => {
    const encoder = unlimited()
    expect(order(encoder, 'out:a', 'err:b\n', 'out:1\nc\nd', 'err:e\n', 'out:2\n')).toEqual([
      'out:a1',
      'err:b',
      'out:c',
      'out:d2',
      'err:e',
    ])
  })

  it('is kept by a flush, which records unfinished lines', () => {
    const encoder = unlimited()
    expect(order(encoder, 'err:progress', 'out:done\nhalf')).toEqual([])
    expect(encoder.holdsOutput).toBe(true)
    expect(formOf(encoder.flush(at))).toEqual(['err:progress', 'out:done', 'out:half'])
    expect(encoder.holdsOutput).toBe(false)
  })

  it('is kept while a line may become a result, for at most a second', () => {
    const encoder = unlimited()
    expect(order(encoder, 'out:{"a":', 'err:warning\n')).toEqual([])
    expect(formOf(encoder.flush(at))).toEqual([])
    expect(order(encoder, 'out:1}\n')).toEqual(['out:{"a":1}', 'err:warning'])
    expect(order(encoder, 'out:{"b":', 'err:error\n')).toEqual([])
    expect(formOf(encoder.flush(later(1000)))).toEqual(['out:{"b":', 'err:error'])
  })

  it('ends for a stream that prints a lot meanwhile, so that memory stays bounded', () => {
    const encoder = unlimited()
    expect(order(encoder, 'out:{"a":', `err:${'x'.repeat(1 << 19)}\n`)).toEqual([])
    expect(order(encoder, `err:${'y'.repeat(1 << 19)}\n`).join('')).toMatch(/^err:x/)
    expect(order(encoder, 'out:1}\n')).toEqual(['out:{"a":1}'])
  })

  it('ends after a second if a long line still arrives', () => {
    const encoder = unlimited()
    expect(order(encoder, `out:["${'x'.repeat(1 << 20)}`, 'err:warning\n')).toEqual([])
    expect(formOf(encoder.flush(later(999)))).toEqual([])
    expect(formOf(encoder.flush(later(1000)))).toEqual(['err:warning'])
    expect(encoder.feed('stdout', bytes('"]\n'), later(1001)).results).toBe(1)
  })

  it('is kept at the end', () => {
    const encoder = unlimited()
    expect(order(encoder, 'err:last words', 'out:{"a":1}')).toEqual([])
    expect(formOf(encoder.end(at))).toEqual(['err:last words', 'out:{"a":1}'])
  })
})

describe('results', () => {
  it('are stdout lines that are JSON objects or arrays, verbatim', () => {
    const line = '  {"b": 1.0, "a" :[ 1e2 ],"b":2}\t'
    const { bytes: encoded, results } = unlimited().feed('stdout', bytes(`${line}\n[]\n`), at)
    expect(results).toBe(2)
    expect(encoded.toString()).toBe(
      `{"type":"result","t":"${t}","data":${line}}\n{"type":"result","t":"${t}","data":[]}\n`,
    )
  })

  it.each([
    ['a number', '1'],
    ['a text', '"x"'],
    ['broken JSON', '{"a":1'],
    ['two values', '{} {}'],
    ['NaN in lower case, which Python does not read', '{"loss": nan}'],
    ['a log line', '[INFO] ready [ok]'],
    ['a carriage return inside', '{"a":\r1}'],
    ['too deep nesting', `${'['.repeat(65)}${']'.repeat(65)}`],
    ['an attempt to forge a record', '{},"x":1}\u2028{"type":"exit"}'],
  ])('are not created from %s', (_, line) => {
    const records = recordsOf(unlimited().feed('stdout', bytes(`${line}\n`), at))
    expect(records.every((record) => record.type === 'stdout')).toBe(true)
    expect(records.map((record) => record.text).join('')).toBe(line)
  })

  it.each([
    [
      'NaN and Infinity, as Python writes them',
      '{"loss": NaN, "best": [-Infinity, Infinity], "NaN": "\\"NaN"}',
    ],
    ['a list that begins with NaN', '[NaN, 1.0]'],
    ['a carriage return at its end', '{"lr": 1e-05}\r'],
    ['a line separator inside', '{"a":"\u2028\u0085"}'],
  ])('have the printed line beside its JSON if it has %s', async (_, line) => {
    const encoder = unlimited()
    const stored = encoder.feed('stdout', bytes(`${line}\n{"next":1}\n`), at).bytes
    expect(stored.toString().trimEnd().split('\n')).toHaveLength(2)
    expect(stored.toString()).not.toMatch(/[\r\u0085\u2028]/)
    const [record] = recordsOf({ bytes: stored, records: 2, results: 2 })
    expect(record).toMatchObject({ type: 'result', text: line, data: expect.anything() })
    const { stdout, results } = await collectOutput(stored, { maxBytes: 1e6 })
    expect(stdout).toBe(`${line}\n{"next":1}\n`)
    expect(results).toHaveLength(2)
    expect(readPrinted(stored.subarray(0, stored.indexOf('\n')), 'result').text).toBe(`${line}\n`)
  })

  it('have NaN and Infinity as texts in their JSON, and every other digit as printed', () => {
    const line = '{"loss": NaN, "id": 12345678901234567890, "best": -Infinity}'
    const encoded = unlimited()
      .feed('stdout', bytes(`${line}\n`), at)
      .bytes.toString()
    expect(encoded).toContain('"data":{"loss": "NaN", "id": 12345678901234567890, "best": "-Infinity"}}\n')
    const last = unlimited()
    last.feed('stdout', bytes(line), at)
    expect(last.end(at).bytes.toString()).toContain('"eol":false,"text":"{')
  })

  it.each([
    ['NaN', `{"loss": NaN, "text": "${'x'.repeat(256 << 10)}"}`],
    ['NaN and more than 1 MiB', `{"loss": NaN, "text": "${'x'.repeat(1 << 20)}"}`],
    ['a carriage return and more than 1 MiB', `{"text": "${'x'.repeat(1 << 20)}"}\r`],
    ['escapes that make its record too large', `["${'\u0085'.repeat(127 << 10)}"]`],
  ])('are reported if their line is long and has %s, and stored as text', (_, line) => {
    const records = recordsOf(...feedInPieces(unlimited(), `${line}\n`))
    const texts = records.filter(({ type }) => type === 'stdout').map(({ text }) => text)
    expect(texts.join('') === line).toBe(true)
    const notes = records.filter(({ type }) => type === 'stderr').map(({ text }) => text)
    expect(notes).toEqual([expect.stringContaining('has NaN, Infinity or an unusual end')])
  })

  it('are not created from stderr, or from bytes that are not UTF-8', () => {
    const encoder = unlimited()
    expect(recordsOf(encoder.feed('stderr', bytes('{}\n'), at))).toEqual([{ type: 'stderr', t, text: '{}' }])
    const broken = Buffer.concat([bytes('{"a":"'), Buffer.from([0xff]), bytes('"}\n')])
    expect(recordsOf(encoder.feed('stdout', broken, at))).toMatchObject([{ type: 'stdout', replaced: 1 }])
  })

  it('may be as deep as the limit; brackets in strings do not count', () => {
    const encoder = unlimited()
    const deep = `${'['.repeat(64)}${']'.repeat(64)}`
    expect(
      encoder.feed('stdout', bytes(`${deep}\n["${'['.repeat(99)}\\"${'{'.repeat(99)}"]\n`), at).results,
    ).toBe(2)
  })

  it('are delayed for a second while they arrive in parts', () => {
    const encoder = unlimited()
    encoder.feed('stdout', bytes('{"a":'), at)
    expect(recordsOf(encoder.flush(later(999)))).toEqual([])
    expect(recordsOf(encoder.feed('stdout', bytes('1}\n'), later(999)))).toMatchObject([{ type: 'result' }])
  })

  it('are abandoned after a second, and the rest of the line is not a result', () => {
    const encoder = unlimited()
    encoder.feed('stdout', bytes('{"a":'), at)
    expect(recordsOf(encoder.flush(later(1000)))).toMatchObject([{ text: '{"a":', eol: false }])
    expect(recordsOf(encoder.feed('stdout', bytes('[1]\n{}\n'), later(1001)))).toMatchObject([
      { type: 'stdout', text: '[1]' },
      { type: 'result' },
    ])
  })

  it('may be long, and a start that exceeds every result is written', () => {
    const encoder = unlimited()
    const line = `["${'x'.repeat(500_000)}"]`
    expect(recordsOf(encoder.feed('stdout', bytes(line), at))).toEqual([])
    expect(encoder.feed('stdout', bytes('\n'), at).results).toBe(1)
    const broken = bytes(`[${'1,'.repeat(600_000)},`)
    expect(recordsOf(encoder.feed('stdout', broken, at)).length).toBeGreaterThan(1)
  })

  /** Feeds a text as an engine does, in pieces. */
  function feedInPieces(encoder: OutputEncoder, text: string, msPerPiece = 0): EncodedOutput[] {
    const all = bytes(text)
    const outputs = []
    for (let start = 0; start < all.length; start += 1 << 16) {
      const time = later((start >> 16) * msPerPiece)
      outputs.push(encoder.feed('stdout', all.subarray(start, start + (1 << 16)), time), encoder.flush(time))
    }
    return outputs
  }

  it('may have 64 MiB, and arrive for longer than a second', () => {
    const line = `["${'ž'.repeat((32 << 20) - 2)}"]`
    const outputs = feedInPieces(unlimited(), `one\n${line}\ntwo\n`, 60)
    const encoded = Buffer.concat(outputs.map((output) => output.bytes))
    const open = `{"type":"stdout","t":"${t}","text":"one"}\n`
    expect(encoded.subarray(0, open.length).toString()).toBe(open)
    expect(outputs.reduce((sum, { results }) => sum + results, 0)).toBe(1)
    const at = encoded.indexOf('"data":') + '"data":'.length
    expect(encoded.subarray(at, at + (64 << 20)).equals(bytes(line))).toBe(true)
    expect(encoded.subarray(at + (64 << 20)).toString()).toMatch(/^}\n{"type":"stdout",.*"two"}\n$/)
  })

  it('may be large without a line feed at the end', () => {
    const encoder = unlimited()
    expect(recordsOf(...feedInPieces(encoder, `{"a":"${'x'.repeat(2 << 20)}"}`))).toEqual([])
    expect(recordsOf(encoder.end(at))).toMatchObject([
      { type: 'result', eol: false, data: { a: expect.any(String) } },
    ])
  })

  it.each([
    ['too long', `["${'x'.repeat(64 << 20)}"]\n`, 0],
    ['too slow', `["${'x'.repeat(2 << 20)}"]\n`, 600],
  ])('are reported if they are %s, and stored as text', (_, line, msPerPiece) => {
    const records = recordsOf(...feedInPieces(unlimited(), line, msPerPiece))
    const texts = records.filter(({ type }) => type === 'stdout').map(({ text }) => text)
    expect(`${texts.join('')}\n` === line).toBe(true)
    const notes = records.filter(({ type }) => type === 'stderr').map(({ text }) => text)
    expect(notes).toEqual([expect.stringMatching(/^gpuq: A long line of JSON on stdout is not a result/)])
  })

  it('are not reported for a long line that is not JSON, which is not kept in memory either', () => {
    const encoder = unlimited()
    const records = recordsOf(...feedInPieces(encoder, `[${'0.1 '.repeat(1 << 20)}`))
    expect(records.every(({ type }) => type === 'stdout')).toBe(true)
    expect(records.length).toBeGreaterThan(60)
  })

  it('may be the last line of a program without a line feed', () => {
    const encoder = unlimited()
    encoder.feed('stdout', bytes('{"done": true}'), at)
    expect(recordsOf(encoder.end(at))).toEqual([{ type: 'result', t, eol: false, data: { done: true } }])
  })
})

describe('the output limit', () => {
  it('keeps the lines that fit, then records how much was dropped', () => {
    const encoder = new OutputEncoder({ limitBytes: 200 })
    const line = `{"type":"stdout","t":"${t}","text":"abcdefgh"}\n`
    const records = recordsOf(encoder.feed('stdout', bytes('abcdefgh\n'.repeat(10)), at))
    expect(records).toHaveLength(Math.floor(200 / line.length))
    expect(encoder.limitReached).toBe(true)
    const kept = records.length * 9
    expect(encoder.state).toEqual({ consumed: { stdout: kept, stderr: 0 }, encodedBytes: 200 })
    expect(recordsOf(encoder.feed('stderr', bytes('x\n'), at))).toEqual([])
    expect(recordsOf(encoder.flush(at))).toEqual([])
    expect(recordsOf(encoder.end(at))).toEqual([
      { type: 'truncated', t, limit_bytes: 200, dropped_bytes: 90 - kept + 2 },
    ])
  })

  it('applies to a line without an end', () => {
    const encoder = new OutputEncoder({ limitBytes: 200_000 })
    let stored = 0
    for (let i = 0; i < 100; i++) stored += encoder.feed('stdout', Buffer.alloc(10_000, 'x'), at).bytes.length
    expect(stored).toBeLessThanOrEqual(200_000)
    expect(encoder.droppedBytes + encoder.state.consumed.stdout).toBe(1_000_000)
  })

  it('stays reached in the next process', () => {
    const first = new OutputEncoder({ limitBytes: 100 })
    first.feed('stdout', bytes('a\n'.repeat(50)), at)
    const second = new OutputEncoder({ limitBytes: 100, resume: first.state })
    expect(second.limitReached).toBe(true)
    second.feed('stdout', bytes('a\n'.repeat(60)), at)
    expect(recordsOf(second.end(at))).toMatchObject([{ type: 'truncated', dropped_bytes: 118 }])
  })

  it('records nothing if everything fitted', () => {
    const encoder = unlimited()
    encoder.feed('stdout', bytes('a\n'), at)
    expect(recordsOf(encoder.end(at))).toEqual([])
    expect(encoder.droppedBytes).toBe(0)
  })
})

describe('with a terminal', () => {
  it('the start of a line appears immediately, whatever it looks like', () => {
    const encoder = new OutputEncoder({ limitBytes: 1e9, terminal: true })
    encoder.feed('stdout', bytes('[me@there ~]$ '), at)
    expect(recordsOf(encoder.flush(at))).toEqual([{ type: 'stdout', t, text: '[me@there ~]$ ', eol: false }])
  })

  it('a new process continues after an unfinished line without repeating it', () => {
    const first = new OutputEncoder({ limitBytes: 1e9, terminal: true })
    first.feed('stdout', bytes('done\n>>> '), at)
    first.flush(at)
    const second = new OutputEncoder({ limitBytes: 1e9, terminal: true, resume: { ...first.state } })
    expect(recordsOf(second.feed('stdout', bytes('done\n'), at))).toEqual([])
    second.stopSkipping('stdout')
    expect(recordsOf(second.feed('stdout', bytes('1\n2\n'), at)).map(({ text }) => text)).toEqual(['1', '2'])
    expect(second.state.consumed.stdout).toBe('done\n>>> 1\n2\n'.length)
    expect(second.droppedBytes).toBe(0)
  })
})

describe('a new process', () => {
  it('skips what was stored and knows that it is within a line', () => {
    const first = unlimited()
    first.feed('stdout', bytes('done\nab'), at)
    first.flush(at)
    first.feed('stdout', bytes('never stored'), at)
    const second = new OutputEncoder({ limitBytes: 1e9, resume: { ...first.state } })
    const records = recordsOf(second.feed('stdout', bytes('done\nab{"a":1}\n{"b":2}\n'), at))
    expect(records).toEqual([
      { type: 'stdout', t, text: '{"a":1}' },
      { type: 'result', t, data: { b: 2 } },
    ])
  })
})

describe('metrics', () => {
  it('are the last numbers of the lines of JSON on stdout', () => {
    const encoder = unlimited()
    expect(encoder.takeMetrics()).toBeNull()
    encoder.feed('stdout', bytes('{"step":1,"loss":0.5}\n{"step":2,"loss":0.25}\nstep 3\n'), at)
    encoder.feed('stderr', bytes('{"step":9}\n'), at)
    expect(encoder.takeMetrics()).toEqual({ step: 2, loss: 0.25 })
    encoder.feed('stdout', bytes('{"name":"x"}\n[4]\n'), at)
    expect(encoder.takeMetrics()).toBeNull()
    encoder.feed('stdout', bytes('{"step":4}'), at)
    encoder.end(at)
    expect(encoder.takeMetrics()).toEqual({ step: 4, loss: 0.25 })
  })

  it('the metrics of a task: one whose last value is NaN or infinite is null until its next number', () => {
    const encoder = unlimited()
    const lines = '{"step":1,"loss":0.5}\n{"step":2,"loss":NaN,"note":"NaN \\"","best":-Infinity}\n'
    const records = recordsOf(encoder.feed('stdout', bytes(lines), at))
    expect(records.map(({ type }) => type)).toEqual(['result', 'result'])
    expect(encoder.takeMetrics()).toEqual({ step: 2, loss: null, best: null })
    const later = new OutputEncoder({ limitBytes: 1000, metrics: { step: 2, loss: null, best: null } })
    later.feed('stdout', bytes('{"best":1}\n'), at)
    expect(later.takeMetrics()).toEqual({ step: 2, loss: null, best: 1 })
  })

  it('continue those that an earlier process found', () => {
    const encoder = new OutputEncoder({ limitBytes: 1000, metrics: { step: 1, loss: 0.5 } })
    encoder.feed('stdout', bytes('{"step":2}\n'), at)
    expect(encoder.takeMetrics()).toEqual({ step: 2, loss: 0.5 })
  })

  it('have no numbers that the output limit removed', () => {
    const line = '{"step":1}\n'
    const limitBytes = unlimited().feed('stdout', bytes(line), at).bytes.length
    const encoder = new OutputEncoder({ limitBytes })
    encoder.feed('stdout', bytes(`${line}{"step":2}\n`), at)
    expect(encoder.takeMetrics()).toEqual({ step: 1 })
  })

  it('are at most 64, the first ones, also if a line has 10,000 names', () => {
    const encoder = unlimited()
    const names = Array.from({ length: 10_000 }, (_, index) => `m${index}`)
    for (const value of [1, 2]) {
      const line = JSON.stringify(Object.fromEntries(names.map((name) => [name, value])))
      encoder.feed('stdout', bytes(`${line}\n`), at)
    }
    const metrics = encoder.takeMetrics() ?? {}
    expect(Object.keys(metrics)).toEqual(names.slice(0, 64))
    expect(new Set(Object.values(metrics))).toEqual(new Set([2]))
  })
})
