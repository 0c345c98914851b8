import { ChangeSignal } from '@/lib/async/change-signal'
import { deleteOldSamples } from '@/lib/cluster/gpus/gpu-samples'
import { loseExpiredNodes } from '@/lib/cluster/nodes/lost-nodes'
import { countFailedAssignments } from '@/lib/cluster/placement/assign-attempts'
import { publishCandidates } from '@/lib/cluster/placement/direct-dispatch'
import { commitPlacement } from '@/lib/cluster/placement/place'
import { preemptJobs } from '@/lib/cluster/placement/preempt'
import { takeSnapshot } from '@/lib/cluster/placement/snapshot'
import { addUnavailableReasons } from '@/lib/cluster/placement/unavailable-reasons'
import { setWaitReasons } from '@/lib/cluster/placement/wait-reasons'
import { listener } from '@/lib/database/listen'
import { env } from '@/lib/env'
import { deleteExpired } from '@/lib/jobs/lifecycle/retention'
import { logger } from '@/lib/logger'
import { plan } from '@/lib/scheduling/plan'
import { sendNotices } from '../notices/send-notices'
import { type ProvisionCommands, provision } from '../provisioner/provisioner'
import { storeResults } from './store-results'
import { sweepDirectories } from './sweep-directories'

/** The safety net under the notifications. */
const lookEveryMs = 1_000
/**
 * A pass over a large cluster comes less often when nothing rang: at rest it takes a quarter of the time at most. Before the
 * five seconds are over for which ending tasks go by whose turn it is.
 */
const restTimes = 3
const longestRestMs = 3_000
const sweepEveryMs = 10 * 60_000

/**
 * What the leader does: it places what can start, reconciles what died, turns the output of what ended into files, tells
 * those who asked for it, brings up nodes, and deletes what was shipped and is not needed.
 */
export async function lead(signal: AbortSignal): Promise<void> {
  const commands = provisionCommands()
  await Promise.all([
    schedule(signal),
    storeResults(signal),
    sendNotices(signal),
    sweepDirectories(signal),
    ...(commands ? [provision(commands, signal)] : []),
  ])
}

/** Null where the admin has set none. */
function provisionCommands(): ProvisionCommands | null {
  const { GPUQ_PROVISION_UP: up, GPUQ_PROVISION_DOWN: down, GPUQ_PROVISION_DEADLINE_S: deadlineS } = env()
  return up && down ? { up, down, deadlineS } : null
}

async function schedule(signal: AbortSignal): Promise<void> {
  const wake = new ChangeSignal(signal)
  const stop = await listener().listen('queue', wake.notify)
  let reconciled = Number.NEGATIVE_INFINITY
  let swept = Number.NEGATIVE_INFINITY
  let sweeping: Promise<void> | undefined
  let due = Number.NEGATIVE_INFINITY
  let rang = true
  try {
    while (!signal.aborted) {
      // First what somebody waits for: a wake-up is most often a new job.
      if (rang || performance.now() >= due) {
        const began = performance.now()
        await attempt('place', placeWaiting)
        due = performance.now() + restAfter(performance.now() - began)
      }
      if (performance.now() - reconciled >= lookEveryMs) {
        reconciled = performance.now()
        await attempt('reconcile', reconcile)
      }
      if (!sweeping && performance.now() - swept > sweepEveryMs) {
        swept = performance.now()
        // Beside the rest: a store that is slow or away holds no job up.
        sweeping = attempt('sweep', async () => {
          await deleteExpired(new Date())
          await deleteOldSamples()
        }).finally(() => {
          sweeping = undefined
        })
      }
      rang = await wake.wait(lookEveryMs)
    }
  } finally {
    stop()
    await sweeping
  }
}

/** How long after a pass that took so long the next one comes by itself. Looks come each second: a moment is left out for that. */
export function restAfter(tookMs: number): number {
  const restMs = restTimes * tookMs
  return restMs <= lookEveryMs ? 0 : Math.min(longestRestMs, restMs)
}

/** What is freed here is placed at once: losing a node rings the bell. */
async function reconcile(): Promise<void> {
  const lost = await loseExpiredNodes()
  if (lost.length > 0) logger.warn({ nodes: lost }, 'nodes lost: their leases ran out')
}

/** One pass: snapshot, plan, commit. A placement that the database refuses is planned again at once. */
export async function placeWaiting(): Promise<void> {
  for (let pass = 0; pass < 3; pass++) {
    const { snapshot, reasons } = await takeSnapshot()
    if (snapshot.waiting.length === 0) return publishCandidates([])
    const { placements, preemptions, waiting, next } = plan(snapshot)
    let refused = 0
    for (const placement of placements) {
      const commit = await commitPlacement(placement)
      if (!commit.ok) refused += 1
    }
    await publishCandidates(refused === 0 ? next : [])
    // A plan that was stale may ask the wrong jobs to go.
    if (refused === 0) await preemptJobs(preemptions)
    const told = await countFailedAssignments(waiting)
    const inWords = await addUnavailableReasons(waiting.filter(({ jobId }) => !told.has(jobId)))
    await setWaitReasons(
      inWords.filter(({ jobId, reason, detail }) => reasons.get(jobId) !== reason + (detail ?? '')),
    )
    if (refused === 0) return
  }
}

async function attempt(what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    logger.error({ err: error }, `the scheduler could not ${what}, it tries again in a second`)
  }
}
