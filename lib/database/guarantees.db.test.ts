import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testDatabase } from './testing/test-database'
import { transaction } from './transaction'

const db = testDatabase()

async function seedGpu(): Promise<string> {
  const node = randomUUID()
  await db.pool.query(
    `INSERT INTO nodes (id, number, name, engine_id, engine_version, lease_id, lease_expires_at, cpu_milli, memory_mib)
     VALUES ($1, 0, $2, 'engine', '1', gen_random_uuid(), now(), 1000, 1000)`,
    [node, node],
  )
  const gpu = randomUUID()
  await db.pool.query(
    `INSERT INTO gpus (id, node_id, index, uuid, model, memory_mib) VALUES ($1::uuid, $2, 0, $1::text, 'm', 1)`,
    [gpu, node],
  )
  return gpu
}

describe('the database itself', () => {
  it('never lets a GPU be given twice, however many try at once', async () => {
    const gpu = await seedGpu()
    const take = () =>
      db.pool.query('UPDATE gpus SET allocated_milli = allocated_milli + 700 WHERE id = $1', [gpu])
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, take))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('treats handles that differ in case as the same', async () => {
    const insert = (handle: string) =>
      db.pool.query('INSERT INTO users (id, handle) VALUES (gen_random_uuid(), $1)', [handle])
    await insert('Ada')
    await expect(insert('ada')).rejects.toMatchObject({ code: '23505' })
  })

  it('rolls a transaction back as a whole', async () => {
    await expect(
      transaction(async (tx) => {
        await tx.query("INSERT INTO users (id, handle) VALUES (gen_random_uuid(), 'gone')")
        throw new Error('stop')
      }),
    ).rejects.toThrow('stop')
    const { rowCount } = await db.pool.query("SELECT 1 FROM users WHERE handle = 'gone'")
    expect(rowCount).toBe(0)
  })
})
