import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { idSchema } from '@/lib/contract/jobs'
import { check } from './use-schema-form'

const schema = z.object({
  user_id: idSchema,
  email: z.union([z.literal(''), z.email()]).transform((email) => email || undefined),
  name: z.string().trim().min(1).max(5),
  password: z.string().min(10),
  scopes: z.array(z.string()).min(1),
})

const right = { user_id: 'ada', email: '', name: ' Ada ', password: '0123456789', scopes: ['read'] }

describe('check', () => {
  it('returns the parsed values', () => {
    const checked = check(schema, right)
    expect(checked).toMatchObject({ ok: true, parsed: { name: 'Ada', email: undefined }, errors: {} })
  })

  it.each([
    ['name', '  ', 'Fill in this field.'],
    ['name', 'too long', 'Use at most 5 characters.'],
    ['password', 'short', 'Use at least 10 characters.'],
    ['scopes', [], 'Select at least one.'],
    [
      'user_id',
      'a/b',
      'Use 1 to 64 letters, digits, dots, dashes or underscores, and start with a letter or digit',
    ],
  ])('reports an error for %s = %j', (field, value, sentence) => {
    expect(check(schema, { ...right, [field]: value })).toEqual({ ok: false, errors: { [field]: sentence } })
  })

  it('reports every invalid field at once', () => {
    const { errors } = check(schema, { ...right, name: '', password: '' })
    expect(Object.keys(errors)).toEqual(['name', 'password'])
  })
})
