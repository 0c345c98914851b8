import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { detectShapes } from './detect-shape'

describe('tables', () => {
  it('makes a row of each object with empty cells for missing keys', () => {
    const { table, best } = detectShapes([
      { name: 'a', score: 1 },
      { name: 'b', score: 2, note: null },
    ])
    expect(table).toEqual({
      columns: ['name', 'score', 'note'],
      rows: [
        ['a', 1, undefined],
        ['b', 2, null],
      ],
    })
    expect(best).toBe('table')
  })

  it('accepts a list of objects, a list of lists and an object of lists', () => {
    const rows = [
      [1, 10],
      [2, 20],
    ]
    expect(
      detectShapes([
        [
          { a: 1, b: 10 },
          { a: 2, b: 20 },
        ],
      ]).table,
    ).toEqual({ columns: ['a', 'b'], rows })
    expect(detectShapes([rows]).table).toEqual({ columns: ['0', '1'], rows })
    expect(detectShapes([{ a: [1, 2], b: [10, 20] }]).table).toEqual({ columns: ['a', 'b'], rows })
  })

  it('lists the fields of one flat object', () => {
    expect(detectShapes([{ accuracy: 0.9, model: 'resnet' }])).toMatchObject({
      table: {
        columns: ['field', 'value'],
        rows: [
          ['accuracy', 0.9],
          ['model', 'resnet'],
        ],
      },
      best: 'table',
    })
  })

  it.each([
    ['nothing', []],
    ['an empty object', [{}]],
    ['an empty list', [[]]],
    ['mixed values', [{ a: 1 }, [1, 2], { b: 'x' }]],
    ['one nested object', [{ model: { layers: [1, 2] } }]],
    ['objects that are mostly nested', [{ a: { b: 1 } }, { a: { b: 2 } }]],
    ['objects that share no keys', [{ a: 1 }, { b: 1 }, { c: 1 }]],
    ['lists of different length', [[[1, 2], [1]]]],
    [
      'more columns than anyone reads',
      [Object.fromEntries(Array.from({ length: 300 }, (_, key) => [`k${key}`, 1])), { k0: 1 }],
    ],
  ])('shows %s only as a tree', (_, results) => {
    expect(detectShapes(results)).toMatchObject({ table: null, best: 'tree' })
  })
})

describe('charts', () => {
  const epochs = Array.from({ length: 5 }, (_, epoch) => ({ epoch, loss: 1 / (epoch + 1), note: 'x' }))

  it('uses a training counter as the axis and every column of numbers', () => {
    const { chart, best } = detectShapes(epochs)
    expect(best).toBe('chart')
    expect(chart?.x).toEqual({ name: 'epoch', values: [0, 1, 2, 3, 4] })
    expect(chart?.series.map(({ name }) => name)).toEqual(['loss'])
  })

  it('prefers steps to epochs, and sorts rows by the axis', () => {
    const rows = [3, 1, 2, 4].map((step) => ({ epoch: 1, step, loss: step * 10 }))
    expect(detectShapes(rows).chart).toMatchObject({
      x: { name: 'step', values: [1, 2, 3, 4] },
      series: [{ name: 'loss', values: [10, 20, 30, 40] }, { name: 'epoch' }],
    })
  })

  it('keeps gaps for missing numbers', () => {
    const rows = [
      { step: 1, loss: 1 },
      { step: 2, loss: 'diverged' },
      { step: 3, loss: 3, val: 9 },
      { step: 4, loss: 4 },
    ]
    expect(detectShapes(rows).chart?.series).toEqual([{ name: 'loss', values: [1, null, 3, 4] }])
  })

  it('uses no constant or incomplete column as the axis', () => {
    expect(
      detectShapes([
        { epoch: 1, loss: 1 },
        { epoch: 1, loss: 2 },
      ]).chart?.x.name,
    ).toBe('row')
    expect(
      detectShapes([
        { step: 1, a: 1, b: 1 },
        { a: 2, b: 2 },
        { step: 3, a: 3, b: 3 },
      ]).chart?.x.name,
    ).toBe('row')
  })

  it('needs at least two numbers', () => {
    expect(detectShapes([{ name: 'a' }, { name: 'b' }]).chart).toBeNull()
    expect(detectShapes([{ step: 1, loss: 2 }]).chart).toBeNull()
  })
})

describe('hostile values', () => {
  it('accepts keys such as __proto__', () => {
    const results = [
      JSON.parse('{"__proto__": 1, "constructor": 2}'),
      JSON.parse('{"__proto__": 3, "toString": 4}'),
    ]
    expect(detectShapes(results).table).toEqual({
      columns: ['__proto__', 'constructor', 'toString'],
      rows: [
        [1, 2, undefined],
        [3, undefined, 4],
      ],
    })
    expect(({} as Record<string, unknown>)['1']).toBeUndefined()
  })

  it('accepts deeply nested values', () => {
    const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`)
    expect(detectShapes([deep]).best).toBe('tree')
    expect(
      detectShapes([
        { a: 1, b: deep },
        { a: 2, b: deep },
      ]).best,
    ).toBe('table')
  })

  it('accepts any JSON, with rows as wide as the header', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 6 }), (results) => {
        const { table, chart, best } = detectShapes(results)
        for (const row of table?.rows ?? []) expect(row).toHaveLength(table?.columns.length ?? -1)
        for (const series of chart?.series ?? [])
          expect(series.values).toHaveLength(chart?.x.values.length ?? -1)
        expect(best === 'tree' || { table, chart }[best] !== null).toBe(true)
      }),
    )
  })
})
