import fc from 'fast-check'
import { type DocumentedOperation, openapiSchema, type Schema } from '../../lib/docs/reference/openapi-schema'
import type { Random } from './random'

export interface ApiOperation extends DocumentedOperation {
  method: string
  path: string
  /** The documented statuses below 400. */
  successes: number[]
}

/** The operations of an OpenAPI document, and valid values of its schemas. */
export class ApiDocument {
  readonly operations: ApiOperation[]
  readonly #schemas: Record<string, Schema>

  constructor(document: unknown) {
    const { paths, components } = openapiSchema.parse(document)
    this.#schemas = components.schemas
    this.operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...operation,
        method: method.toUpperCase(),
        path,
        successes: Object.keys(operation.responses).map(Number).filter(Boolean),
      })),
    )
  }

  /** A valid value, as far as the schema says what is valid. */
  example(schema: Schema, random: Random): unknown {
    const { $ref, const: constant, enum: values, examples } = schema
    const type = random.pickAny([schema.type ?? []].flat())
    if ($ref) return this.example(this.#schemas[$ref.split('/').at(-1) ?? ''] ?? {}, random)
    if (constant !== undefined) return constant
    if (values) return random.pickAny(values)
    if (examples && random.chance(0.7)) return random.pickAny(examples)
    const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf
    if (choices) return this.example(random.pickAny(choices) ?? {}, random)
    if (type === 'object') return this.#exampleObject(schema, random)
    if (type === 'array') return this.#exampleArray(schema, random)
    if (type === 'string') return exampleText(schema, random)
    if (type === 'boolean') return random.chance(0.5)
    if (type === 'integer' || type === 'number') return exampleNumber(schema, random)
    return null
  }

  #exampleObject({ properties = {}, required = [] }: Schema, random: Random): unknown {
    const chosen = Object.entries(properties).filter(
      ([name]) => required.includes(name) || random.chance(0.4),
    )
    return Object.fromEntries(chosen.map(([name, schema]) => [name, this.example(schema, random)]))
  }

  #exampleArray({ items = {}, prefixItems = [], minItems = 0 }: Schema, random: Random): unknown {
    if (items === false) return prefixItems.map((item) => this.example(item, random))
    return Array.from({ length: minItems + random.upTo(3) }, () => this.example(items, random))
  }
}

function exampleText({ format, pattern, minLength = 1 }: Schema, random: Random): string {
  if (format === 'uuid') return '01920000-0000-7000-8000-000000000000'
  if (format === 'date-time') return '2030-01-01T00:00:00.000Z'
  if (format === 'email') return `fuzz-${random.upTo(1e6)}@example.org`
  if (format === 'uri') return 'https://example.org/'
  if (pattern) {
    const options = { seed: random.upTo(2 ** 31), numRuns: 1 }
    return fc.sample(fc.stringMatching(new RegExp(pattern)), options)[0] ?? ''
  }
  return `fuzz ${random.upTo(1e6)}`.padEnd(minLength, 'x')
}

/** Small, because a valid request creates this many nodes, GPUs or instances. */
function exampleNumber({ minimum = 0, maximum = 10 }: Schema, random: Random): number {
  return Math.min(maximum, Math.max(0, minimum) + random.upTo(3))
}
