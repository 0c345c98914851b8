import { setTimeout as sleep } from 'node:timers/promises'
import { visibleText } from '../contract/text/sanitize-text'
import { env } from '../env'
import { logger } from '../logger'
import type { Attempted } from './attempted'
import {
  type ClaimedDelivery,
  claimDelivery,
  delayDelivery,
  dueDeliveries,
  mostAttempts,
  pauseGoneTarget,
  settleDelivery,
} from './outbox'
import type { RequestOptions } from './send-request'
import { sendTo } from './send-to'

const pollIntervalMs = 1_000
const timeoutMs = 10_000
/**
 * Limits of concurrent attempts, so that a target that hangs delays no other one. An attempt costs one socket. A user of whom
 * all targets hang does not reach the limit.
 */
const maxConcurrent = 500
const maxPerUser = 50
const maxPerLane = 2

/**
 * Delivers notifications until `signal` is aborted. Undelivered ones stay in the database. Only web servers do this, because
 * only they decrypt the addresses of targets.
 */
export async function deliverNotifications(
  signal: AbortSignal = new AbortController().signal,
  options: RequestOptions = { allowPrivate: env().GPUQ_NOTIFY_PRIVATE, timeoutMs, signal },
): Promise<void> {
  const inFlight = new Map<Promise<void>, { userId: string; lane: string }>()
  const count = (key: 'userId' | 'lane', value: string) =>
    [...inFlight.values()].filter((entry) => entry[key] === value).length
  while (!signal.aborted) {
    const due = await dueDeliveries(maxConcurrent, maxPerUser, maxPerLane).catch((error: unknown) => {
      logger.error({ err: error }, 'could not look up the notifications to deliver')
      return []
    })
    const before = inFlight.size
    for (const { id, userId, lane } of due) {
      if (inFlight.size >= maxConcurrent || count('userId', userId) >= maxPerUser) continue
      if (count('lane', lane) >= maxPerLane) continue
      const attempt = deliver(id, options).catch((error: unknown) =>
        logger.error({ err: error, notification: id }, 'could not deliver a notification'),
      )
      inFlight.set(attempt, { userId, lane })
      void attempt.finally(() => inFlight.delete(attempt))
    }
    const wait = sleep(pollIntervalMs, undefined, { ref: false, signal }).catch(() => undefined)
    // A target with many messages gets the next ones as soon as one was delivered.
    await (inFlight.size > before ? Promise.race([wait, ...inFlight.keys()]) : wait)
  }
  await Promise.all(inFlight.keys())
}

/** Makes one attempt, unless another process is making it. */
export async function deliver(id: string, options: RequestOptions): Promise<void> {
  const delivery = await claimDelivery(id)
  if (!delivery) return
  await storeResult(delivery, await sendTo(delivery, options))
}

async function storeResult(delivery: ClaimedDelivery, attempted: Attempted): Promise<void> {
  const { status, problem, outcome } = attempted
  const response = attempted.response === null ? null : visibleText(attempted.response, 500)
  const result = { status, response, problem }
  if (outcome === 'retry' && delivery.attempt < mostAttempts) {
    return delayDelivery(delivery, result, attempted.retryAfterS)
  }
  await settleDelivery(delivery, result)
  if (problem === null) return
  const { id, attempt, targetId } = delivery
  logger.warn({ notification: id, attempts: attempt }, `a notification was not delivered: ${problem}`)
  if (outcome === 'gone' && targetId !== null) await pauseGoneTarget(targetId, problem)
}
