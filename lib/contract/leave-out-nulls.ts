import type * as z from 'zod'

/**
 * The input of a schema without the null of fields that cannot be null: many programs write null for what they leave out. A
 * null that the schema knows, such as "no quota", stays. So does a null in place of an object, which says nothing.
 */
export function leaveOutNulls(schema: z.core.$ZodType, input: unknown): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      return isRecord(input) ? ofObject(def.shape, input) : input
    case 'array':
      return Array.isArray(input) ? input.map((item) => leaveOutNulls(def.element, item)) : input
    case 'optional':
    case 'nullable':
    case 'default':
      return input === null ? input : leaveOutNulls(def.innerType, input)
    case 'pipe':
      return leaveOutNulls(def.in, input)
    default:
      return input
  }
}

function ofObject(shape: z.core.$ZodShape, input: Record<string, unknown>): Record<string, unknown> {
  const kept = Object.entries(input).flatMap(([name, value]) => {
    const schema = Object.hasOwn(shape, name) ? shape[name] : undefined
    if (schema === undefined) return [[name, value]]
    return value === null && !acceptsNull(schema) ? [] : [[name, leaveOutNulls(schema, value)]]
  })
  return Object.fromEntries(kept)
}

function acceptsNull(schema: z.core.$ZodType): boolean {
  return (schema as z.ZodType).safeParse(null).success
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * A message of the Model Context Protocol without `params`, arguments and other members that are null. The protocol's packages refuse
 * them, and no tool gives null a meaning.
 */
export function leaveOutNullsOfMessage(message: unknown): unknown {
  if (Array.isArray(message)) return message.map(leaveOutNullsOfMessage)
  if (!isRecord(message)) return message
  const { params, ...rest } = message
  if (params === undefined || params === null) return rest
  if (!isRecord(params)) return message
  const { arguments: given, ...others } = withoutNulls(params)
  const named = given === undefined ? {} : { arguments: isRecord(given) ? withoutNulls(given) : given }
  return { ...rest, params: { ...others, ...named } }
}

function withoutNulls(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null))
}
