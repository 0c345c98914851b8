import ipaddr from 'ipaddr.js'
import { database } from '../../database/client'
import { oneRow, transaction } from '../../database/transaction'
import { knownDevice } from './device-cookie'

/**
 * Throttles password attempts. Wrong passwords are counted for each pair of account and address, for each address, and
 * for each account. After some free failures, each further one doubles the time until the next attempt.
 *
 * An attacker cannot lock a user out of a known device: attempts with a device cookie of the account are counted for
 * that device only. This is the method "device cookies" of OWASP ("Slow Down Online Guessing Attacks with Device
 * Cookies"). A device with too many failures of its own counts as unknown until its time has passed.
 */
interface Limit {
  /** Failures after which the first delay starts. */
  free: number
  maxDelayS: number
  /** The count starts again after this time without a failure. */
  forgottenAfterS: number
}

const limits = {
  pair: { free: 5, maxDelayS: 15 * 60, forgottenAfterS: 24 * 3600 },
  /** Many users may share an address. */
  address: { free: 50, maxDelayS: 5 * 60, forgottenAfterS: 3600 },
  /** Softer, because anyone can cause it: it only limits a search from many addresses. */
  account: { free: 50, maxDelayS: 30, forgottenAfterS: 3600 },
  device: { free: 10, maxDelayS: 15 * 60, forgottenAfterS: 24 * 3600 },
} satisfies Record<string, Limit>

/** Wrong passwords for one account from one address before the first delay. */
export const freeFailures = limits.pair.free

/** Seconds until the next attempt after this many failures. */
export function delayAfter(failures: number, { free, maxDelayS }: Limit): number {
  return failures < free ? 0 : Math.min(maxDelayS, 2 ** (failures - free))
}

type Kind = keyof typeof limits

/** One count. A right password deletes the count of its pair or device. */
interface Counter {
  key: string
  kind: Kind
}

/** The counters of one attempt. */
export interface Throttle {
  /** Whether the attempt comes from a device on which the user has signed in before. */
  known: boolean
  counters: readonly Counter[]
}

/** The sender of an attempt. */
export interface AttemptClient {
  address: string
  deviceCookie: string | null
}

/** Returns the counters for an attempt on an account. `userId` is null for an unknown account. */
export async function throttleOf(
  { userId, target }: { userId: string | null; target: string },
  client: AttemptClient,
): Promise<Throttle> {
  const device = userId === null ? null : await knownDevice(client.deviceCookie, userId)
  if (device !== null) {
    const known: Throttle = { known: true, counters: [{ key: `device ${device}`, kind: 'device' }] }
    if ((await remainingWait(known)) === 0) return known
  }
  const [account, address] = [target.toLowerCase(), addressGroup(client.address)]
  const counters: Counter[] = [
    { key: `pair ${account} ${address}`, kind: 'pair' },
    { key: `address ${address}`, kind: 'address' },
    { key: `account ${account}`, kind: 'account' },
  ]
  return { known: false, counters }
}

/** One owner of an IPv6 network can use all its addresses, so they count as one. */
export function addressGroup(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const network = parsed.toByteArray().slice(0, 8)
  return `${ipaddr.fromByteArray([...network, ...new Array<number>(8).fill(0)]).toString()}/64`
}

/** Returns the seconds until the next attempt is permitted; 0 for now. */
export async function remainingWait({ counters }: Throttle): Promise<number> {
  const { wait_s } = await oneRow<{ wait_s: number }>(
    database().pool,
    `SELECT coalesce(max(greatest(0, ceil(extract(epoch FROM blocked_until - now())))), 0)::int AS wait_s
       FROM sign_in_throttles WHERE key = ANY ($1)`,
    [counters.map(({ key }) => key)],
  )
  return wait_s
}

interface CountRow {
  key: string
  failures: number
  wait_s: number
  quiet_s: number
}

/**
 * Counts an attempt as a failure before the password is checked, so that concurrent attempts cannot exceed the limits.
 * Returns the seconds to wait if the attempt is not permitted, which then does not count; otherwise 0.
 */
export function countAttempt({ counters }: Throttle): Promise<number> {
  const kinds = new Map(counters.map(({ key, kind }) => [key, kind]))
  return transaction(async (tx) => {
    // Locks the rows in one order, so that concurrent attempts do not deadlock.
    const { rows } = await tx.query<CountRow>(
      `INSERT INTO sign_in_throttles (key) SELECT unnest($1::text[]) AS key ORDER BY key
       ON CONFLICT (key) DO UPDATE SET key = excluded.key
       RETURNING key, failures, coalesce(ceil(extract(epoch FROM blocked_until - clock_timestamp())), 0)::int AS wait_s,
                 extract(epoch FROM clock_timestamp() - failed_at)::float AS quiet_s`,
      [[...kinds.keys()]],
    )
    const waitS = Math.max(0, ...rows.map(({ wait_s }) => wait_s))
    if (waitS > 0) return waitS
    const counted = rows.map(({ key, failures, quiet_s }) => {
      const limit = limits[kinds.get(key) ?? 'pair']
      const count = (quiet_s > limit.forgottenAfterS ? 0 : failures) + 1
      return { key, count, delay: delayAfter(count, limit) }
    })
    await tx.query(
      `UPDATE sign_in_throttles t
          SET failures = c.count, failed_at = clock_timestamp(),
              blocked_until = CASE WHEN c.delay > 0 THEN clock_timestamp() + c.delay * interval '1 second' END
         FROM unnest($1::text[], $2::int[], $3::int[]) AS c (key, count, delay) WHERE t.key = c.key`,
      [counted.map(({ key }) => key), counted.map(({ count }) => count), counted.map(({ delay }) => delay)],
    )
    return 0
  })
}

/**
 * Undoes {@link countAttempt} after a right password. The counts of address and account keep their earlier failures:
 * somebody with an account of their own could reset them at will.
 */
export async function forgiveAttempt({ counters }: Throttle): Promise<void> {
  const { pool } = database()
  for (const { key, kind } of counters) {
    if (kind === 'pair' || kind === 'device') {
      await pool.query('DELETE FROM sign_in_throttles WHERE key = $1', [key])
    } else {
      await pool.query(
        `UPDATE sign_in_throttles SET failures = greatest(0, failures - 1), blocked_until = NULL WHERE key = $1`,
        [key],
      )
    }
  }
}

/** The message for a refused attempt. */
export function describeThrottling(waitS: number): string {
  const [count, unit] = waitS < 120 ? [waitS, 'second'] : [Math.ceil(waitS / 60), 'minute']
  return `Too many wrong passwords. Wait ${count} ${unit}${count === 1 ? '' : 's'} and try again.`
}

/** Deletes counts that no longer matter. */
export async function deleteOldThrottles(): Promise<void> {
  const longest = Math.max(...Object.values(limits).map(({ forgottenAfterS }) => forgottenAfterS))
  await database().pool.query(
    "DELETE FROM sign_in_throttles WHERE failed_at < now() - $1 * interval '1 second'",
    [longest],
  )
}
