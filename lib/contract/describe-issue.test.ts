import { describe, expect, it } from 'vitest'
import { GpuqError } from '../contract/errors'
import { queueSubmitSchema } from '../contract/queue'
import { updateNodeSchema } from './cluster/cluster'
import { updatePolicySchema } from './cluster/policy'
import { parseInput } from './parse-input'

type Schema = Parameters<typeof parseInput>[0]

function refusal(schema: Schema, input: unknown): string {
  try {
    parseInput(schema, input)
  } catch (error) {
    if (error instanceof GpuqError) return error.message
  }
  throw new Error('it was not refused')
}

describe('a refusal of a field says what to change', () => {
  it.each([
    [
      updatePolicySchema,
      { scheduling_policy: 'random' },
      'scheduling_policy: must be one of: priority, fcfs, sjf, fair_share',
    ],
    [updatePolicySchema, { memory_threshold: 80 }, 'memory_threshold: must be at most 1'],
    [updatePolicySchema, { quarantine_after: 0 }, 'quarantine_after: must be at least 1'],
    [updatePolicySchema, { quarantine_after: 1.5 }, 'quarantine_after: must be a whole number'],
    [
      updatePolicySchema,
      { ageing_minutes: '60' },
      'ageing_minutes: must be a number: write 60 without quotes',
    ],
    [updatePolicySchema, { ageing_minutes: 'an hour' }, 'ageing_minutes: must be a number'],
    [updatePolicySchema, { backfill: 'yes' }, 'backfill: must be true or false'],
    [updatePolicySchema, { ageing_minutes: Number.POSITIVE_INFINITY }, 'ageing_minutes: must be a number'],
    [updatePolicySchema, [], 'What was sent must be an object, with names and values'],
    [updateNodeSchema, { quarantined: true }, 'quarantined: must be false'],
    [queueSubmitSchema, {}, 'command: is missing: it must be given'],
    [queueSubmitSchema, { command: ['a'] }, 'command: must be a text'],
    [queueSubmitSchema, { command: 'a', gpu_fraction: 0 }, 'gpu_fraction: must be at least 0.001'],
    [queueSubmitSchema, { command: 'a', gpu_fraction: 1001 }, 'gpu_fraction: must be at most 1'],
    [
      queueSubmitSchema,
      { command: 'a', estimated_duration_seconds: 0 },
      'estimated_duration_seconds: must be more than 0',
    ],
  ])('%#', (schema, input, message) => {
    expect(refusal(schema, input)).toBe(message)
  })
})
