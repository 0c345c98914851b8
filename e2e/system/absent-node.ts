import { randomUUID } from 'node:crypto'
import pg from 'pg'

/** The longest model that a config can name. */
const model = 'W'.repeat(100)
/** More GB than any GPU has that runs jobs here. */
const memoryMib = 2 ** 20

/**
 * Registers a node whose worker has stopped. A job that fits only there is accepted and waits. No node that runs is like it, so
 * what the tests say about the other nodes stays true.
 */
export async function registerAbsentNode(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    await client.query(
      `WITH node AS (
         INSERT INTO nodes (id, number, name, status, engine_id, engine_version, lease_id, lease_expires_at, cpu_milli, memory_mib)
         SELECT gen_random_uuid(), coalesce(max(number), -1) + 1, 'absent', 'drained', 'absent', '29.5', gen_random_uuid(), now(), 8000, 16384
           FROM nodes RETURNING id)
       INSERT INTO gpus (id, node_id, index, uuid, model, memory_mib)
       SELECT $1, id, 0, 'GPU-absent-0', $2, $3 FROM node`,
      [randomUUID(), model, memoryMib],
    )
  } finally {
    await client.end()
  }
}
