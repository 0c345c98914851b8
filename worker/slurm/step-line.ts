import { z } from 'zod'
import type { StepReport } from '@/lib/slurm/jobs/check-in'

const count = z.coerce.number().int().min(0).max(2_147_483_647)

/** Slurm writes indexes as `0,2-4`. */
const indexes = z
  .string()
  .regex(/^(-|\d{1,4}(-\d{1,4})?(,\d{1,4}(-\d{1,4})?)*)$/)
  .transform((text, context) => {
    if (text === '-') return []
    const found = text.split(',').flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number)
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) => first + offset)
    })
    if (found.length > 1024 || new Set(found).size < found.length)
      context.addIssue({ code: 'custom', message: 'too many GPUs' })
    return found
  })

const wordsSchema = z.tuple([
  z.literal('gpuq'),
  z.literal('1'),
  z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  z.uuid(),
  count.min(1),
  count,
  count,
  count.min(1),
  count,
  indexes,
  z
    .string()
    .max(512)
    .regex(/^\/[\w.:@/-]*$/),
])

/** Only a cgroup that Slurm made for this job: `…/job_12/step_batch/user/task_0`. */
function isOfJob(group: string, slurmId: number): boolean {
  const names = group.split('/')
  return (
    !names.includes('..') && names.includes(`job_${slurmId}`) && names.some((name) => /^step_/.test(name))
  )
}

/** The line with which a step introduces itself: see `batchScript`. Null: it is not one. */
export function parseStepLine(line: string): StepReport | null {
  const words = wordsSchema.safeParse(line.split(' '))
  if (!words.success) return null
  const [, , secret, rowId, slurmId, restart, rank, cpus, memoryMib, gpuIndexes, group] = words.data
  return {
    rowId,
    secret,
    slurmId,
    restart,
    rank,
    gpuIndexes,
    cpuMilli: cpus * 1000,
    memoryMib,
    cgroup: isOfJob(group, slurmId) ? group : null,
  }
}
