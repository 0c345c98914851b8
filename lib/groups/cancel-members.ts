import { GpuqError } from '../contract/errors'
import type { CancelReason } from '../contract/reasons'
import { database } from '../database/client'
import { transaction } from '../database/transaction'
import { cancelLive } from '../jobs/lifecycle/cancel'

/** SQL for whether the job `j` waits or runs, and nobody has cancelled it. Its group may be pausing it. */
const uncancelled = `j.status IN ('pending', 'scheduled', 'running')
  AND (j.cancel_requested_at IS NULL OR j.cancel_reason = 'group_paused')`

/** Cancels the members of a group that wait or run. */
export async function cancelLiveMembers(groupId: string, reason: CancelReason): Promise<void> {
  const { rows } = await database().pool.query<{ id: string }>(
    `SELECT j.id FROM jobs j WHERE j.group_id = $1 AND ${uncancelled} ORDER BY j.id`,
    [groupId],
  )
  for (const { id } of rows) {
    await transaction((tx) => cancelLive(tx, id, reason)).catch((error: unknown) => {
      // It ended in the meantime.
      if (!(error instanceof GpuqError && error.code === 'conflict')) throw error
    })
  }
}

/** Continues what a web server began that died while it cancelled the members of a group, or what the leader decided. */
export async function continueCancelling(): Promise<boolean> {
  const { rows } = await database().pool.query<{ id: string; cancel_reason: CancelReason | null }>({
    name: 'groups-to-cancel',
    text: `SELECT g.id, g.cancel_reason FROM job_groups g
            WHERE g.ended_at IS NULL AND g.cancelled_at IS NOT NULL
              AND EXISTS (SELECT 1 FROM jobs j WHERE j.group_id = g.id AND ${uncancelled})`,
  })
  for (const { id, cancel_reason } of rows) await cancelLiveMembers(id, cancel_reason ?? 'dependency_failed')
  return false
}
