import { expect, it } from 'vitest'
import { describeChoice, groupChoices, groupJobs } from './group-jobs'

const job = (tags: string[], config: Record<string, unknown> = {}) => ({ tags, config: { ...config, tags } })

it('jobs can be grouped by each tag and config value in which they differ, and by the chosen one', () => {
  const jobs = [
    job(['lr=0.1'], { env: { SEED: '1' }, pool: 'a' }),
    job(['lr=0.2'], { env: { SEED: '2' }, pool: 'a' }),
  ]
  expect(groupChoices(jobs, null)).toEqual(['tag.lr', 'config.env.SEED'])
  expect(groupChoices(jobs, 'tag.lr')).toEqual(['tag.lr', 'config.env.SEED'])
  expect(groupChoices(jobs, 'config.pool')).toEqual(['tag.lr', 'config.env.SEED', 'config.pool'])
  expect(groupChoices(jobs, 'tag.nothing')).toEqual(['tag.lr', 'config.env.SEED'])
  expect(['tags', 'tag.lr', 'config.env.SEED', 'tag.a\u202eb'].map(describeChoice)).toEqual([
    'Tags',
    'Tag lr',
    'Config env.SEED',
    'Tag a\\u{202e}b',
  ])
})

it('groups have the jobs with the same value, and those without one', () => {
  const jobs = [job(['lr=0.2']), job(['lr: 0.1']), job(['best']), job(['lr=0.2', 'best'])]
  expect(groupJobs(['a', 'b', 'c', 'd'], jobs, 'tag.lr')).toEqual([
    { id: '=0.2', label: 'lr=0.2', index: 0, jobs: ['a', 'd'] },
    { id: '=0.1', label: 'lr=0.1', index: 1, jobs: ['b'] },
    { id: 'none', label: 'no lr', index: 2, jobs: ['c'] },
  ])
  expect(groupJobs(['a', 'b', 'c', 'd'], jobs, 'tags').map(({ label }) => label)).toEqual(['no tags', 'best'])
  // A value may be the word for no value.
  const odd = groupJobs(['a', 'b'], [job(['lr=none']), job([])], 'tag.lr')
  expect(new Set(odd.map(({ id }) => id)).size).toBe(2)
})
