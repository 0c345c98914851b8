import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { database } from '../../database/client'
import { acquireAccountLock } from '../../database/locks'
import { type Transaction, transaction } from '../../database/transaction'
import { recordAudit } from '../audit'
import { inPasswordSlot, verifyPassword } from './passwords'
import type { SessionClaims } from './session-cookie'
import { sessionSecret } from './session-secret'

/** Wrong passwords that one account may see in {@link failureWindow} before every further try is refused. */
export const failuresAllowed = 10
const failureWindow = '15 minutes'

/**
 * Past this many wrong passwords over all accounts within the window, each try takes a second more. Together with the
 * few slots for hashing that bounds a search across accounts, and locks nobody out.
 */
const calmFailures = 100
const pauseMs = 1000

type PasswordCheck = { verdict: 'right'; session: SessionClaims } | { verdict: 'wrong' | 'throttled' }

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
 * Signs in with a handle or e-mail address and a password. An unknown account, a disabled one, one without a password
 * and a wrong password are answered the same, after the same work.
 */
export async function signInWithPassword(input: unknown): Promise<PasswordCheck> {
  const credentials = credentialsSchema.safeParse(input)
  if (!credentials.success) return { verdict: 'wrong' }
  const { login, password } = credentials.data
  const user = await findLogin(login)
  const target = user?.handle ?? (await pseudonym(login))
  return checkPassword({ userId: user?.id ?? null, target, password }, async (tx, userId) => {
    await tx.query('UPDATE users SET last_seen_at = now() WHERE id = $1', [userId])
    await recordAudit(tx, { actorId: userId, action: 'sign_in', target, detail: { with: 'password' } })
  })
}

async function findLogin(login: string): Promise<{ id: string; handle: string } | null> {
  const { rows } = await database().pool.query<{ id: string; handle: string }>(
    'SELECT id, handle FROM users WHERE lower(handle) = lower($1) OR lower(email) = lower($1)',
    [login],
  )
  return rows[0] ?? null
}

/**
 * What failures of an unknown login are counted under. What was typed is not kept: it may be a password in the wrong
 * field.
 */
async function pseudonym(login: string): Promise<string> {
  const digest = createHmac('sha256', await sessionSecret())
    .update(login.toLowerCase())
    .digest('hex')
  return `unknown:${digest.slice(0, 16)}`
}

/** Whose password is tried: null for a login that nobody has. Failures are counted under `target`. */
interface Try {
  userId: string | null
  target: string
  password: string
}

/**
 * Checks a password and, when it is right, runs `onRight` in the same transaction. Tries of one account take turns, so
 * that many at once are not more than many in a row.
 */
export function checkPassword(
  { userId, target, password }: Try,
  onRight: (tx: Transaction, userId: string) => Promise<void>,
): Promise<PasswordCheck> {
  return inPasswordSlot(async () => {
    await sleep(await pauseBeforeTry())
    return transaction(async (tx) => {
      await acquireAccountLock(tx, `sign-in ${target}`)
      if ((await failuresOf(tx, target)) >= failuresAllowed) return { verdict: 'throttled' }
      const stored = await storedPassword(tx, userId)
      const matches = await verifyPassword(stored?.password_hash ?? null, password)
      if (stored && matches) {
        await onRight(tx, stored.id)
        return { verdict: 'right', session: { sub: stored.id, epoch: stored.session_epoch } }
      }
      await recordAudit(tx, { actorId: userId, action: 'sign_in_failed', target })
      return { verdict: 'wrong' }
    })
  })
}

interface PasswordRow {
  id: string
  password_hash: string | null
  session_epoch: number
}

/** The epoch is read with the password: a session begun with a password that changes meanwhile is over at once. */
async function storedPassword(tx: Transaction, userId: string | null): Promise<PasswordRow | null> {
  const { rows } = await tx.query<PasswordRow>(
    'SELECT id, password_hash, session_epoch FROM users WHERE id = $1 AND disabled_at IS NULL',
    [userId],
  )
  return rows[0] ?? null
}

async function failuresOf(tx: Transaction, target: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM audit_events
      WHERE action = 'sign_in_failed' AND target = $1 AND at > now() - $2::interval`,
    [target, failureWindow],
  )
  return rows[0]?.count ?? 0
}

async function pauseBeforeTry(): Promise<number> {
  const { rows } = await database().pool.query<{ calm: boolean }>(
    `SELECT count(*) < $1 AS calm FROM (
       SELECT 1 FROM audit_events WHERE at > now() - $2::interval AND action = 'sign_in_failed' LIMIT $1) failures`,
    [calmFailures, failureWindow],
  )
  return rows[0]?.calm === false ? pauseMs : 0
}
