import { hash, verify } from '@node-rs/argon2'
import { ConcurrencyLimit } from '../../async/concurrency-limit'
import { GpuqError } from '../../contract/errors'

/** argon2id with the first of OWASP's parameter sets. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/**
 * Hashing takes some 30 ms of a core and 19 MiB. Two at a time leave the thread pool to the rest of the server, however
 * many strangers try to sign in.
 */
const slots = new ConcurrencyLimit(2, 50)

/** Runs work that hashes passwords; throws 503 when too much of it waits already. Must not be nested. */
export async function inPasswordSlot<T>(work: () => Promise<T>): Promise<T> {
  const outcome = await slots.run(work)
  if (outcome.ok) return outcome.value
  throw new GpuqError('unavailable', 'Too many passwords are being checked at the moment. Try again soon.', {
    headers: { 'retry-after': '5' },
  })
}

/** Hashes a password to be stored. Call it in a slot. */
export function hashPassword(password: string): Promise<string> {
  return hash(normalise(password), parameters)
}

let decoy: Promise<string> | undefined

/** True when the password is right. An account without one costs the same work, and is never right. */
export async function verifyPassword(stored: string | null, password: string): Promise<boolean> {
  decoy ??= hashPassword('nobody has this password')
  const fallback = await decoy
  const matches = await verify(stored ?? fallback, normalise(password))
  return stored !== null && matches
}

/** The same letters typed on two systems may arrive as different code points. */
function normalise(password: string): string {
  return password.normalize('NFKC')
}
