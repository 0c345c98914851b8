import { expect, it } from 'vitest'
import { jobId } from '../testing/fake-context'
import { chooseAction, pathBeside, pathOfRank } from './choose-target'

const file = (sha256: string) => ({ kind: 'file', sha256 }) as const

it.each([
  ['a new file is written', { kind: 'missing' } as const, undefined, 'write'],
  ['a deleted file is written again', { kind: 'missing' } as const, 'sent', 'write'],
  ['a file as it was sent is replaced', file('sent'), 'sent', 'write'],
  ['an equal file stays', file('job'), 'sent', 'none'],
  ['an equal file that nobody sent stays', file('job'), undefined, 'none'],
  ['a changed file stays', file('changed'), 'sent', 'write_beside'],
  ['a file that nobody sent stays', file('own'), undefined, 'write_beside'],
  ['a link or a directory stays', { kind: 'other' } as const, 'sent', 'write_beside'],
])('%s', (_, local, known, action) => {
  expect(chooseAction(local, known, 'job')).toBe(action)
})

it('the version of the job has its id in its name', () => {
  expect(pathBeside('out/train.log', jobId)).toBe(`out/train.log.gpuq-${jobId}`)
})

it('the version of the job is not beside the file if a hostile server sends a path as the id', () => {
  expect(() => pathBeside('out/train.log', '/../../../stolen')).toThrow('not a UUID')
})

it('of several ranks that write one path, the lowest one owns it', () => {
  const owners = new Map<string, number>()
  expect(pathOfRank('log', 1, owners)).toBe('log')
  expect(pathOfRank('rank2.log', 2, owners)).toBe('rank2.log')
  expect(pathOfRank('log', 0, owners)).toBe('log')
  expect(pathOfRank('log', 1, owners)).toBe('log.rank-1')
  expect(pathOfRank('log', 0, owners)).toBe('log')
})
