import { expect, it } from 'vitest'
import * as z from 'zod'
import { allOperations } from './operations'

/** Names that users, admins or other programs choose, under which gpuq stores nothing on the machine of a user. */
const chosenNames = /\.(user_id|project_id|competition_id|run_id|checks\.id)$/

const named = allOperations.map((operation) => [operation.id, operation] as const)

it.each(named)(
  'no id in an answer of %s can be a path: a hostile server chooses the answer',
  (_, { responses }) => {
    const schemas = Object.values(responses).flatMap(({ schema, item }) => [schema, item])
    const found = schemas.flatMap((schema) => (schema === undefined ? [] : idsOf(schema, '')))
    const accepting = found.filter(({ schema }) => schema.safeParse('../x').success)
    expect(accepting.map(({ path }) => path).filter((path) => !chosenNames.test(path))).toEqual([])
  },
)

it('finds the ids of answers in lists, in unions and behind null', () => {
  const schema = z.array(z.object({ a: z.union([z.object({ some_id: z.string() }), z.string()]).nullable() }))
  expect(idsOf(schema, '').map(({ path }) => path)).toEqual(['.a.some_id'])
})

/** All fields named `id`, `ids`, `…_id` or `…_ids` in a schema, with their paths. */
function idsOf(schema: z.core.$ZodType, path: string): { path: string; schema: z.ZodType }[] {
  const { shape = {}, ...parts }: { shape?: Record<string, z.ZodType> } = schema._zod.def as object
  const fields = Object.entries(shape).flatMap(([name, field]) => {
    const here = `${path}.${name}`
    const inner = idsOf(field, here)
    return /^(.*_)?ids?$/.test(name) ? [{ path: here, schema: field }, ...inner] : inner
  })
  const inner = Object.values(parts)
    .flat()
    .filter((part) => part instanceof z.core.$ZodType)
  return [...fields, ...inner.flatMap((part) => idsOf(part, path))]
}
