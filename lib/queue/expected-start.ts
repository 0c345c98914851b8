import type { QueueJob } from '../contract/cluster/cluster'
import { describeStartBasis } from '../contract/predicted-time'
import { externalEngine } from '../engine/external-engine'
import type { Expectation } from '../engine/forecaster'

/** A start within this time is shown as now. */
const soonMs = 10_000

/** Converts an expectation to the fields of the API. They are null for a job that does not wait. */
export function toExpectedStart(
  expected: Expectation | undefined,
): Pick<QueueJob, 'expected_start' | 'expected_start_range' | 'expected_start_text'> {
  const range = expected?.range
  return {
    expected_start: expected?.expectedStart?.toISOString() ?? null,
    expected_start_range: range
      ? { earliest: range.earliest.toISOString(), latest: range.latest.toISOString() }
      : null,
    expected_start_text: expected?.basis ? describeStartBasis(expected.basis) : null,
  }
}

/**
 * Says when a new job would start.
 * @param what the subject of the sentence: "It", or "The first" of several jobs.
 */
export function describeNewStart(what: string, { position, expectedStart }: Expectation): string {
  if (expectedStart === null)
    return (
      externalEngine()?.says.start ??
      `${what} would be number ${position} in the queue; no start can be predicted now.`
    )
  if (expectedStart.getTime() - Date.now() < soonMs) return `${what} would start now.`
  return `${what} would be number ${position} in the queue, and start at about ${expectedStart.toISOString()}.`
}
