import type { Schema } from './openapi-schema'

/** A parameter, or a key of a body. */
export interface Field {
  name: string
  required: boolean
  /** Such as `string`, `"running" | "failed"` or `JobSummary[]`. */
  type: string
  description: string
}

/** Describes the schemas of one OpenAPI document. */
export class SchemaDescriber {
  constructor(private readonly components: Readonly<Record<string, Schema>>) {}

  /** The schema itself instead of a reference to it. */
  resolve(schema: Schema): Schema {
    return schema.$ref === undefined ? schema : (this.components[nameOf(schema.$ref)] ?? {})
  }

  /** The keys of an object, or of the items of an array. */
  fields(schema: Schema): Field[] {
    const resolved = this.resolve(schema)
    if (resolved.items) return this.fields(resolved.items)
    const { properties = {}, required = [] } = resolved
    return Object.entries(properties).map(([name, property]) =>
      this.field(name, property, required.includes(name)),
    )
  }

  field(name: string, schema: Schema, required: boolean, description = schema.description): Field {
    const text = [description, describeLimits(schema)].filter(Boolean).join('; ')
    return { name, required, type: this.type(schema), description: text }
  }

  /** The type in the notation of TypeScript. */
  type(schema: Schema): string {
    const { $ref, type, enum: values, const: constant, items, prefixItems, anyOf, oneOf, format } = schema
    if ($ref !== undefined) {
      const resolved = this.resolve(schema)
      return resolved.properties ? nameOf($ref) : this.type(resolved)
    }
    if (constant !== undefined) return JSON.stringify(constant)
    if (values) return values.map((value) => JSON.stringify(value)).join(' | ')
    const choices = anyOf ?? oneOf
    if (choices) return [...new Set(choices.map((choice) => this.type(choice)))].join(' | ')
    if (prefixItems) return `[${prefixItems.map((item) => this.type(item)).join(', ')}]`
    if (items) return arrayOf(this.type(items))
    const named = Array.isArray(type) ? type.join(' | ') : (type ?? 'any')
    return format === undefined ? named : `${named} (${format})`
  }

  /** A value that shows how the schema is meant. Keys that may be left out are left out, if others are required. */
  example(schema: Schema, name = 'value'): unknown {
    const resolved = this.resolve(schema)
    const {
      examples,
      default: standard,
      const: constant,
      enum: values,
      anyOf,
      oneOf,
      items,
      prefixItems,
    } = resolved
    if (examples?.length) return examples[0]
    if (constant !== undefined) return constant
    if (standard !== undefined && standard !== null) return standard
    if (values) return values[0]
    const choice = (anyOf ?? oneOf)?.find(({ type }) => type !== 'null')
    if (choice) return this.example(choice, name)
    if (prefixItems) return prefixItems.map((item) => this.example(item, name))
    if (items) return resolved.maxItems === 0 ? [] : [this.example(items, name)]
    if (resolved.properties) return this.exampleObject(resolved)
    return exampleValue(resolved, name)
  }

  private exampleObject({ properties = {}, required = [] }: Schema): unknown {
    const [first] = Object.keys(properties)
    const shown = required.length > 0 ? required : first === undefined ? [] : [first]
    return Object.fromEntries(
      shown.flatMap((name) => {
        const property = properties[name]
        return property ? [[name, this.example(property, name)]] : []
      }),
    )
  }
}

const nameOf = (reference: string) => reference.split('/').at(-1) ?? ''
const arrayOf = (type: string) => (type.includes(' ') ? `(${type})[]` : `${type}[]`)

/** `artifactId` in a path is written as `ARTIFACT_ID`, for the reader to replace. */
export function placeholder(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()
}

const texts: Readonly<Record<string, string>> = {
  uuid: '01920000-0000-7000-8000-000000000000',
  'date-time': '2030-01-01T00:00:00.000Z',
  email: 'ada@example.org',
  uri: 'https://example.org/',
}

function exampleValue({ type, format, minimum, exclusiveMinimum }: Schema, name: string): unknown {
  const [kind] = [type ?? 'object'].flat()
  if (kind === 'string') return (format !== undefined && texts[format]) || placeholder(name)
  if (kind === 'boolean') return true
  if (kind === 'integer' || kind === 'number') return Math.max(1, minimum ?? 0, (exclusiveMinimum ?? 0) + 1)
  return kind === 'array' ? [] : {}
}

function describeLimits(schema: Schema): string {
  const { minimum, maximum, maxLength, maxItems, default: standard } = schema
  // zod gives every whole number the limits of JavaScript.
  const usual = (limit: number | undefined) => limit === undefined || Math.abs(limit) >= 2 ** 53 - 1
  return [
    usual(minimum) ? '' : `at least ${minimum}`,
    usual(maximum) ? '' : `at most ${maximum}`,
    maxLength === undefined ? '' : `at most ${maxLength} characters`,
    maxItems === undefined ? '' : `at most ${maxItems} items`,
    standard === undefined ? '' : `default: ${JSON.stringify(standard)}`,
  ]
    .filter(Boolean)
    .join('; ')
}
