import { expect, it } from 'vitest'
import { describeTaskGroup } from './task-group'

it('a group of the machine with the gid of jobs is reported by its name', async () => {
  expect(await describeTaskGroup(0)).toMatch(
    /^The group (root|wheel) of this machine has the gid of jobs, 0\./,
  )
  expect(await describeTaskGroup(4_000_000_000)).toBeNull()
})
