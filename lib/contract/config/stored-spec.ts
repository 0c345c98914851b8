import * as z from 'zod'
import { configSchema, type ParsedConfig } from './schema'

// The token is never stored, and no job has the keys of entries. The other keys named here have columns of their own.
const { token, user_id, command, competition_id, project_id, expected_time, phase, rehearse, ...storedKeys } =
  configSchema.shape

/** A job's config as `jobs.spec` keeps it. */
export type StoredSpec = Pick<ParsedConfig, keyof typeof storedKeys>

/**
 * A key's type and default without its limits. A job stays readable after a release changes the limits of new configs.
 */
function withoutLimits(schema: z.core.$ZodType): z.ZodType {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'optional':
      return withoutLimits(def.innerType).optional()
    case 'default':
      return withoutLimits(def.innerType).default(def.defaultValue)
    case 'pipe':
      return withoutLimits(def.out)
    case 'array':
      return z.array(withoutLimits(def.element))
    case 'record':
      return z.record(z.string(), withoutLimits(def.valueType))
    case 'number':
      return z.number()
    case 'string':
      return z.string()
    case 'boolean':
      return z.boolean()
    case 'enum':
      return z.enum(def.entries)
    default:
      throw new Error(`lib/contract/config/stored-spec.ts does not handle the zod type ${def.type}`)
  }
}

const storedSpecSchema = z.looseObject(
  Object.fromEntries(Object.entries(storedKeys).map(([key, schema]) => [key, withoutLimits(schema)])),
)

/** Reads the JSON of `jobs.spec`. A key that an older release did not write gets its default. */
export function readSpec(json: unknown): StoredSpec {
  return storedSpecSchema.parse(json) as StoredSpec
}

/** A row as the database returns it, before {@link parseSpec}. */
export type Unparsed<Row extends { spec: StoredSpec }> = Omit<Row, 'spec'> & { spec: unknown }

/** Parses the spec of a row. Every query that selects `jobs.spec` calls this, so that other code gets a typed spec. */
export function parseSpec<Row extends { spec: unknown }>(row: Row): Omit<Row, 'spec'> & { spec: StoredSpec } {
  return { ...row, spec: readSpec(row.spec) }
}

/** The spec as the result file shows it. It omits the values of environment variables: they may be secrets. */
export function publicSpec(spec: StoredSpec): Record<string, unknown> {
  return { ...spec, env: Object.keys(spec.env) }
}
