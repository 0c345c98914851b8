import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { updateProjectSchema } from './access/projects'
import { leaveOutNullsOfMessage } from './leave-out-nulls'
import { allOperations } from './operations/operations'
import { parseInput } from './parse-input'
import { queueSubmitSchema } from './queue'

describe('a null in a JSON body', () => {
  it('counts as left out in every optional field of a submission', () => {
    const optional = Object.keys(queueSubmitSchema.shape).filter((name) => name !== 'command')
    const nulls = Object.fromEntries(optional.map((name) => [name, null]))
    expect(parseInput(queueSubmitSchema, { command: 'true', ...nulls })).toEqual(
      parseInput(queueSubmitSchema, { command: 'true' }),
    )
  })

  it('is named as missing in a field that must be given', () => {
    expect(() => parseInput(queueSubmitSchema, { command: null })).toThrow('command: is missing')
  })

  it('keeps its meaning where null has one', () => {
    expect(parseInput(updateProjectSchema, { bucket: null })).toMatchObject({ bucket: null })
  })

  it('is never refused in a field that may be left out, in any operation', () => {
    for (const { id, body } of allOperations) {
      if (!(body instanceof z.ZodObject)) continue
      for (const [name, field] of Object.entries(body.shape as Record<string, z.ZodType>)) {
        if (!field.safeParse(undefined).success) continue
        const without = body.safeParse({})
        const other = without.error?.issues.map(({ path }) => path[0] ?? '') ?? []
        try {
          parseInput(body, { [name]: null })
        } catch (error) {
          const { errors = [] } = error as { errors?: { path: string }[] }
          expect(other, `${id}: ${name}`).toEqual(expect.arrayContaining(errors.map(({ path }) => path)))
        }
      }
    }
  })

  it('counts as left out in lists and in objects within', () => {
    const schema = z.object({ list: z.array(z.object({ a: z.string().optional() })) })
    expect(parseInput(schema, { list: [{ a: null }] })).toEqual({ list: [{}] })
  })

  it('is refused in place of an object, as a whole body and in a list', () => {
    const schema = z.object({ a: z.string().optional() })
    expect(() => parseInput(schema, null)).toThrow()
    expect(() => parseInput(z.object({ list: z.array(schema) }), { list: [null] })).toThrow('list.0')
  })

  it('does not hide the name of a field that does not exist', () => {
    expect(() => parseInput(queueSubmitSchema, { command: 'true', gpus: null })).toThrow('does not exist')
  })
})

describe('a message of an agent', () => {
  it.each([
    [{ method: 'tools/list', params: null }, { method: 'tools/list' }],
    [
      { method: 'tools/call', params: { name: 'A', arguments: null, _meta: null } },
      { method: 'tools/call', params: { name: 'A' } },
    ],
    [
      {
        method: 'tools/call',
        params: { name: 'A', arguments: { archive: null, env: { A: null }, gpus: 0 } },
      },
      { method: 'tools/call', params: { name: 'A', arguments: { env: { A: null }, gpus: 0 } } },
    ],
    [
      { id: null, method: 'ping' },
      { id: null, method: 'ping' },
    ],
    ['text', 'text'],
  ])('has no null left where nothing is meant: %j', (message, expected) => {
    expect(leaveOutNullsOfMessage(message)).toEqual(expected)
  })
})
