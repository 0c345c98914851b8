import { expect, it } from 'vitest'
import { completeSearch, completeWith } from './complete-search'

const own = { admin: false }
const at = (text: string, options = own) => completeSearch(text, text.length, options)
const labels = (text: string, options = own) => at(text, options).completions.map(({ label }) => label)

it('completes keys, that of users only for admins', () => {
  expect(labels('')).toContain('status:')
  expect(labels('')).not.toContain('user:')
  expect(labels('', { admin: true })).toContain('user:')
  expect(labels('tag:x st')).toEqual(['status:'])
  expect(labels('xyz')).toEqual([])
  expect(labels('tag:x -st')).toEqual(['-status:'])
  expect(labels('-', { admin: true })).toContain('-user:')
  expect(labels('-m')).toEqual([])
  expect(at('tag:x st')).toMatchObject({ from: 6, to: 8, asks: null })
})

it('completes known values, and asks for others', () => {
  expect(labels('status:')).toContain('failed')
  expect(labels('status:fa')).toEqual(['failed'])
  expect(labels('-status:fa')).toEqual(['failed'])
  expect(at('status:failed,ca')).toMatchObject({
    from: 14,
    completions: [{ label: 'cancelled', insert: 'cancelled ' }],
    asks: null,
  })
  expect(at('tag:ba')).toMatchObject({ from: 4, to: 6, completions: [], asks: { key: 'tag', text: 'ba' } })
  expect(at('tag:"the b')).toMatchObject({ from: 4, asks: { key: 'tag', text: 'the b' } })
  expect(at('metric.lo')).toMatchObject({ from: 0, to: 9, asks: { key: 'metric', text: 'lo' } })
  expect(at('metric.loss<').asks).toBeNull()
})

it('completes at the caret', () => {
  expect(completeSearch('st text', 2, own)).toMatchObject({ from: 0, to: 2 })
  expect(completeSearch('status:failed ', 14, own).completions.length).toBeGreaterThan(5)
})

it('puts values in quotes if they need them', () => {
  expect(completeWith('tag', 'the best').insert).toBe('"the best" ')
  expect(completeWith('metric', 'loss').insert).toBe('metric.loss')
  expect(completeWith('metric', 'val loss').insert).toBe('metric."val loss"')
})
