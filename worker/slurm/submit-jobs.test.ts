import { expect, it } from 'vitest'
import { readSpec } from '@/lib/contract/config/stored-spec'
import { dependencyOf } from './submit-jobs'

const job = '01998f6e-2d4a-7c31-9b0e-5f2a8c4d7e61'

it.each([
  { depends_on: [], dependency: null },
  { depends_on: [job, `any:${job}`], dependency: null },
  { depends_on: ['slurm:17', job, 'slurm:18'], dependency: 'afterok:17:18' },
  {
    depends_on: ['failed:slurm:4', 'any:slurm:3', 'slurm:1', 'any:slurm:2'],
    dependency: 'afterok:1,afterany:3:2,afternotok:4',
  },
])(
  'a job that depends on $depends_on has the dependency $dependency in Slurm',
  ({ depends_on, dependency }) => {
    const spec = readSpec({ depends_on })
    expect(dependencyOf({ attempt: 0, spec })).toBe(dependency)
    expect(dependencyOf({ attempt: 1, spec })).toBeNull()
  },
)
