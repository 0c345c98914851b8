import { type Lease, leaseHeld } from '../cluster/nodes/nodes'
import { database } from '../database/client'
import { findRow } from '../database/transaction'
import { countStatus, type NodeCheck } from './contract'

/** What a check needs to know from the database. */
export interface CheckSubject {
  /** When the check began, by the database's clock. */
  startedAt: Date
  /** The image of the default environment; null: there is none. */
  image: string | null
  /** The real GPUs of the node that nobody uses. A check must not take memory from a job. */
  freeGpus: string[]
  /** Whether an enabled environment gives its jobs internet access. */
  hasInternetJobs: boolean
}

/** Whether an admin requested a check that has not begun. */
export async function isCheckRequested(lease: Lease): Promise<boolean> {
  const row = await findRow(database().pool, {
    name: 'check-requested',
    text: `SELECT 1 FROM node_reports WHERE node_id = $1 AND requested_at > coalesce(checked_at, '-infinity')`,
    values: [lease.nodeId],
  })
  return row !== null
}

/** Reads what the check of a node needs; null if the lease is lost. */
export async function readCheckSubject(lease: Lease): Promise<CheckSubject | null> {
  return findRow<CheckSubject>(database().pool, {
    name: 'check-subject',
    text: `SELECT clock_timestamp() AS "startedAt",
                  (SELECT image FROM environments WHERE is_default AND enabled) AS image,
                  EXISTS (SELECT 1 FROM environments WHERE enabled AND network = 'internet') AS "hasInternetJobs",
                  (SELECT coalesce(array_agg(g.uuid ORDER BY g.index), '{}') FROM gpus g
                    WHERE g.node_id = $1 AND g.allocated_milli = 0 AND g.busy_reason IS NULL
                      AND NOT g.simulated AND NOT g.missing) AS "freeGpus"
            WHERE ${leaseHeld}`,
    values: [lease.nodeId, lease.leaseId],
  })
}

/** Stores the report of a node in place of the one before. Changes nothing if the lease is lost. */
export async function recordChecks(
  lease: Lease,
  startedAt: Date,
  checks: readonly NodeCheck[],
): Promise<void> {
  await database().pool.query(
    `INSERT INTO node_reports (node_id, checked_at, failures, checks)
     SELECT $1::uuid, $3, $4, $5::jsonb WHERE ${leaseHeld}
     ON CONFLICT (node_id) DO UPDATE SET checked_at = excluded.checked_at, failures = excluded.failures, checks = excluded.checks`,
    [lease.nodeId, lease.leaseId, startedAt, countStatus(checks, 'failure'), JSON.stringify(checks)],
  )
}

/** Returns the image of the default environment; null: there is none. */
export async function readDefaultImage(): Promise<string | null> {
  const row = await findRow<{ image: string }>(
    database().pool,
    'SELECT image FROM environments WHERE is_default AND enabled',
  )
  return row?.image ?? null
}
