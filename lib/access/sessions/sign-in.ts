import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { database } from '../../database/client'
import { acquireAccountLock } from '../../database/locks'
import { findRow, oneRow, type Transaction, transaction } from '../../database/transaction'
import { logSampled } from '../../logger'
import { recordAudit } from '../audit'
import { verifyPassword, withHashingLimit } from './passwords'
import { beginSession } from './session'
import type { SignInClient } from './session-client'
import type { SessionClaims } from './session-cookie'
import { sessionSecret } from './session-secret'
import {
  type AttemptClient,
  countAttempt,
  forgiveAttempt,
  remainingWait,
  throttleOf,
} from './sign-in-throttle'

/**
 * Above this number of wrong passwords for all accounts within the window, each attempt from an unknown device is
 * delayed by a second. Together with the concurrency limit for hashing, this limits a search across accounts from many
 * addresses without locking anybody out.
 */
const delayThreshold = 100
const delayWindow = '15 minutes'
const delayMs = 1000
/**
 * Wrong passwords that the audit log records within the window for each account, and for all unknown logins together: anybody can
 * cause more without end.
 */
const recordedFailures = 300

/** `value` is the result of the action for which the password was checked. */
type PasswordCheck<Value> =
  | { verdict: 'right'; value: Value }
  | { verdict: 'wrong' }
  | { verdict: 'throttled'; waitS: number }

const credentialsSchema = z.object({
  login: z
    .string()
    .trim()
    .min(1)
    .max(254)
    .regex(/^\P{Cc}*$/u),
  password: z.string().min(1).max(1000),
})

/**
 * Signs in with a handle or e-mail address and a password. An unknown account, a disabled one, one without a
 * password and a wrong password have the same result and need the same work.
 */
export async function signInWithPassword(
  input: unknown,
  client: SignInClient,
): Promise<PasswordCheck<SessionClaims>> {
  const credentials = credentialsSchema.safeParse(input)
  if (!credentials.success) return { verdict: 'wrong' }
  const { login, password } = credentials.data
  const user = await findLogin(login)
  const target = user?.handle ?? (await pseudonym(login))
  const attempt = { userId: user?.id ?? null, target, password, client }
  const check = await checkPassword(attempt, async (tx, { id, epoch }) => {
    await tx.query('UPDATE users SET last_seen_at = now() WHERE id = $1', [id])
    await recordAudit(tx, { actorId: id, action: 'sign_in', target, detail: { with: 'password' } })
    return beginSession(tx, { userId: id, epoch }, client)
  })
  if (check.verdict !== 'right') return check
  // Null: an admin disabled the user in the meantime.
  return check.value ? { verdict: 'right', value: check.value } : { verdict: 'wrong' }
}

function findLogin(login: string): Promise<{ id: string; handle: string } | null> {
  const select = 'SELECT id, handle FROM users WHERE lower(handle) = lower($1) OR lower(email) = lower($1)'
  return findRow(database().pool, select, [login])
}

/**
 * The key for failures of an unknown login. Does not contain the input, which may be a password typed into the wrong
 * field.
 */
async function pseudonym(login: string): Promise<string> {
  const digest = createHmac('sha256', await sessionSecret())
    .update(login.toLowerCase())
    .digest('hex')
  return `unknown:${digest.slice(0, 16)}`
}

/** One attempt; `userId` is null for an unknown login. Failures are counted under `target`. */
interface PasswordAttempt {
  userId: string | null
  target: string
  password: string
  client: AttemptClient
}

/**
 * Checks a password and, if it is right, runs `onRight` in the same transaction. `sign-in-throttle` decides whether the
 * attempt is permitted.
 */
export async function checkPassword<Value>(
  attempt: PasswordAttempt,
  onRight: OnRight<Value>,
): Promise<PasswordCheck<Value>> {
  const throttle = await throttleOf(attempt, attempt.client)
  // Before the queue for hashing, so that refused attempts do not fill it.
  const waitS = await remainingWait(throttle)
  if (waitS > 0) return { verdict: 'throttled', waitS }
  const work = async (): Promise<PasswordCheck<Value>> => {
    if (!throttle.known) await sleep(await delayAttempt())
    const waitS = await countAttempt(throttle)
    if (waitS > 0) return { verdict: 'throttled', waitS }
    const check = await comparePassword(attempt, onRight)
    if (check.verdict === 'right') await forgiveAttempt(throttle)
    return check
  }
  return withHashingLimit(work, throttle.known ? 'known' : 'unknown')
}

type OnRight<Value> = (tx: Transaction, user: CheckedUser) => Promise<Value>

/** Attempts for one account are serialized: the second of two concurrent changes needs the new password. */
function comparePassword<Value>(
  { userId, target, password, client }: PasswordAttempt,
  onRight: OnRight<Value>,
): Promise<PasswordCheck<Value>> {
  return transaction(async (tx) => {
    await acquireAccountLock(tx, `sign-in ${target}`)
    const stored = await storedPassword(tx, userId)
    const matches = await verifyPassword(stored?.password_hash ?? null, password)
    if (stored && matches) {
      return { verdict: 'right', value: await onRight(tx, { id: stored.id, epoch: stored.session_epoch }) }
    }
    if ((await recentFailures(tx, recordedFailures, { userId })) < recordedFailures) {
      const detail = { address: client.address }
      await recordAudit(tx, { actorId: userId, action: 'sign_in_failed', target, detail })
    } else
      logSampled(
        'warn',
        { address: client.address },
        'a sign-in failed; the audit log has no more of them now',
        'sign-in',
      )
    return { verdict: 'wrong' }
  })
}

/** The user whose password was right, with the session epoch to which that password belongs. */
interface CheckedUser {
  id: string
  epoch: number
}

interface PasswordRow {
  id: string
  password_hash: string | null
  session_epoch: number
}

/**
 * Reads the epoch together with the password: if the password changes in the meantime, the new session is invalid
 * immediately.
 */
function storedPassword(tx: Transaction, userId: string | null): Promise<PasswordRow | null> {
  const select = 'SELECT id, password_hash, session_epoch FROM users WHERE id = $1 AND disabled_at IS NULL'
  return findRow(tx, select, [userId])
}

async function delayAttempt(): Promise<number> {
  return (await recentFailures(database().pool, delayThreshold)) < delayThreshold ? 0 : delayMs
}

/** The number of recorded failures within the window, at most `most`; for an account, or for all unknown logins, if `of` is given. */
async function recentFailures(
  executor: Transaction,
  most: number,
  of?: { userId: string | null },
): Promise<number> {
  const { failures } = await oneRow<{ failures: number }>(
    executor,
    `SELECT count(*)::int AS failures FROM (
       SELECT 1 FROM audit_events WHERE at > now() - $2::interval AND action = 'sign_in_failed'
          AND ($3 OR actor_id IS NOT DISTINCT FROM $4::uuid) LIMIT $1) recent`,
    [most, delayWindow, of === undefined, of?.userId ?? null],
  )
  return failures
}
