import { describe, expect, it } from 'vitest'
import { parseRecords } from './collect-records'

const t = '2026-01-01T00:00:00.000Z'

describe('parseRecords', () => {
  it('reads one record per line in order', () => {
    const records = [
      { type: 'stdout', t, text: 'one' },
      { type: 'result', t, data: { loss: 0.5 } },
      { type: 'stderr', t, text: 'two', eol: false },
    ]
    expect(parseRecords(records.map((record) => JSON.stringify(record)))).toEqual(records)
  })

  it('skips invalid lines and keeps the others', () => {
    const good = { type: 'stdout', t, text: '{"type":"exit"}' }
    const lines = ['', '{"type":"sto', '{"type":"unheard-of"}', 'null', JSON.stringify(good)]
    expect(parseRecords(lines)).toEqual([good])
  })
})
