import { expect, it } from 'vitest'
import { listAuditSchema } from '@/lib/contract/access/access'
import { toAuditFilters } from './audit-filters'

const read = (query: string) => toAuditFilters(new URLSearchParams(query))

it('reads the filters that the API accepts', () => {
  const filters = { actor: 'ada.l-1', action: 'token_created' }
  expect(listAuditSchema.safeParse(filters).success).toBe(true)
  expect(read('actor=ada.l-1&action=token_created')).toEqual(filters)
})

it.each(['actor=', 'actor=two words', 'actor=-ada', 'action=', 'action=Token', `action=${'a'.repeat(65)}`])(
  'leaves out %s, which the API rejects',
  (query) => {
    expect(listAuditSchema.safeParse(Object.fromEntries(new URLSearchParams(query))).success).toBe(false)
    expect(read(query)).toEqual({})
  },
)
