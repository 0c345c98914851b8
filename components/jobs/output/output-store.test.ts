import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { OutputRecord } from '@/lib/contract/output/records'
import { linesAsText } from './copy-lines'
import type { LineFilter } from './line'
import { OutputStore } from './output-store'
import type { PageRecord } from './page-record'

const t = '2026-11-20T12:00:00.000Z'

function out(text: string, more: Partial<OutputRecord> = {}): OutputRecord {
  return { type: 'stdout', t, text, ...more }
}

function fill(records: PageRecord[], limits = {}): OutputStore {
  const store = new OutputStore(limits)
  store.append(records)
  return store
}

function texts(store: OutputStore): string[] {
  const numbers = Array.from(
    { length: store.lines.end - store.lines.first },
    (_, row) => store.lines.first + row,
  )
  return numbers.map((number) => store.lines.read(number)?.text ?? '(missing)')
}

describe('lines from records', () => {
  it('joins the pieces of a line per stream', () => {
    const store = fill([
      out('one ', { eol: false }),
      out('warning', { type: 'stderr', eol: false }),
      out('two'),
      out('!', { type: 'stderr' }),
      out('three'),
    ])
    expect(texts(store)).toEqual(['one two', 'warning!', 'three'])
    expect(store.lines.read(1)?.kind).toBe('stderr')
  })

  it('keeps the pieces of several tasks apart', () => {
    const store = fill([
      out('a', { eol: false, rank: 0 }),
      out('b', { eol: false, rank: 1 }),
      out('A', { rank: 0 }),
    ])
    expect(texts(store)).toEqual(['aA', 'b'])
  })

  it('joins pieces that come in separate batches', () => {
    const store = fill([out('hel', { eol: false })])
    store.append([out('lo')])
    expect(texts(store)).toEqual(['hello'])
  })

  it('lets a progress bar overwrite its line', () => {
    const store = fill([out('10%\r', { eol: false }), out('20%\r', { eol: false }), out('30%')])
    expect(texts(store)).toEqual(['30%'])
    expect(fill([out('dos\r')]).lines.read(0)?.text).toBe('dos')
  })

  it('shows two bars as two lines, and keeps the lines of the other stream between them', () => {
    const store = fill([
      out('epoch 0\n\rbatch 0\u001B[A', { type: 'stderr', eol: false }),
      out('from stdout'),
      out('\repoch 1\n\rbatch 9\u001B[A', { type: 'stderr', eol: false }),
    ])
    expect(texts(store)).toEqual(['epoch 1', 'batch 9', 'from stdout'])
    expect([0, 1].map((number) => store.mayChange(number))).toEqual([true, true])
    store.append([out('\n\n', { type: 'stderr' }), out(`${'x\n'.repeat(60)}`)])
    expect(store.mayChange(2)).toBe(false)
  })

  it('carries a colour into the next lines of the same stream only', () => {
    const store = fill([
      out('\u001B[31mred'),
      out('also', { type: 'stderr' }),
      out('still\u001B[0m'),
      out('plain'),
    ])
    const red = { foreground: { palette: 1 } }
    expect([0, 1, 2, 3].map((number) => store.lines.read(number)?.start)).toEqual([red, {}, red, {}])
  })

  it('shows results as JSON, reports discarded output, and skips other records', () => {
    const store = fill([
      { type: 'result', t, text: '{"lr": 1e-05, "loss": NaN}', json: '{"lr": 1e-05, "loss": "NaN"}' },
      { type: 'metric', t, gpus: [{ index: 0, load: 1, memory_used_mib: 2 }] },
      { type: 'truncated', t, limit_bytes: 1024 ** 2, dropped_bytes: 12_345 },
    ])
    expect(texts(store)).toEqual([
      '{"lr": 1e-05, "loss": NaN}',
      'The output limit is 1.0 MiB. gpuq discarded the next 12,345 bytes.',
    ])
    expect(store.lines.counts).toEqual({ stdout: 1, stderr: 0, notice: 1 })
  })

  it('notifies its subscribers with a new version', () => {
    const store = new OutputStore()
    const reader = vi.fn()
    const leave = store.subscribe(reader)
    const before = store.version
    store.append([out('x')])
    expect(store.version).not.toBe(before)
    leave()
    store.append([out('y')])
    expect(reader).toHaveBeenCalledTimes(1)
  })
})

