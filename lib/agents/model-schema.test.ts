import { describe, expect, it } from 'vitest'
import { type ModelSchema, modelKeywords, toModelSchema } from './model-schema'
import { createJobSchema, diagnosedJobSchema } from './tool-schemas'
import { tools } from './tools'

/** The places of a schema with a keyword that a model API may refuse. */
function findRefused(schema: ModelSchema, place: string): string[] {
  const keywords = Object.keys(schema).filter((keyword) => !modelKeywords.some((known) => known === keyword))
  const parts = {
    ...schema.properties,
    '[]': schema.items ?? false,
    '{}': schema.additionalProperties ?? false,
  }
  const texts = schema.enum?.some((value) => typeof value !== 'string') ? [`${place}: enum of numbers`] : []
  return [
    ...keywords.map((keyword) => `${place}: ${keyword}`),
    ...texts,
    ...Object.entries(parts).flatMap(([name, part]) =>
      typeof part === 'object' ? findRefused(part, `${place}.${name}`) : [],
    ),
  ]
}

const schemas = tools.flatMap(({ name, input, output }) => [
  { name: `${name}'s input`, schema: toModelSchema(input, 'input') },
  { name: `${name}'s output`, schema: toModelSchema(output, 'output') },
])

describe("the schemas of the agents' tools", () => {
  it.each(schemas)('have only keywords that model APIs accept: $name', ({ name, schema }) => {
    expect(findRefused(schema, name)).toEqual([])
    expect(schema.properties).toBeDefined()
  })

  it.each(schemas)('give every value of $name one type, or one type and null', ({ schema }) => {
    for (const part of Object.values(schema.properties ?? {})) {
      const types = [part.type ?? []].flat().filter((type) => type !== 'null')
      expect(types).toHaveLength(1)
    }
  })

  it.each(schemas)('refuse no null that the tool permits, by a list of values: $name', ({ schema }) => {
    const check = (part: ModelSchema) => {
      if (part.enum) expect(part.type).toBe('string')
      for (const inner of [...Object.values(part.properties ?? {}), part.items]) if (inner) check(inner)
    }
    check(schema)
    const { properties } = toModelSchema(diagnosedJobSchema, 'output')
    expect(properties?.fault).toMatchObject({
      type: ['string', 'null'],
      description: expect.stringMatching(/; one of program, /),
    })
  })

  it('keep the limits, and say the defaults in words', () => {
    const { properties } = toModelSchema(createJobSchema, 'input')
    expect(properties?.gpu_count).toMatchObject({ type: 'integer', minimum: 1, maximum: 8 })
    expect(properties?.gpu_memory_gb).toMatchObject({ type: 'number', minimum: 0.1, maximum: 1024 })
    expect(properties?.max_time).toMatchObject({ type: 'number' })
    expect(properties?.depends_on).toMatchObject({ type: 'array', items: { type: 'string' } })
    expect(properties?.env).toMatchObject({ type: 'object', additionalProperties: { type: 'string' } })
    expect(properties?.instance_count?.description).toMatch(/; default: 1$/)
  })
})
