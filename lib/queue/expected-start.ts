import type { QueueJob } from '../contract/cluster/cluster'
import { describeStartBasis } from '../contract/predicted-time'
import type { Expectation } from '../engine/forecaster'

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
