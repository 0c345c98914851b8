import { expect, it } from 'vitest'
import { isGroupConfig } from '@/lib/groups/contract-recognise'
import { planGroup } from './plan-group'
import { findMistakes, toJobConfig } from './submission-parts'

const base = 'competition_id: c\nproject_id: p\nexpected_time: 30m\n'
const config = `${base}args: [--lr, "{lr}"]\nmatrix:\n  lr: [0.1, 0.01]\n  seed: {from: 1, to: 5}\nrepeat: 3\n`

it('the plan of a sweep counts its members and their GPU hours, expected and at most', () => {
  expect(planGroup({ code: '', config: `${config}gpu_count: 2\nmax_time: 2h\n` })).toMatchObject({
    ok: true,
    members: 30,
    parallel: 8,
    gpuHours: { expected: 30, most: 120 },
    hints: [expect.stringContaining('{seed}')],
  })
})

it('the plan of members without a GPU is in hours of run time, and of few members all run at once', () => {
  expect(planGroup({ code: '', config: `${base}array: 0-3\ngpu_count: 0\ncpu: 1\n` })).toMatchObject({
    members: 4,
    parallel: 4,
    gpuHours: { expected: 0, most: 0 },
    runHours: { expected: 2, most: 4 },
  })
})

it('a matrix with a mistake that only its members show is refused with its key', () => {
  expect(findMistakes(`${base}matrix: {lr: [1, 1]}`)).toMatchObject([
    { path: 'matrix.lr', message: expect.stringContaining('twice') },
  ])
  expect(findMistakes(`${base}matrix: {lr: 3}`)).toMatchObject([{ path: 'matrix.lr' }])
  expect(findMistakes(config)).toEqual([])
})

it('the config of one job has no key of a group', () => {
  expect(toJobConfig(config)).toBe(`${base}args: [--lr, "{lr}"]\n`)
})

it('a config is one of a group if one of the keys is at its top', () => {
  for (const text of ['a: 1\nmatrix: {}', 'array: 0-3', '"matrix" : 1'])
    expect(isGroupConfig(text)).toBe(true)
  for (const text of [
    '{"project_id": "p", "matrix": {"lr": [1]}}',
    '{\n  "members": [{}]\n}',
    'members:\n  - {}',
  ])
    expect(isGroupConfig(text)).toBe(true)
  for (const text of [
    '{"env": {"matrix": "a"}}',
    '{"matrix": ',
    '{a: 1}',
    'env:\n  matrix: a',
    '# array: 3',
    'name: array',
  ])
    expect(isGroupConfig(text)).toBe(false)
})
