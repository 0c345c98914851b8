import { hash, verify } from '@node-rs/argon2'
import { ConcurrencyLimit } from '../../async/concurrency-limit'
import { unavailable } from '../../contract/errors'

/** argon2id with the first parameter set that OWASP recommends. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/**
 * Hashing takes about 30 ms of a core and 19 MiB. Three at a time leave the thread pool to the rest of the server
 * during many sign-in attempts. Others cannot delay the attempts from known devices.
 */
const hashingLimits = { unknown: new ConcurrencyLimit(2, 50), known: new ConcurrencyLimit(1, 50) }

/**
 * Runs password hashing within the concurrency limit. Must not be nested.
 * @throws 503 if too many calls wait.
 */
export async function withHashingLimit<T>(
  work: () => Promise<T>,
  sender: keyof typeof hashingLimits = 'unknown',
): Promise<T> {
  const outcome = await hashingLimits[sender].run(work)
  if (outcome.ok) return outcome.value
  throw unavailable('The server is checking too many passwords at the moment. Try again in a few seconds.', 5)
}

/** Hashes a password for storage. Call it inside {@link withHashingLimit}. */
export function hashPassword(password: string): Promise<string> {
  return hash(normalise(password), parameters)
}

let dummyHash: Promise<string> | undefined

/** Checks a password. For an account without one it does the same work and returns false. */
export async function verifyPassword(stored: string | null, password: string): Promise<boolean> {
  dummyHash ??= hashPassword('nobody has this password')
  const fallback = await dummyHash
  const matches = await verify(stored ?? fallback, normalise(password))
  return stored !== null && matches
}

/** Normalizes Unicode, because systems encode the same letters differently. */
function normalise(password: string): string {
  return password.normalize('NFKC')
}
