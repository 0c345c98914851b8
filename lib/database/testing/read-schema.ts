import type pg from 'pg'

/** Reads everything that the schema of a database consists of, one line each, without regard to layout and comments. */
export async function readSchema(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ object: string }>(`
    SELECT format('column %s.%s %s%s%s%s', c.relname, a.attname, format_type(atttypid, atttypmod),
                  CASE WHEN attnotnull THEN ' NOT NULL' END, ' DEFAULT ' || pg_get_expr(adbin, adrelid),
                  attidentity::text || attgenerated::text) AS object
      FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v') AND attnum > 0 AND NOT attisdropped
    UNION ALL SELECT format('constraint %s on %s %s', conname, conrelid::regclass, pg_get_constraintdef(oid))
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
    UNION ALL SELECT 'index ' || indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT 'function ' || pg_get_functiondef(oid)
      FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prokind IN ('f', 'p')
    UNION ALL SELECT 'trigger ' || pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT format('view %s %s', relname, pg_get_viewdef(oid))
      FROM pg_class WHERE relkind = 'v' AND relnamespace = 'public'::regnamespace
    UNION ALL SELECT format('relation %s %s %s %s', relname, relkind, relpersistence, reloptions)
      FROM pg_class WHERE relkind NOT IN ('i', 'c', 't') AND relnamespace = 'public'::regnamespace
    UNION ALL SELECT format('type %s %s', typname, (SELECT string_agg(enumlabel, ', ' ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = t.oid))
      FROM pg_type t WHERE typtype IN ('e', 'd') AND typnamespace = 'public'::regnamespace
    UNION ALL SELECT 'statistics ' || pg_get_statisticsobjdef(oid) FROM pg_statistic_ext
    UNION ALL SELECT 'extension ' || extname FROM pg_extension`)
  const objects = rows.map(({ object }) => withoutLayout(object))
  // Prisma's own table appears with the first migration.
  return objects.filter((object) => !object.includes('_prisma_migrations')).sort()
}

function withoutLayout(text: string): string {
  return text
    .replaceAll(/--[^\n]*/g, '')
    .replaceAll(/"([a-z][a-z0-9_]*)"/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
