import { sleep } from '@/lib/async/sleep'
import type { SlurmStopReason } from '@/lib/contract/reasons'
import { logger } from '@/lib/logger'
import { notifySlurmChange, readStopReason, setStopReason } from '@/lib/slurm/jobs/stop-reasons'

/**
 * The leader asks Slurm at once when it is notified. Longer than a program has to end after SIGTERM, and a slow controller usually
 * needs after that.
 */
const limitMs = 45_000
/** While an epilog runs, Slurm does not show the final state, and gives the GPUs to nobody. */
const completingLimitMs = 10 * 60_000
const intervalMs = 200

/**
 * Finds out why Slurm stopped an attempt: the leader reads it from Slurm. If it does not find out in time, the attempt
 * counts as stopped by Slurm, and gpuq tries again. Never rejects.
 */
export async function decideStop(
  rowId: string,
  attempt: number,
  signal: AbortSignal,
): Promise<SlurmStopReason> {
  const beganMs = performance.now()
  let told = false
  let isCompleting = false
  while (performance.now() - beganMs < waitMs(isCompleting) && !signal.aborted) {
    try {
      if (!told) await notifySlurmChange()
      told = true
      const { reason, state } = await readStopReason(rowId, attempt)
      if (reason !== null) return reason
      isCompleting = state === 'COMPLETING'
    } catch (error) {
      logger.warn({ err: error }, 'could not read why Slurm stopped a job, retrying')
    }
    await sleep(intervalMs, signal)
  }
  await setStopReason(rowId, attempt, 'slurm_stopped').catch((error: unknown) =>
    logger.warn({ err: error }, 'could not store that Slurm stopped a job'),
  )
  return 'slurm_stopped'
}

const waitMs = (isCompleting: boolean) => (isCompleting ? completingLimitMs : limitMs)
