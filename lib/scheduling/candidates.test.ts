import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { Candidates } from './candidates'
import { Pass } from './pass'
import { comparePositions, type Queue, type RequestClassState } from './queues'
import { Scheduler } from './scheduler'
import { node, oneGpu, policy, projectShare, snapshot } from './testing/rows'
import type { WaitingJob } from './types'

afterEach(() => vi.restoreAllMocks())

const jobs = fc.array(
  fc.record({
    gpuCount: fc.constantFrom(0, 1, 1, 2, 4),
    instances: fc.constantFrom(1, 1, 1, 2),
    pool: fc.constantFrom('on-demand', 'on-demand', 'best-effort'),
    projectId: fc.constantFrom('p', 'q', 'r'),
    userId: fc.constantFrom('u', 'v', 'w'),
    expectedMs: fc.integer({ min: 1, max: 500 }),
    priority: fc.integer({ min: -1, max: 2 }),
    /** After how many steps it is submitted. */
    step: fc.integer({ min: 0, max: 15 }),
    /** After how many steps it is withdrawn, if it still waits. */
    withdrawnAt: fc.option(fc.integer({ min: 0, max: 15 })),
  }),
  { maxLength: 50 },
)

const policies = fc.record({
  name: fc.constantFrom('priority', 'fcfs', 'sjf', 'fair_share', 'fair_share', 'fair_share'),
  backfill: fc.boolean(),
  halfLifeMs: fc.constantFrom(200, 100_000),
})

/** Returns the first of all waiting jobs whose class is wanted and which is not too long. */
function firstOfAll(
  { waiting, queueOrder }: Scheduler,
  isWanted: (requestClass: RequestClassState) => boolean,
): WaitingJob | null {
  let first: WaitingJob | null = null
  for (const { job, queue } of waiting.values()) {
    const requestClass = queue?.projectQueue.requestClass
    if (!queue || !requestClass || !isWanted(requestClass) || !isVisible(queue, job)) continue
    const before = first && queueOrder.positionOf(first)
    if (!before || comparePositions(queueOrder.positionOf(job), before) < 0) first = job
  }
  return first
}

/** A queue shows only its first job, and that only if it is not too long. */
function isVisible({ head, projectQueue }: Queue, { id, expectedMs }: WaitingJob): boolean {
  return head?.job.id === id && expectedMs <= projectQueue.requestClass.longestMs
}

it('the next job to start or to get a reservation is the one that a comparison of all waiting jobs finds', () => {
  let compared = 0
  fc.assert(
    fc.property(jobs, policies, (list, changes) => {
      const scheduler = new Scheduler(
        snapshot({
          nodes: [node('a', 4), node('b', 4), node('c', 2)],
          policy: { ...policy, ...changes },
          projects: [projectShare({ id: 'p', weight: 3 }), projectShare({ id: 'q' })],
        }),
      )
      let pass: Pass | null = null
      const tryFirst = Pass.prototype.tryFirst
      vi.spyOn(Pass.prototype, 'tryFirst').mockImplementation(function (this: Pass, queue: Queue) {
        pass = this
        return tryFirst.call(this, queue)
      })
      const next = Candidates.prototype.next
      vi.spyOn(Candidates.prototype, 'next').mockImplementation(function (this: Candidates) {
        // A pass that has tried no job may reserve for any.
        const mayReserve = pass?.mayReserve ?? true
        const isWanted = ({ blocked, unschedulable }: RequestClassState) =>
          !blocked || (mayReserve && !unschedulable)
        const expected = firstOfAll(scheduler, isWanted)
        const found = next.call(this)
        expect(found?.head?.job.id).toBe(expected?.id)
        compared += 1
        return found
      })
      const submitted: WaitingJob[] = list.map((job, i) => ({
        ...job,
        id: `j${i}`,
        request: { ...oneGpu, gpuCount: job.gpuCount, instances: job.instances, pool: job.pool },
        attempt: 0,
        notBefore: null,
        submittedAt: 50 * job.step,
      }))
      for (let step = 0; step <= 16; step++) {
        for (const [id, { endsAt }] of scheduler.running) if (endsAt <= 50 * step) scheduler.finish(id)
        for (const [i, job] of submitted.entries()) {
          if (list[i]?.step === step) scheduler.submit(job)
          if (list[i]?.withdrawnAt === step) scheduler.withdraw(job.id)
        }
        pass = null
        scheduler.decide(50 * step)
      }
      vi.restoreAllMocks()
    }),
    { numRuns: 500 },
  )
  expect(compared).toBeGreaterThan(5_000)
})
