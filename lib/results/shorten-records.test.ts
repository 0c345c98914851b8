import { describe, expect, it } from 'vitest'
import { recordSchema } from '../contract/output/records'
import { OutputEncoder } from './encode'
import { shortenRecords } from './shorten-records'

const at = new Date('2026-11-20T22:36:00.123Z')

function encoded(text: string, rank?: number): Buffer {
  const encoder = new OutputEncoder({ limitBytes: 1 << 30, ...(rank === undefined ? {} : { rank }) })
  return encoder.feed('stdout', Buffer.from(text), at).bytes
}

describe('shortenRecords', () => {
  it('keeps the start of a result that is too large, and every other record', () => {
    const large = `["${'ž'.repeat(100_000)}"]`
    const records = encoded(`one\n${large}\n{"a":1}\n`, 3)
    const lines = shortenRecords(records, 65_536).toString().split('\n').slice(0, -1)
    expect(lines).toHaveLength(3)
    expect(`${lines[0]}\n${lines[2]}\n`).toBe(encoded('one\n{"a":1}\n', 3).toString())
    const record = recordSchema.parse(JSON.parse(lines[1] ?? ''))
    if (record.type !== 'stdout') throw new Error('It is no stdout record.')
    expect(record).toMatchObject({ t: at.toISOString(), rank: 3 })
    expect(large.startsWith(record.text)).toBe(true)
    expect(Buffer.byteLength(record.text) + (record.cut ?? 0)).toBe(Buffer.byteLength(large))
    expect(record.text.length).toBeGreaterThan(30_000)
  })

  it('keeps the start of the printed line of a result that is not exactly JSON', () => {
    const large = `[NaN, "${'x'.repeat(200_000)}"]`
    const record = JSON.parse(shortenRecords(encoded(`${large}\n`), 65_536).toString())
    expect(record.text.startsWith('[NaN, "xxx')).toBe(true)
    expect(record.text.length + record.cut).toBe(large.length)
  })

  it('changes nothing if all records are small', () => {
    const records = encoded('one\n{"a":1}\n'.repeat(10_000))
    expect(shortenRecords(records, 65_536).equals(records)).toBe(true)
  })
})
