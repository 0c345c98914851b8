import { GpuqError } from '../../contract/errors'
import type { Transaction } from '../../database/transaction'

/** Whether an admin paused a node or a GPU, and why. */
export interface Pause {
  paused: boolean
  pauseReason: string | null
}

export interface PauseRequest {
  paused?: boolean | undefined
  reason?: string | undefined
}

/**
 * Returns the pause after a request, or null if nothing changes. A new reason replaces the reason of an existing
 * pause; without one, the old reason stays.
 * @throws 422 for a reason without a pause.
 */
export function pauseAfter(before: Pause, request: PauseRequest): Pause | null {
  const paused = request.paused ?? before.paused
  if (request.paused === undefined && request.reason !== undefined && !paused) {
    const message = 'requires "paused": true'
    throw new GpuqError('invalid_fields', `reason: ${message}`, { errors: [{ path: 'reason', message }] })
  }
  if (!paused) return before.paused ? { paused, pauseReason: null } : null
  const pauseReason = request.reason ?? (before.paused ? before.pauseReason : null)
  return before.paused && pauseReason === before.pauseReason ? null : { paused, pauseReason }
}

/** A new reason does not change the start time of a pause. */
export async function writePause(
  tx: Transaction,
  table: 'nodes' | 'gpus',
  id: string,
  { paused, pauseReason }: Pause,
): Promise<void> {
  await tx.query(
    `UPDATE ${table} SET paused_at = CASE WHEN $2 THEN coalesce(paused_at, now()) END, pause_reason = $3 WHERE id = $1`,
    [id, paused, pauseReason],
  )
}