describe('limits', () => {
  it('drops the oldest lines and keeps every number', () => {
    const store = fill(
      Array.from({ length: 25 }, (_, line) => out(`line ${line}`, line % 5 === 0 ? { type: 'stderr' } : {})),
      { lines: 20 },
    )
    expect(store.lines.end).toBe(25)
    expect(store.lines.first).toBe(7)
    expect(store.lines.read(6)).toBeUndefined()
    expect(store.lines.read(7)?.text).toBe('line 7')
    expect(store.lines.numberAt('stderr', 0)).toBe(10)
  })

  it('drops by size too, but never the newest line', () => {
    const store = fill([out('x'.repeat(80)), out('y'.repeat(80)), out('z'.repeat(300))], { characters: 200 })
    expect(texts(store)).toEqual(['z'.repeat(300)])
  })

  it('keeps the beginning of a very long line and counts the rest', () => {
    const store = fill(
      Array.from({ length: 10 }, () => out('x'.repeat(40), { eol: false })),
      { lineCharacters: 100 },
    )
    expect(store.lines.read(0)?.text).toBe('x'.repeat(100))
    expect(store.lines.read(0)?.cut).toBe(300)
  })

  it('counts what the server left out of a large result', () => {
    const store = fill([out('{"a":', { cut: 5_000_000 }), out('next')])
    expect(texts(store)).toEqual(['{"a":', 'next'])
    expect(store.lines.read(0)?.cut).toBe(5_000_000)
  })

  it('continues when an unfinished line was dropped', () => {
    const store = fill([out('a', { type: 'stderr', eol: false })], { lines: 4 })
    store.append(Array.from({ length: 10 }, (_, line) => out(`${line}`)))
    store.append([out('b', { type: 'stderr' })])
    expect(texts(store).at(-1)).toBe('b')
  })
})

describe('filters', () => {
  it('map rows to lines and back', () => {
    const kinds = fc.array(fc.constantFrom('stdout' as const, 'stderr' as const), { maxLength: 60 })
    fc.assert(
      fc.property(kinds, fc.integer({ min: 2, max: 80 }), (list, lines) => {
        const store = fill(
          list.map((type) => out('x', { type })),
          { lines },
        )
        for (const filter of ['all', 'stdout', 'stderr'] as const) {
          for (let row = 0; row < store.lines.count(filter); row++) {
            const number = store.lines.numberAt(filter, row)
            expect(store.lines.rowOf(filter, number)).toBe(row)
            if (filter !== 'all') expect(store.lines.read(number)?.kind).toBe(filter)
          }
        }
        expect(store.lines.count('stdout') + store.lines.count('stderr')).toBe(store.lines.count('all'))
      }),
    )
  })

  it('select lines by rank, stream or both', () => {
    const store = fill([
      out('a', { rank: 0 }),
      out('b', { rank: 1 }),
      out('c', { rank: 1, type: 'stderr' }),
      { type: 'truncated', t, limit_bytes: 1, dropped_bytes: 1, rank: 1 },
      out('d', { rank: 0 }),
    ])
    const shown = (filter: LineFilter) =>
      Array.from({ length: store.lines.count(filter) }, (_, row) => store.lines.numberAt(filter, row))
    expect(store.lines.ranks).toEqual([0, 1])
    expect(shown('all')).toEqual([0, 1, 2, 3, 4])
    expect(shown('0/all')).toEqual([0, 4])
    expect(shown('1/all')).toEqual([1, 2, 3])
    expect(shown('1/stdout')).toEqual([1, 3])
    expect(shown('1/stderr')).toEqual([2, 3])
    expect(shown('7/all')).toEqual([])
    expect(store.lines.read(2)?.rank).toBe(1)
    expect(linesAsText(store, '1/all', { from: 1, to: 2 })).toBe('b\nc\n')
    expect(linesAsText(store, 'all', { from: 0, to: 1 })).toBe('[rank 0] a\n[rank 1] b\n')
  })

  it('keep ranks apart when old lines are dropped', () => {
    const store = fill([out('x', { rank: 0 }), out('y', { rank: 1 })], { lines: 10 })
    store.append(Array.from({ length: 40 }, (_, line) => out(`${line}`, { rank: line % 2 })))
    const kept = Array.from({ length: store.lines.count('1/all') }, (_, row) =>
      store.lines.numberAt('1/all', row),
    )
    expect(kept.length).toBeGreaterThan(2)
    for (const number of kept) expect(store.lines.read(number)?.rank).toBe(1)
    expect(fill([out('alone')]).lines.ranks).toEqual([])
    expect(fill([out('alone')]).lines.read(0)?.rank).toBeNull()
  })
})
