import { describe, expect, it } from 'vitest'
import { comparePath, readCompared, readTurned, turnBest, withGroup, withHidden } from '../jobs/compare-path'
import { compareCode } from './code-lines'
import { compareConfigs, readConfig } from './config-rows'

describe('the address of a comparison', () => {
  it('has the ids, each once, and at most twelve', () => {
    expect(readCompared(comparePath(['a', 'b']).split('=')[1] ?? '')).toEqual({ ids: ['a', 'b'], left: 0 })
    expect(readCompared(' A,a,,b ')).toEqual({ ids: ['a', 'b'], left: 0 })
    expect(readCompared(Array.from({ length: 15 }, (_, at) => `id${at}`).join(','))).toMatchObject({
      left: 3,
    })
    expect(readCompared(null)).toEqual({ ids: [], left: 0 })
  })

  it('keeps its settings when the jobs change', () => {
    const settings = withGroup(withHidden(new URLSearchParams('ids=a,b&x=epoch'), ['a']), 'tag.lr')
    expect(comparePath(['a', 'b', 'c'], settings)).toBe('/jobs/compare?ids=a,b,c&x=epoch&hide=a&group=tag.lr')
    expect(comparePath(['a'], withGroup(withHidden(settings, []), null))).toBe('/jobs/compare?ids=a&x=epoch')
  })

  it('has the metrics of which the other value is the best, whatever their names are', () => {
    const names = ['loss', 'a,b', '100%', 'é&=']
    const turned = names.reduce(turnBest, new URLSearchParams('ids=a'))
    expect(readTurned(new URLSearchParams(String(turned)))).toEqual(names)
    expect(String(names.reduce(turnBest, turned))).toBe('ids=a')
  })
})

describe('configs', () => {
  it('are compared key by key, also within mappings', () => {
    const rows = compareConfigs([
      'gpu_count: 1\nenv:\n  LR: 0.10\ntags: [a, b]\n',
      'gpu_count: 1\nenv:\n  LR: 0.2\n',
    ])
    expect(rows).toEqual([
      { key: 'gpu_count', values: ['1', '1'], differs: false },
      { key: 'env.LR', values: ['0.10', '0.2'], differs: true },
      { key: 'tags', values: ['[a, b]', null], differs: true },
    ])
  })

  it('are read without what cannot be read, and texts stay as they are written', () => {
    expect(readConfig('gpu_count: 2\nenv:\n  LR: 0.10\n')).toEqual({ gpu_count: 2, env: { LR: '0.10' } })
    expect(readConfig('a: [')).toEqual({})
  })

  it('configs that cannot be read are one value', () => {
    expect(compareConfigs(['a: [', 'b: 1'])).toEqual([
      { key: 'config', values: ['a: [', null], differs: true },
      { key: 'b', values: [null, '1'], differs: true },
    ])
  })
})

describe('programs', () => {
  const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}`)

  it('are compared line by line, with three lines around each difference', () => {
    const first = numbered(20)
    const lines = compareCode(first.join('\n'), first.with(10, 'changed').join('\r\n'))
    expect(lines?.map(({ kind, before, after, text }) => [kind, before, after, text])).toEqual([
      ['gap', null, null, ''],
      ['same', 8, 8, 'line 7'],
      ['same', 9, 9, 'line 8'],
      ['same', 10, 10, 'line 9'],
      ['removed', 11, null, 'line 10'],
      ['added', null, 11, 'changed'],
      ['same', 12, 12, 'line 11'],
      ['same', 13, 13, 'line 12'],
      ['same', 14, 14, 'line 13'],
      ['gap', null, null, ''],
    ])
  })

  it('may be equal, or empty', () => {
    expect(compareCode('a\n', 'a')).toEqual([{ kind: 'gap', before: null, after: null, text: '' }])
    expect(compareCode('', '')).toEqual([])
    expect(compareCode('', 'a')).toEqual([{ kind: 'added', before: null, after: 1, text: 'a' }])
  })

  it('programs without a common line are not compared for long', () => {
    const other = (name: string) => Array.from({ length: 60_000 }, (_, at) => `${name} ${at}`).join('\n')
    expect(compareCode(other('a'), other('b'))).toBeNull()
  })
})
