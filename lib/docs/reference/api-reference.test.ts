import { describe, expect, it } from 'vitest'
import { allOperations } from '../../contract/operations/operations'
import { apiReference } from './api-reference'
import { SchemaDescriber } from './describe-schema'
import { searchDocumentation } from './search-documentation'

const origin = 'https://gpuq.example'
const operations = apiReference(origin).flatMap((group) => group.operations)

function find(id: string) {
  const operation = operations.find((one) => one.id === id)
  if (!operation) throw new Error(`the reference lacks ${id}`)
  return operation
}

describe('the API reference', () => {
  it('has every operation once', () => {
    expect(operations.map(({ id }) => id).sort()).toEqual(allOperations.map(({ id }) => id).sort())
  })

  it('names the address of the server in every example', () => {
    for (const { examples } of operations)
      for (const example of Object.values(examples)) expect(example).toContain(`${origin}/`)
    expect(apiReference('http://other')[0]?.operations[0]?.examples.curl).toContain(
      "'http://other/api/submit'",
    )
  })

  it('sends a token only where one is needed', () => {
    expect(find('jobs.list').examples.curl).toContain('Authorization: Bearer $TOKEN')
    expect(find('server.health').examples.curl).toBe(`curl '${origin}/healthz'`)
    expect(find('server.health').access).toBe('Needs no token.')
  })

  it('uploads the files of a job', () => {
    const { curl, python, javascript } = find('jobs.submit').examples
    expect(curl).toContain('-F code=@solution.py \\\n  -F config_file=@config.yaml')
    expect(python).toContain(
      'files={"code": open("solution.py", "rb"), "config_file": open("config.yaml", "rb")},',
    )
    expect(javascript).toContain("form.append('config_file', await openAsBlob('config.yaml'), 'config.yaml')")
  })

  it('writes a body in the literals of each language', () => {
    const { curl, python, javascript } = find('queue.setHeld').examples
    expect(curl).toBe(
      `curl -X PATCH '${origin}/api/queue/ID/hold' \\\n  -H "Authorization: Bearer $TOKEN" \\\n  -H 'Content-Type: application/json' \\\n  -d '{"held":true}'`,
    )
    expect(python).toContain('json={"held": True},')
    expect(javascript).toContain('body: JSON.stringify({"held":true}),')
  })

  it('describes parameters, the body and the response', () => {
    const list = find('jobs.list')
    expect(list.parameters.find(({ name }) => name === 'limit')).toEqual({
      name: 'limit',
      in: 'query',
      required: false,
      type: 'integer',
      description: 'at least 1; at most 200; default: 50',
    })
    expect(list.responses[0]?.type).toBe('JobSummary[]')
    expect(list.responses[0]?.fields.map(({ name }) => name)).toContain('job_id')
    expect(find('tokens.create').body?.fields.find(({ name }) => name === 'scopes')?.type).toBe(
      '("submit" | "read" | "admin")[]',
    )
  })
})

it('examples of schemas leave out what may be left out, and keep one key if all may', () => {
  const schemas = new SchemaDescriber({ Name: { type: 'string' } })
  const properties = { name: { $ref: '#/components/schemas/Name' }, count: { type: 'integer', minimum: 3 } }
  expect(schemas.example({ type: 'object', properties, required: ['count'] })).toEqual({ count: 3 })
  expect(schemas.example({ type: 'object', properties })).toEqual({ name: 'NAME' })
  expect(schemas.example({ anyOf: [{ type: 'null' }, { type: 'string', format: 'email' }] })).toBe(
    'ada@example.org',
  )
})

it('an array with a type for each place is shown with all of them', () => {
  const schemas = new SchemaDescriber({})
  const lines = {
    type: 'array',
    prefixItems: [{ type: 'integer' }, { type: 'string' }],
    items: false as const,
  }
  expect(schemas.type(lines)).toBe('[integer, string]')
  expect(schemas.example(lines, 'a')).toHaveLength(2)
  expect(schemas.fields(lines)).toEqual([])
})

it('the search lists guides before operations with the same words', async () => {
  const [first] = await searchDocumentation('snapshot')
  expect(first?.href).toMatch(/^\/docs\/(user|admin)-guide\//)
})

it('the search finds operations by their summary and by their path', async () => {
  const expected = {
    href: '/docs/api/jobs#jobs.cancel',
    path: ['API reference', 'Jobs', 'Cancel a job or an entry'],
  }
  expect(await searchDocumentation('cancel a job or an entry')).toContainEqual(
    expect.objectContaining(expected),
  )
  expect((await searchDocumentation('PATCH queue hold')).map(({ href }) => href)).toContain(
    '/docs/api/queue#queue.setHeld',
  )
})
