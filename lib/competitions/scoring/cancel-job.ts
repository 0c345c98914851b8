import { GpuqError } from '../../contract/errors'
import { transaction } from '../../database/transaction'
import { cancelLive } from '../../jobs/lifecycle/cancel'

/** Cancels a job of a competition, as its hosts decided. */
export async function cancelJob(jobId: string): Promise<void> {
  await transaction((tx) => cancelLive(tx, jobId, 'cancelled_by_manager')).catch((error: unknown) => {
    // It ended in the meantime.
    if (!(error instanceof GpuqError && error.code === 'conflict')) throw error
  })
}
