import { describe, expect, it } from 'vitest'
import { env } from '../env'
import { effectiveLimits, type Limits } from './limits'

const unset: Limits = { submissionsPerMinute: null, maxActiveJobs: null, job: {} }
const defaults: Limits = {
  submissionsPerMinute: env().GPUQ_SUBMISSIONS_PER_MINUTE,
  maxActiveJobs: env().GPUQ_MAX_ACTIVE_JOBS,
}
const researcher = (limits: Limits) => ({ role: 'researcher' as const, limits })
const admin = (limits: Limits) => ({ role: 'admin' as const, limits })
const withPriority = (max_priority: number): Limits => ({ ...unset, job: { max_priority } })

describe('effective limits', () => {
  it('are the default for a researcher, and unlimited for an admin', () => {
    expect(effectiveLimits(researcher(unset), unset, unset)).toMatchObject(defaults)
    const { job, ...others } = effectiveLimits(admin(unset), unset, unset)
    expect(others).toEqual({ submissionsPerMinute: null, maxActiveJobs: null })
    expect(new Set(Object.values(job))).toEqual(new Set([null]))
  })

  it("are the user's own, otherwise the project's, otherwise the role's; each limit separately", () => {
    const project: Limits = { submissionsPerMinute: 60, maxActiveJobs: 8 }
    const user: Limits = { submissionsPerMinute: 0, maxActiveJobs: null }
    const role: Limits = { submissionsPerMinute: 7, maxActiveJobs: 9 }
    expect(effectiveLimits(researcher(unset), project, role)).toMatchObject(project)
    expect(effectiveLimits(researcher(user), project, role)).toMatchObject({
      submissionsPerMinute: 0,
      maxActiveJobs: 8,
    })
    expect(effectiveLimits(researcher(unset), unset, role)).toMatchObject(role)
    expect(effectiveLimits(admin(user), unset, unset)).toMatchObject(user)
  })

  it('effective limits on what a job may ask for follow the same order', () => {
    const priority = (user: Limits, project: Limits, role: Limits) =>
      effectiveLimits(researcher(user), project, role).job.max_priority
    expect(priority(unset, unset, withPriority(0))).toBe(0)
    expect(priority(unset, withPriority(5), withPriority(0))).toBe(5)
    expect(priority(withPriority(-1), withPriority(5), withPriority(0))).toBe(-1)
    expect(priority(unset, unset, unset)).toBeNull()
  })
})
