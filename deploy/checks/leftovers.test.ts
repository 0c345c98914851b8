import { expect, it } from 'vitest'
import { containersOf } from './leftovers'

it('finds only the containers of one data directory', () => {
  const container = (Id: string, ...sources: string[]) => ({
    Id,
    Mounts: sources.map((Source) => ({ Source })),
  })
  const found = containersOf(
    [
      container('ours', '/srv/data/tasks/1'),
      container('another gpuq', '/srv/data-2/tasks/1'),
      container('a neighbour', '/srv/data/postgres'),
      container('nothing mounted'),
    ],
    '/srv/data',
  )
  expect(found.map(({ Id }) => Id)).toEqual(['ours'])
})
