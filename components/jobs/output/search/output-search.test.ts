import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { OutputRecord } from '@/lib/contract/output/records'
import type { LineFilter } from '../line'
import { OutputStore } from '../output-store'
import { compileQuery, findMatches, OutputSearch } from './output-search'

const t = '2026-11-20T12:00:00.000Z'
const line = (text: string, more: Partial<OutputRecord> = {}): OutputRecord => ({
  type: 'stdout',
  t,
  text,
  ...more,
})

function pattern(text: string, more: { regex?: boolean; caseSensitive?: boolean } = {}): RegExp {
  const query = compileQuery({ text, regex: false, caseSensitive: false, ...more })
  if (!query.ok) throw new Error(query.problem)
  return query.pattern
}

function searchAll(store: OutputStore, wanted: RegExp, slice = 3): OutputSearch {
  const search = new OutputSearch(store, 'all', wanted)
  while (search.scan(slice)) expect(search.scannedTo).toBeLessThan(store.lines.end)
  return search
}

describe('compileQuery', () => {
  it('matches text literally by default', () => {
    expect(findMatches('a.c abc A.C', pattern('a.c'))).toEqual([
      { start: 0, end: 3 },
      { start: 8, end: 11 },
    ])
    expect(findMatches('a.c abc A.C', pattern('a.c', { regex: true, caseSensitive: true }))).toHaveLength(2)
  })

  it('reports an invalid regular expression', () => {
    expect(compileQuery({ text: '(', regex: true, caseSensitive: false })).toEqual({
      ok: false,
      problem: 'Invalid regular expression',
    })
  })

  it('ignores empty matches', () => {
    expect(findMatches('bab', pattern('a*', { regex: true }))).toEqual([{ start: 1, end: 2 }])
  })
})

describe('OutputSearch', () => {
  it('finds every match in order with its line and index', () => {
    const store = new OutputStore()
    store.append(['a a', 'b', 'a', 'a a a'].map((text) => line(text)))
    const search = searchAll(store, pattern('a'))
    expect(search.total).toBe(6)
    const found = Array.from({ length: 6 }, (_, index) => search.at(index))
    expect(found.map((match) => [match?.line, match?.nth])).toEqual([
      [0, 0],
      [0, 1],
      [2, 0],
      [3, 0],
      [3, 1],
      [3, 2],
    ])
    expect(search.at(6)).toBeUndefined()
    expect([0, 1, 2, 3, 4].map((from) => search.indexFrom(from))).toEqual([0, 2, 2, 3, undefined])
  })

  it('searches the visible text without escape sequences', () => {
    const store = new OutputStore()
    store.append([line('\u001B[31mlo\u001B[32mss\u001B[0m')])
    expect(searchAll(store, pattern('loss')).total).toBe(1)
    expect(searchAll(store, pattern('31m')).total).toBe(0)
  })

  it('searches only the filtered stream', () => {
    const store = new OutputStore()
    store.append([line('x'), line('x', { type: 'stderr' })])
    const search = new OutputSearch(store, 'stderr', pattern('x'))
    search.scan(10)
    expect(search.at(0)?.line).toBe(1)
    expect(search.total).toBe(1)
  })

  it('searches only the filtered rank', () => {
    const store = new OutputStore()
    store.append([line('x', { rank: 0 }), line('x', { rank: 1 }), line('x', { type: 'stderr', rank: 1 })])
    const linesOf = (filter: LineFilter) => {
      const search = new OutputSearch(store, filter, pattern('x'))
      search.scan(10)
      return Array.from({ length: search.total }, (_, index) => search.at(index)?.line)
    }
    expect(linesOf('1/all')).toEqual([1, 2])
    expect(linesOf('1/stdout')).toEqual([1])
    expect(linesOf('0/stderr')).toEqual([])
  })

  it('searches an unfinished line again', () => {
    const store = new OutputStore()
    store.append([line('x', { eol: false }), line('x', { type: 'stderr' })])
    const search = searchAll(store, pattern('x'))
    expect(search.total).toBe(2)
    store.append([line(' x x')])
    search.scan(10)
    expect([0, 1, 2, 3].map((index) => search.at(index)?.line)).toEqual([0, 0, 0, 1])
  })

  it('restarts with the store', () => {
    const store = new OutputStore()
    store.append([line('x'), line('x')])
    const search = searchAll(store, pattern('x'))
    store.clear()
    store.append([line('y'), line('x')])
    search.scan(10)
    expect(search.total).toBe(1)
    expect(search.at(0)?.line).toBe(1)
  })

  it('agrees with a full search for any order of output', () => {
    const records = fc.array(fc.tuple(fc.constantFrom('a', 'aa', 'b', '\ra'), fc.boolean()), {
      maxLength: 40,
    })
    fc.assert(
      fc.property(fc.array(records, { maxLength: 6 }), fc.integer({ min: 3, max: 30 }), (batches, lines) => {
        const store = new OutputStore({ lines })
        const search = new OutputSearch(store, 'all', pattern('a'))
        for (const batch of batches) {
          store.append(batch.map(([text, ends]) => line(text, ends ? {} : { eol: false })))
          while (search.scan(4)) expect(search.total).toBeGreaterThanOrEqual(0)
        }
        const afresh = searchAll(store, pattern('a'))
        expect(search.total).toBe(afresh.total)
        for (let index = 0; index < afresh.total; index++) expect(search.at(index)).toEqual(afresh.at(index))
      }),
    )
  })
})
