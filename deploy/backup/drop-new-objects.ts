import pg from 'pg'
import { z } from 'zod'

/** Something that migrations create in a schema. */
const objectSchema = z.object({
  kind: z.enum(['VIEW', 'TABLE', 'SEQUENCE', 'TYPE', 'FUNCTION']),
  /** Quoted, with its arguments if it is a function. */
  name: z.string(),
})

export type DatabaseObject = z.infer<typeof objectSchema>

/** Lists views, tables, sequences, enum types and functions of the current schema, in the order in which they can be dropped. */
export async function listObjects(client: pg.Client): Promise<DatabaseObject[]> {
  const { rows } = await client.query(
    `SELECT CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS kind, oid::regclass::text AS name
       FROM pg_class WHERE relkind IN ('v', 'r', 'S') AND relnamespace = current_schema()::regnamespace
     UNION ALL
     SELECT 'TYPE', oid::regtype::text FROM pg_type WHERE typtype = 'e' AND typnamespace = current_schema()::regnamespace
     UNION ALL
     SELECT 'FUNCTION', oid::regprocedure::text FROM pg_proc WHERE prokind = 'f' AND pronamespace = current_schema()::regnamespace`,
  )
  const found = z.array(objectSchema).parse(rows)
  return objectSchema.shape.kind.options.flatMap((kind) => found.filter((object) => object.kind === kind))
}

/** Drops what a failed restore has created in a database that had only `before`, so that another try finds it empty. */
export async function dropNewObjects(url: string, before: readonly DatabaseObject[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const had = new Set(before.map(({ kind, name }) => `${kind} ${name}`))
    const created = (await listObjects(client)).filter(({ kind, name }) => !had.has(`${kind} ${name}`))
    await client.query('BEGIN')
    // A sequence of a column is gone with its table.
    for (const { kind, name } of created) await client.query(`DROP ${kind} IF EXISTS ${name} CASCADE`)
    await client.query('COMMIT')
  } finally {
    await client.end()
  }
}
