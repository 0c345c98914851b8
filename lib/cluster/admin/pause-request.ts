import { GpuqError } from '../../contract/errors'
import type { Transaction } from '../../database/transaction'

/** Whether an admin took a node or a GPU out of service, and why. */
export interface Pause {
  paused: boolean
  pauseReason: string | null
}

export interface PauseRequest {
  paused?: boolean | undefined
  reason?: string | undefined
}

/**
 * What a request makes of it; null where nothing changes. A pause that is there already takes a new reason, and keeps
 * its own where none is given.
 * @throws 422 for a reason of no pause.
 */
export function pauseAfter(before: Pause, request: PauseRequest): Pause | null {
  const paused = request.paused ?? before.paused
  if (request.paused === undefined && request.reason !== undefined && !paused) {
    const message = 'goes with "paused": true'
    throw new GpuqError('invalid_fields', `reason: ${message}`, { errors: [{ path: 'reason', message }] })
  }
  if (!paused) return before.paused ? { paused, pauseReason: null } : null
  const pauseReason = request.reason ?? (before.paused ? before.pauseReason : null)
  return before.paused && pauseReason === before.pauseReason ? null : { paused, pauseReason }
}

/** A pause begins once: a new reason does not begin it anew. */
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
