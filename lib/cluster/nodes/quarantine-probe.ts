import { recordAudit } from '../../access/audit'
import { database } from '../../database/client'
import { channels } from '../../database/listen'
import { findRow, transaction } from '../../database/transaction'
import type { Lease } from './nodes'
import { nextProbeAt, type ProbeFacts } from './probe-times'

/** A probe that is due. */
export interface Probe {
  quarantinedAt: Date
  /** The image of the default environment. */
  image: string
  /** A free GPU of the node; null: it has none, or they are simulated. */
  gpuUuid: string | null
}

/** Returns the node's probe if one is due: not while the policy disables probes. */
export async function dueProbe(lease: Lease): Promise<Probe | null> {
  const row = await findRow<Probe & ProbeFacts & { now: Date }>(database().pool, {
    name: 'due-probe',
    text: `SELECT n.quarantined_at AS "quarantinedAt", n.probed_at AS "probedAt", n.probes, now() AS now, e.image,
                  (SELECT g.uuid FROM gpus g
                    WHERE g.node_id = n.id AND g.allocated_milli = 0 AND g.paused_at IS NULL AND g.busy_reason IS NULL
                      AND NOT g.simulated AND NOT g.missing ORDER BY g.index LIMIT 1) AS "gpuUuid"
             FROM nodes n JOIN environments e ON e.is_default AND e.enabled
            WHERE n.id = $1 AND n.lease_id = $2 AND n.lease_expires_at > now() AND n.quarantined_at IS NOT NULL
              AND (SELECT probe_quarantined FROM policies)`,
    values: [lease.nodeId, lease.leaseId],
  })
  if (!row || nextProbeAt(row) > row.now) return null
  return { quarantinedAt: row.quarantinedAt, image: row.image, gpuUuid: row.gpuUuid }
}

/**
 * Records how a probe ended; `error` is null if it passed. A node that passed returns to service. Changes nothing if
 * the quarantine has ended meanwhile or the lease is lost.
 */
export async function recordProbe(lease: Lease, probe: Probe, error: string | null): Promise<void> {
  await transaction(async (tx) => {
    const node = await findRow<{ name: string; number: number; probes: number }>(tx, {
      text: `UPDATE nodes SET probes = probes + 1, probed_at = now(), probe_error = $4::text,
                    quarantined_at = CASE WHEN $4::text IS NOT NULL THEN quarantined_at END,
                    quarantine_reason = CASE WHEN $4::text IS NOT NULL THEN quarantine_reason END,
                    failures_in_row = CASE WHEN $4::text IS NOT NULL THEN failures_in_row ELSE 0 END
              WHERE id = $1 AND lease_id = $2 AND quarantined_at = $3 RETURNING name, number, probes`,
      values: [lease.nodeId, lease.leaseId, probe.quarantinedAt, error],
    })
    if (!node || error !== null) return
    await recordAudit(tx, {
      actorId: null,
      action: 'quarantine_ended',
      target: node.name,
      detail: { node_id: node.number, cause: 'probe_passed', probes: node.probes },
    })
    await tx.query('SELECT pg_notify($1, $2)', [channels.queue, lease.nodeId])
  })
}
