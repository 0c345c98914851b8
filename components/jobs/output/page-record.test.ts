import { describe, expect, it } from 'vitest'
import { parseRecords } from './page-record'

const t = '2026-01-01T00:00:00.000Z'

describe('parseRecords', () => {
  it('reads one record per line in order', () => {
    const records = [
      { type: 'stdout', t, text: 'one' },
      { type: 'stderr', t, text: 'two', eol: false },
    ]
    expect(parseRecords(records.map((record) => JSON.stringify(record)))).toEqual(records)
  })

  it('has the line of a result as it was printed', () => {
    const json = '{"id": 9007199254740993, "lr": 1e-05, "a": 1, "a": 2}'
    const line = '{"loss": NaN}'
    const head = `{"type":"result","t":"${t}",`
    expect(
      parseRecords([
        `${head}"data":${json}}`,
        `${head}"rank":3,"eol":false,"text":${JSON.stringify(line)},"data":{"loss": "NaN"}}`,
        `${head}}`,
      ]),
    ).toEqual([
      { type: 'result', t, text: json, json },
      { type: 'result', t, rank: 3, eol: false, text: line, json: '{"loss": "NaN"}' },
    ])
  })

  it('skips invalid lines and keeps the others', () => {
    const good = { type: 'stdout', t, text: '{"type":"exit"}' }
    const lines = ['', '{"type":"sto', '{"type":"unheard-of"}', 'null', JSON.stringify(good)]
    expect(parseRecords(lines)).toEqual([good])
  })
})
