import { describe, expect, it } from 'vitest'
import { toModelRows } from './model-rows'
import { readModelJson, readModelRows } from './read-models'

const table = { default_requirement: 1, models: { 'a-small-one': 0.5, 'a-large-one': 4 } }

describe('model rows', () => {
  it('convert a table to rows and back', () => {
    expect(readModelRows('1', toModelRows(table))).toEqual({ ok: true, table })
  })

  it('report an error for each invalid field', () => {
    const rows = [
      { id: 1, name: 'llama', need: '2' },
      { id: 2, name: ' Llama ', need: '0' },
      { id: 3, name: '', need: '1' },
    ]
    const read = readModelRows('9', rows)
    expect(read).toMatchObject({ ok: false, defaultError: 'Use a number from 0.001 to 8.' })
    if (read.ok) return
    expect([...read.rowErrors]).toEqual([
      [2, { name: 'This model already has a row.', need: 'Use a number from 0.001 to 8.' }],
      [3, { name: 'Enter a model name.' }],
    ])
  })

  it('accept any model name', () => {
    const rows = [{ id: 0, name: '__proto__', need: '1' }]
    const read = readModelRows('1', rows)
    expect(read.ok && Object.keys(read.table.models)).toEqual(['__proto__'])
  })
})

describe('pasted JSON', () => {
  it('accepts the format of the file', () => {
    expect(readModelJson(JSON.stringify(table))).toEqual({ ok: true, table })
  })

  it.each([
    ['{', /not valid JSON/],
    ['[]', /./],
    ['{"default_requirement": 1, "models": {"a": 9}}', /models → a: /],
    ['{"default_requirement": 1, "models": {}, "more": 1}', /more/],
  ])('%s is refused with a reason', (text, message) => {
    const read = readModelJson(text)
    expect(read.ok ? '' : read.message).toMatch(message)
  })
})
