import { randomUUID } from 'node:crypto'
import { backoff } from '@/lib/async/backoff'
import type { Client, Submission } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'
import type { Context } from '../context'
import { note } from './show-job'

const maxAttempts = 5
const firstDelayMs = 500
const longestDelayMs = 4_000

type Submitted = Awaited<ReturnType<Client['jobs']['submit']>>

/** Statuses of proxies and servers that are not available for a moment; 0: there was no answer. */
const retryable = [0, 502, 503, 504]

/**
 * Sends a submission, and repeats it if the connection breaks. All attempts have the same idempotency key, so they create one
 * job even if an answer was lost.
 */
export async function submitOnce(
  context: Context,
  submission: Omit<Submission, 'idempotencyKey'>,
  quiet = false,
): Promise<Submitted> {
  const client = await context.connect()
  const idempotencyKey = randomUUID()
  const submit = () => client.jobs.submit({ ...submission, idempotencyKey })
  const submitted = await repeatWhileAway(context, submit, quiet)
  for (const text of [submitted.project_note, submitted.not_sent, submitted.competition_note])
    if (!quiet && text) await note(context, text)
  return submitted
}

/** Repeats a request that a repetition does not change, while the server is not available for a moment. */
export async function repeatWhileAway<Answer>(
  context: Context,
  request: () => Promise<Answer>,
  quiet: boolean,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await request()
    } catch (error) {
      const canRetry = error instanceof ProblemError && retryable.includes(error.status)
      if (!canRetry || attempt === maxAttempts) throw error
      if (!quiet) await note(context, `${error.message} Retrying.`)
      const delayMs = backoff(attempt, firstDelayMs, longestDelayMs)
      await context.sleep(Math.max(delayMs, (error.retryAfter ?? 0) * 1000))
    }
  }
}
