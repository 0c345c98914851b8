import { expect, it } from 'vitest'
import { sparkHeight, sparkPath, sparkWidth } from './spark-path'

const hour = { from: 0, to: 3600, max: 1 }

it('spans the whole chart', () => {
  const at = Array.from({ length: 121 }, (_, index) => index * 30)
  const { line } = sparkPath(
    at,
    at.map((time) => time / 3600),
    hour,
  )
  expect(line.startsWith(`M0 ${sparkHeight - 1}L`)).toBe(true)
  expect(line.endsWith(`L${sparkWidth} 1`)).toBe(true)
})

it('keeps a short peak', () => {
  const at = Array.from({ length: 3600 }, (_, index) => index)
  const { line } = sparkPath(
    at,
    at.map((time) => (time === 1801 ? 1 : 0)),
    hour,
  )
  expect(line).toContain('60 1L')
})

it('breaks at gaps between measurements', () => {
  const at = [0, 30, 60, 1800, 1830]
  expect(sparkPath(at, [0, 0, 0, 1, 1], hour).line.match(/M/g)).toHaveLength(2)
  expect(sparkPath(at, [0, null, 0, null, null], hour).line.match(/M/g)).toHaveLength(1)
})

it('joins samples that are further apart if they were measured so, and bridges one that is missing', () => {
  const at = [0, 600, 1200, 1800, 2400, 3000]
  const values = [0, 1, null, 1, null, null]
  expect(sparkPath(at, values, hour).line.match(/M/g)).toHaveLength(3)
  expect(sparkPath(at, values, { ...hour, step: 600 }).line.match(/M/g)).toHaveLength(1)
  expect(sparkPath(at, [0, null, null, 1, 0, 0], { ...hour, step: 600 }).line.match(/M/g)).toHaveLength(2)
})

it('draws nothing without samples, and only samples in range', () => {
  expect(sparkPath([], [], hour)).toEqual({ line: '', area: '' })
  expect(sparkPath([-5, 4000], [1, 1], hour).line).toBe('')
  expect(sparkPath([3600], [7], hour).line).toBe(`M${sparkWidth} 1h0.01`)
})
