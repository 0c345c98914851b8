import { createHash } from 'node:crypto'
import { imageExtensions, maxImageBytes } from '../artifacts/contract-image-names'
import type { StoredSpec } from '../contract/config/stored-spec'
import { type SummaryRow, summaryColumns } from '../jobs/read/list'
import { type Grouped, groupKey } from '../metrics/contract-group-key'
import { numberIn } from '../metrics/contract-group-rows'
import { maxPictures } from './contract-columns'

/** A row with {@link resultColumnsOf}. */
export interface ResultJob extends SummaryRow {
  owner_id: string
  spec: StoredSpec
  command: string | null
  pictures: { artifact_id: string; path: string }[]
}

/** A job may write thousands of files. Only the first ones are searched for pictures. */
const searchedFiles = 500
/** A command may be long, and its options are at its beginning. */
const maxCommandCharacters = 4000
/** The tables show 200 characters. */
const maxGroupCharacters = 180

/** SQL of the pictures that the last attempt of a job `j` wrote to /results, the first ones by rank and path. */
export const picturesOfJob = `coalesce((
  SELECT jsonb_agg(jsonb_build_object('artifact_id', picture.id, 'path', picture.path) ORDER BY picture.rank, picture.path)
    FROM (SELECT * FROM (SELECT f.id, f.rank, f.path, f.bytes FROM artifacts f
                          WHERE f.job_id = j.id AND f.attempt = j.attempt ORDER BY f.rank, f.path LIMIT ${searchedFiles}) f
           WHERE f.path ~* '[.](?:${imageExtensions.join('|')})$' AND f.bytes <= ${maxImageBytes}
           ORDER BY f.rank, f.path LIMIT ${maxPictures}) picture), '[]')`

/** SQL of what the results need of a job `j`, with the joins of a summary. */
export const resultColumnsOf = (pictures: boolean) => `${summaryColumns}, j.user_id AS owner_id, j.spec,
  left(j.command, ${maxCommandCharacters}) AS command, ${pictures ? picturesOfJob : "'[]'::jsonb"} AS pictures`

/**
 * What a job can be grouped by. The values of variables, and the address of notifications, may be secrets of its owner.
 * @param own whether the reader may see these
 */
export function groupedOf({ spec, command, tags }: ResultJob, own: boolean): Grouped {
  const { notify_url, env, tags: _, ...config } = spec
  return { tags, config: { ...config, command, ...(own ? { env, notify_url } : {}) } }
}

/**
 * The value by which a job is grouped; null: none. A long value ends with its hash, so that values which differ only at their end are
 * not one group.
 */
export function groupOf(grouped: Grouped, by: string): string | null {
  const value = groupKey(grouped, by) ?? null
  if (value === null || value.length <= maxGroupCharacters) return value
  const hash = createHash('sha256').update(value).digest('hex').slice(0, 8)
  return `${value.slice(0, maxGroupCharacters)}… #${hash}`
}

/** The chosen metrics that a job has. */
export function chosenMetrics({ metrics }: ResultJob, names: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = numberIn(metrics, name)
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
}
