import { beforeAll, describe, expect, it, vi } from 'vitest'
import { makePerson, type Person } from '../../access/testing/people'
import { modelTableSchema } from '../../contract/cluster/policy'
import { testDatabase } from '../../database/testing/test-database'
import { readModels, replaceModels, resolveModels } from './model-table'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [admin, ada] = [] as unknown as [Person, Person]
beforeAll(async () => {
  ;[admin, ada] = [await makePerson('admin'), await makePerson()]
})

describe('the model table', () => {
  it('is empty at first, so that every model needs one GPU', async () => {
    expect(await readModels()).toEqual({ default_requirement: 1, models: {} })
    expect(await resolveModels(['anything'])).toBe(1000)
  })

  it('is replaced as a whole, only by admins', async () => {
    const small = { default_requirement: 0.25, models: { tiny: 0.125 } }
    const large = { default_requirement: 2, models: { 'Qwen2.5-3B': 0.5, 'qwen2.5-72b': 4, __proto: 8 } }
    expect(await replaceModels(admin.actor, small)).toEqual(small)
    expect(await replaceModels(admin.actor, large)).toEqual(large)
    await expect(replaceModels(ada.actor, small)).rejects.toMatchObject({ status: 403 })
    expect(await readModels()).toEqual(large)
    const { rows } = await db.pool.query('SELECT detail FROM audit_events ORDER BY at DESC, id DESC LIMIT 1')
    expect(rows).toEqual([{ detail: { default_requirement: 2, models: 3 } }])
  })

  it('ignores letter case, and returns the most demanding of several models', async () => {
    expect(await resolveModels(['QWEN2.5-3b'])).toBe(500)
    expect(await resolveModels(['unknown'])).toBe(2000)
    expect(await resolveModels(['qwen2.5-3b', 'qwen2.5-72B'])).toBe(4000)
    expect(await resolveModels(['qwen2.5-3b', 'unknown'])).toBe(2000)
  })

  it('is one of several concurrent tables, and never a mixture', async () => {
    const tables = [1, 2, 3, 4, 5].map((gpus) => {
      return { default_requirement: gpus, models: { [`model-${gpus}`]: gpus, shared: gpus } }
    })
    await Promise.all(tables.map((table) => replaceModels(admin.actor, table)))
    expect(tables).toContainEqual(await readModels())
  })

  it.each([
    [{ default_requirement: 1 }],
    [{ default_requirement: 0, models: {} }],
    [{ default_requirement: 1, models: { a: 9 } }],
    [{ default_requirement: 1, models: { a: 0.12345 } }],
    [{ default_requirement: 1, models: { a: '1' } }],
    [{ default_requirement: 1, models: { a: 1, A: 2 } }],
    [{ default_requirement: 1, models: { 'a\0b': 1 } }],
    [{ default_requirement: 1, models: {}, more: 1 }],
  ])('is not %j', (table) => {
    expect(modelTableSchema.safeParse(table).success).toBe(false)
  })
})
