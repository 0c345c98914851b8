import { expect } from 'vitest'
import { findMisplaced, readCrashingPrograms } from './testing/crashing-programs'
import { it } from './testing/lab-test'

it.for([1, 2, 3])(
  'at least 99 of 100 crashing programs have each traceback in one piece, after what was flushed before it (run %i)',
  async (_, { openLab }) => {
    const lab = await openLab()
    await lab.startWorker({ node: 'a', gpus: 4 })
    const programs = await readCrashingPrograms()
    expect(programs).toHaveLength(100)
    const spec = { memory_gb: 1 }
    const jobs = await Promise.all(
      programs.map(async ({ name, code }) => ({
        name,
        job: await lab.jobs.submit(code, { spec, maxRetries: 0 }),
      })),
    )
    const wrong: string[] = []
    for (const { name, job } of jobs) {
      await lab.jobs.untilFinal(job)
      const misplaced = findMisplaced(await lab.jobs.records(job))
      if (misplaced.length > 0) wrong.push(`${name}: ${misplaced.join('; ')}`)
    }
    expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(1)
  },
)
