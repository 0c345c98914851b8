import type { z } from 'zod'

/**
 * What is wrong with a field of a JSON body or a query, in words that say what to change, for the issues that the schema
 * itself has no sentence for. Never repeats a text that came in.
 */
export function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return describeType(issue)
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of: ${issue.values.join(', ')}`
    case 'invalid_union':
      return issue.input === undefined ? 'is missing: it must be given' : undefined
    case 'too_small':
      return `must ${describeBound(issue.origin, issue.inclusive ? 'at least' : 'more than', issue.minimum)}`
    case 'too_big':
      return `must ${describeBound(issue.origin, issue.inclusive ? 'at most' : 'less than', issue.maximum)}`
    default:
      return undefined
  }
}

const kinds: Readonly<Record<string, string>> = {
  number: 'a number',
  int: 'a whole number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object, with names and values',
  record: 'an object, with names and values',
}

type TypeIssue = Extract<z.core.$ZodRawIssue, { code: 'invalid_type' }>

function describeType({ input, expected, path }: TypeIssue): string {
  if (!path?.length) return `What was sent must be ${kinds[expected] ?? 'of another kind'}`
  if (input === undefined) return 'is missing: it must be given'
  const kind = kinds[expected]
  if (kind === undefined) return 'is of the wrong kind'
  const isNumber = expected === 'number' || expected === 'int'
  if (isNumber && typeof input === 'string' && /^-?\d{1,9}(\.\d{1,6})?$/.test(input))
    return `must be a number: write ${input} without quotes`
  return `must be ${kind}`
}

function describeBound(origin: string, limit: string, bound: number | bigint): string {
  if (origin === 'string') return `have ${limit} ${bound} characters`
  if (origin === 'array' || origin === 'set') return `have ${limit} ${bound} entries`
  return `be ${limit} ${bound}`
}
