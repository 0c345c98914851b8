import { env } from '../env'

/** SQL for the days for which a project keeps files: its own setting, otherwise the default. Null: forever. */
export const retentionDaysOf = (project: string) =>
  `nullif(coalesce(${project}.retention_days, ${defaultDays()}), 0)`

/**
 * SQL for the time before which files of a project have expired; null: none expire. The default counts no time
 * before the upgrade that introduced it, so that the first sweep deletes nothing.
 */
export const retentionCutoffOf = (project: string) =>
  `(CASE WHEN ${project}.retention_days > 0 THEN now() - make_interval(days => ${project}.retention_days)
         WHEN ${project}.retention_days IS NULL AND ${defaultDays()} > 0
              AND (SELECT retention_from FROM policies) < now() - make_interval(days => ${defaultDays()})
         THEN now() - make_interval(days => ${defaultDays()}) END)`

/** A whole number, so that it is safe inside of SQL. */
const defaultDays = () => Math.trunc(env().GPUQ_RETENTION_DAYS)
