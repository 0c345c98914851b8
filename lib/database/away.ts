import { connectionError, poolTimeout } from '../async/connection-error'

/**
 * True where all connections of the pool were in use for so long that the wait for one was given up. What was to be done
 * with it was not begun. Prisma passes the message on among its own.
 */
export function isPoolBusy(error: unknown): boolean {
  return error instanceof Error && (error.message.includes(poolTimeout) || isPoolBusy(error.cause))
}

/** True where the database could not be asked, or broke off: the same may well be answered a moment later. */
export function isDatabaseAway(error: unknown): boolean {
  return isPoolBusy(error) || connectionError(error) !== null
}
