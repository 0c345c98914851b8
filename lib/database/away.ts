import { connectionError, poolTimeout } from '../async/connection-error'

/**
 * True if no connection of the pool became free in time. The operation has not begun. Prisma's error includes the
 * message of `pg`.
 */
export function isPoolBusy(error: unknown): boolean {
  return error instanceof Error && (error.message.includes(poolTimeout) || isPoolBusy(error.cause))
}

/** True if the database was not reachable, or the connection broke. The same operation may succeed later. */
export function isDatabaseAway(error: unknown): boolean {
  return isPoolBusy(error) || connectionError(error) !== null
}
