import { backoff } from '../async/backoff'
import type { Diagnosis } from '../contract/diagnosis/diagnosis'
import { database } from '../database/client'
import { findRow } from '../database/transaction'

/** A message that is due for an attempt. */
export interface DueDelivery {
  id: string
  userId: string
  /** Messages of one lane share a limit of concurrent attempts. */
  lane: string
}

/** A message that this process may send. */
export interface ClaimedDelivery extends Pick<DueDelivery, 'id' | 'userId'> {
  targetId: string | null
  /** The encrypted address; null: it is in `notifyUrl`. */
  config: Buffer | null
  notifyUrl: string | null
  /** The address of the user's account. */
  email: string | null
  event: string
  data: Record<string, unknown>
  createdAt: Date
  attempt: number
  /** Why the job of the message failed. Left out: not known. */
  diagnosis?: Diagnosis | null
}

/** What an attempt found out. */
export interface Result {
  status: number | null
  response: string | null
  /** Null: delivered. */
  problem: string | null
}

/** Attempts before gpuq gives up. They take more than two hours. */
export const mostAttempts = 10
/** After this time, another web server repeats an attempt whose process was killed. Longer than both timeouts of an attempt. */
const claimS = 60
const firstWaitS = 15
const longestWaitS = 3600

/**
 * Returns due messages, those with the fewest attempts first. Takes the users in turn, so that no user's many messages delay
 * those of others, and only a few messages of each lane.
 */
export async function dueDeliveries(limit: number, perUser: number, perLane: number): Promise<DueDelivery[]> {
  const { rows } = await database().pool.query<DueDelivery>({
    name: 'due-notifications',
    text: `SELECT id, "userId", lane FROM (
             SELECT *, row_number() OVER (PARTITION BY "userId" ORDER BY attempts, next_try_at, id) AS turn FROM (
               SELECT id, user_id AS "userId", lane, attempts, next_try_at,
                      row_number() OVER (PARTITION BY lane ORDER BY attempts, next_try_at, id) AS lane_turn
                 FROM notification_deliveries WHERE settled_at IS NULL AND next_try_at <= now()) AS due
              WHERE lane_turn <= $3) AS fair
            WHERE turn <= $2 ORDER BY turn, attempts, next_try_at LIMIT $1`,
    values: [limit, perUser, perLane],
  })
  return rows
}

/**
 * Claims a due message for one attempt; null if another process was first. Sets the time of the next attempt before this
 * one starts, so that another process continues if this one dies.
 */
export function claimDelivery(id: string): Promise<ClaimedDelivery | null> {
  return findRow<ClaimedDelivery>(database().pool, {
    name: 'claim-notification',
    text: `WITH claimed AS (
             UPDATE notification_deliveries SET attempts = attempts + 1, next_try_at = now() + make_interval(secs => $2)
              WHERE id = $1 AND settled_at IS NULL AND next_try_at <= now() RETURNING *)
           SELECT d.id, d.user_id AS "userId", d.target_id AS "targetId", t.config,
                  coalesce(j.spec, g.spec)->>'notify_url' AS "notifyUrl", u.email, d.event, d.data, d.created_at AS "createdAt",
                  d.attempts AS attempt
             FROM claimed d JOIN users u ON u.id = d.user_id LEFT JOIN notification_targets t ON t.id = d.target_id
             LEFT JOIN jobs j ON j.id = d.job_id LEFT JOIN job_groups g ON g.id = (d.data->>'group_id')::uuid`,
    values: [id, claimS],
  })
}

type Attempt = Pick<ClaimedDelivery, 'id' | 'attempt'>

/** Ends the attempts, after success or for good. */
export async function settleDelivery({ id, attempt }: Attempt, result: Result): Promise<void> {
  await database().pool.query({
    name: 'settle-notification',
    text: `UPDATE notification_deliveries SET settled_at = now(), response_status = $3, response = $4, problem = $5
            WHERE id = $1 AND attempts = $2 AND settled_at IS NULL`,
    values: [id, attempt, result.status, result.response, result.problem],
  })
}

/** Stores why an attempt failed, and when the next one is due: after 15 s, doubled each time, or later if the server asks. */
export async function delayDelivery(
  { id, attempt }: Attempt,
  result: Result,
  retryAfterS: number | null,
): Promise<void> {
  const waitS = Math.max(backoff(attempt, firstWaitS, longestWaitS), Math.min(retryAfterS ?? 0, longestWaitS))
  await database().pool.query({
    name: 'delay-notification',
    text: `UPDATE notification_deliveries SET next_try_at = now() + make_interval(secs => $6), response_status = $3,
                  response = $4, problem = $5
            WHERE id = $1 AND attempts = $2 AND settled_at IS NULL`,
    values: [id, attempt, result.status, result.response, result.problem, waitS],
  })
}

/** Stops sending to a target that does not exist any more, and gives up what waits for it. */
export async function pauseGoneTarget(targetId: string, reason: string): Promise<void> {
  await database().pool.query(
    `WITH paused AS (UPDATE notification_targets SET paused_at = now(), pause_reason = $2
                      WHERE id = $1 AND paused_at IS NULL)
     UPDATE notification_deliveries SET settled_at = now(), problem = $2 WHERE target_id = $1 AND settled_at IS NULL`,
    [targetId, reason],
  )
}

/** Days for which the log keeps a message, and messages that it keeps of one user. */
const keptDays = 30
const keptPerUser = 1000

/** Deletes old messages of the delivery log. */
export async function deleteOldDeliveries(): Promise<void> {
  await database().pool.query(
    `DELETE FROM notification_deliveries WHERE settled_at IS NOT NULL AND (
       created_at < now() - make_interval(days => $1) OR id IN (
         SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY user_id ORDER BY created_at DESC, id DESC) AS place
                           FROM notification_deliveries) AS placed WHERE place > $2))`,
    [keptDays, keptPerUser],
  )
}
