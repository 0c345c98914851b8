import { expect, it } from 'vitest'
import { readGroups } from './group-jobs'

/** Jobs with the ids `a`, `b` and so on. */
const jobsOf = (...jobs: { tags?: string[]; config?: string }[]) =>
  jobs.map(({ tags = [], config = '' }, at) => ({
    id: 'abcd'[at] ?? '',
    tags,
    config: `${config}\ntags: [${tags.map((tag) => JSON.stringify(tag)).join(', ')}]\n`,
  }))

it('jobs can be grouped by each tag and config value in which they differ, and by the chosen one', () => {
  const jobs = jobsOf(
    { tags: ['lr=0.1', 'a\u202eb=1'], config: 'pool: a\nenv:\n  SEED: 0.10' },
    { tags: ['lr=0.2'], config: 'pool: a\nenv:\n  SEED: 0.1' },
  )
  const differing = [
    { by: 'tag.lr', label: 'Tag lr' },
    { by: 'tag.a\u202eb', label: 'Tag a\\u{202e}b' },
    { by: 'config.env.SEED', label: 'Config env.SEED' },
  ]
  const read = (by: string | null) => {
    const { choices, by: chosen, groups } = readGroups(jobs, by)
    return { choices, chosen, labels: groups?.map(({ label }) => label) }
  }
  expect(read(null)).toEqual({ choices: differing, chosen: null })
  expect(read('config.env.SEED').labels).toEqual(['env.SEED=0.10', 'env.SEED=0.1'])
  // As after the last job that differs was removed.
  expect(read('config.pool')).toEqual({
    choices: [...differing, { by: 'config.pool', label: 'Config pool' }],
    chosen: 'config.pool',
    labels: ['pool=a'],
  })
  expect(read('tag.nothing').chosen).toBeNull()
})

it('groups have the jobs with the same value, and those without one', () => {
  const jobs = jobsOf(
    { tags: ['lr=0.2'] },
    { tags: ['lr: 0.1'] },
    { tags: ['best'] },
    { tags: ['lr=0.2', 'best'] },
  )
  expect(readGroups(jobs, 'tag.lr').groups).toEqual([
    { id: '=0.2', label: 'lr=0.2', index: 0, jobs: ['a', 'd'] },
    { id: '=0.1', label: 'lr=0.1', index: 1, jobs: ['b'] },
    { id: 'none', label: 'no lr', index: 2, jobs: ['c'] },
  ])
  expect(readGroups(jobs, 'tags').groups?.map(({ label }) => label)).toEqual(['no tags', 'best'])
  // A value may be the word for no value.
  const odd = readGroups(jobsOf({ tags: ['lr=none'] }, {}), 'tag.lr').groups ?? []
  expect(new Set(odd.map(({ id }) => id)).size).toBe(2)
})
