import { describe, expect, it } from 'vitest'
import { env } from '../env'
import { effectiveLimits, type Limits } from './limits'

const unset: Limits = { submissionsPerMinute: null, maxActiveJobs: null }
const defaults: Limits = {
  submissionsPerMinute: env().GPUQ_SUBMISSIONS_PER_MINUTE,
  maxActiveJobs: env().GPUQ_MAX_ACTIVE_JOBS,
}

describe('effective limits', () => {
  it('are the default for a researcher, and unlimited for an admin', () => {
    expect(effectiveLimits({ role: 'researcher', limits: unset }, unset)).toEqual(defaults)
    expect(effectiveLimits({ role: 'admin', limits: unset }, unset)).toEqual(unset)
  })

  it("are the user's own, otherwise the project's; each limit separately", () => {
    const project: Limits = { submissionsPerMinute: 60, maxActiveJobs: 8 }
    const user: Limits = { submissionsPerMinute: 0, maxActiveJobs: null }
    expect(effectiveLimits({ role: 'researcher', limits: unset }, project)).toEqual(project)
    expect(effectiveLimits({ role: 'researcher', limits: user }, project)).toEqual({
      submissionsPerMinute: 0,
      maxActiveJobs: 8,
    })
    expect(effectiveLimits({ role: 'admin', limits: user }, unset)).toEqual(user)
  })
})
