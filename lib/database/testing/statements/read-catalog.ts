import type pg from 'pg'
import type { Catalog } from './compare'

/** Reads the types of a database, and its columns that can be null. */
export async function readCatalog(pool: pg.Pool): Promise<Catalog> {
  const { rows: types } = await pool.query(
    `SELECT t.oid, t.typname AS name, CASE WHEN t.typcategory = 'A' THEN t.typelem ELSE 0 END AS element,
            (SELECT array_agg(enumlabel::text) FROM pg_enum WHERE enumtypid = t.oid) AS labels FROM pg_type t`,
  )
  const { rows: nullable } = await pool.query(
    `SELECT a.attrelid || '.' || a.attnum AS id, a.attname AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      WHERE c.relkind = 'r' AND NOT a.attnotnull`,
  )
  return {
    types: new Map(types.map(({ oid, ...type }) => [oid, type])),
    nullable: new Map(nullable.map(({ id, name }) => [id, name])),
  }
}
