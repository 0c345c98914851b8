import type { RunningJob } from '../types'

/** Each extension of an overdue job makes its expected time longer by this factor. */
const extension = 1.25

/**
 * Returns the expected end of a running job. If it has outlived its expected time, that time is extended until its
 * end is in the future. Otherwise the capacity of an overdue job would be reserved from now on, and no job could be
 * placed there before it ends.
 */
export function expectedEnd(
  { startedAt, expectedMs }: Pick<RunningJob, 'startedAt' | 'expectedMs'>,
  now: number,
): number {
  const elapsedMs = now - startedAt
  if (elapsedMs < expectedMs) return startedAt + expectedMs
  const base = Math.max(1, expectedMs)
  const steps = Math.floor(Math.log(elapsedMs / base) / Math.log(extension)) + 1
  return startedAt + Math.max(base * extension ** steps, elapsedMs + 1)
}
