import { z } from 'zod'

/**
 * A JSON Schema with only the keywords of {@link modelKeywords}. It is no interface, because the protocol's types accept none as
 * JSON.
 */
export type ModelSchema = {
  type?: string | string[]
  description?: string
  properties?: Record<string, ModelSchema>
  required?: string[]
  items?: ModelSchema
  enum?: string[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  pattern?: string
  additionalProperties?: ModelSchema | boolean
}

/**
 * The keywords that the function calls of the common model APIs accept. One other keyword anywhere in a tool, such as
 * `propertyNames`, `exclusiveMinimum` or `const`, and some of them refuse the whole request with all its tools.
 */
export const modelKeywords = [
  'type',
  'description',
  'properties',
  'required',
  'items',
  'enum',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'pattern',
  'additionalProperties',
] as const satisfies readonly (keyof ModelSchema)[]

type JsonSchema = z.core.JSONSchema.BaseSchema

/**
 * The JSON Schema of a tool's input or output, in the keywords that models accept. It may permit more than the tool: the tool
 * checks its input itself, with messages that a model can use.
 */
export function toModelSchema(schema: z.ZodObject, io: 'input' | 'output'): ModelSchema & { type: 'object' } {
  return { ...simplify(z.toJSONSchema(schema, { io, unrepresentable: 'any' })), type: 'object' }
}

function simplify(given: JsonSchema): ModelSchema {
  const schema = chooseAlternative(given)
  const simple: ModelSchema = {}
  for (const keyword of modelKeywords)
    if (schema[keyword] !== undefined) Object.assign(simple, { [keyword]: schema[keyword] })
  if (Array.isArray(simple.type)) simple.type = chooseType(simple.type)
  const { properties, items, additionalProperties, exclusiveMinimum, enum: values } = schema
  if (properties) simple.properties = mapValues(properties)
  if (items && !Array.isArray(items)) simple.items = simplifyPart(items)
  if (additionalProperties) simple.additionalProperties = simplifyPart(additionalProperties)
  if (typeof exclusiveMinimum === 'number') simple.minimum = exclusiveMinimum
  if (values?.every((value) => typeof value === 'number')) {
    // Some APIs accept a list of values only for texts.
    delete simple.enum
    Object.assign(simple, { type: 'integer', minimum: Math.min(...values), maximum: Math.max(...values) })
  }
  dropSafeIntegers(simple)
  const choices = takeNullableChoices(simple)
  const description = [describeDefault(schema), choices].filter(Boolean).join('; ') || undefined
  return description === undefined ? simple : { ...simple, description }
}

function simplifyPart(part: JsonSchema | boolean): ModelSchema {
  return typeof part === 'boolean' ? {} : simplify(part)
}

function mapValues(parts: Record<string, JsonSchema | boolean>): Record<string, ModelSchema> {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, simplifyPart(part)]))
}

/** Takes the first of several alternatives; a value that can also be null gets a second type. */
function chooseAlternative(schema: JsonSchema): JsonSchema {
  const alternatives = schema.anyOf?.filter((one): one is JsonSchema => typeof one === 'object')
  const [first] = alternatives ?? []
  if (!alternatives || first === undefined) return schema
  const nullable = alternatives.some(({ type }) => type === 'null')
  const chosen = chooseAlternative(first)
  const type = nullable && typeof chosen.type === 'string' ? { type: [chosen.type, 'null'] } : {}
  return { ...chosen, ...type, ...(schema.description && { description: schema.description }) } as JsonSchema
}

/** Takes the first of several types; with null, if it is one of them. */
function chooseType(types: readonly string[]): string | string[] {
  const [first = 'string'] = types.filter((type) => type !== 'null')
  return types.includes('null') ? [first, 'null'] : first
}

/** A list of values that also permits null would need null in it, which some APIs refuse: the values become words. */
function takeNullableChoices(schema: ModelSchema): string | undefined {
  if (!schema.enum || !Array.isArray(schema.type)) return undefined
  const words = `one of ${schema.enum.join(', ')}`
  delete schema.enum
  return words
}

/** Limits that every integer of JavaScript has say nothing to a model. */
function dropSafeIntegers(schema: ModelSchema): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
}

function describeDefault({ description, default: value }: JsonSchema): string | undefined {
  if (value === undefined) return description
  return [description, `default: ${JSON.stringify(value)}`].filter(Boolean).join('; ')
}
