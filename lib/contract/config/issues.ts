import type { z } from 'zod'
import { describeOddSpace } from '../text/odd-spaces'
import { configField, isConfigKey } from './schema'

/** What zod finds, in sentences that say what to change. Only a number in quotes is repeated: never a text. */
export function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_value') return `must be one of: ${issue.values.join(', ')}`
  if (issue.code === 'invalid_key') return issue.issues[0]?.message
  const { input } = issue
  // A value of several kinds says itself what it may be.
  if (issue.code === 'invalid_union' && typeof input === 'number') return describeNumber(input)
  const isMissing = issue.code === 'invalid_union' && (input === undefined || input === null)
  if (issue.code !== 'invalid_type' && !isMissing) return undefined
  if (input === undefined) return describeMissing(String(issue.path?.[0] ?? ''))
  if (input === null) return 'is empty: write a value, or "" for an empty text'
  if (issue.code !== 'invalid_type') return undefined
  switch (issue.expected) {
    case 'number':
    case 'int':
      return describeNumber(input)
    case 'string':
      return typeof input === 'object'
        ? 'must be one text, not a list or a mapping'
        : 'must be a text: put it in quotes'
    case 'boolean':
      return 'must be true or false'
    case 'array':
      return 'must be a list'
    case 'record':
      return 'must be a mapping of names to values'
    default:
      return 'is of the wrong kind'
  }
}

function describeMissing(key: string): string {
  if (!isConfigKey(key)) return 'needs a value'
  const { description, example } = configField(key)
  return `needs a value: write a line such as \`${key}: ${JSON.stringify(example)}\` (${description})`
}

function describeNumber(input: unknown): string {
  if (typeof input === 'string') {
    return /^-?\d{1,7}(\.\d{1,6})?$/.test(input)
      ? `write ${input} without quotes`
      : (describeOddSpace(input) ?? 'must be a number')
  }
  if (typeof input !== 'number') return 'must be a number'
  if (Number.isNaN(input)) return 'must be a number, and .nan is none'
  return Number.isFinite(input) ? 'must be a whole number' : 'must be a number with an end, not .inf'
}
