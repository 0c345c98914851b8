import { conflict } from '../contract/errors'
import type { PhaseConfig } from './contract-config'

/** SQL: the newest snapshot of each dataset of the competition `c`, as NAME@VERSION by name. */
export const newestDatasets = `(SELECT coalesce(jsonb_object_agg(d.name, d.reference), '{}')
  FROM (SELECT DISTINCT ON (d.name) d.name, s.name || '@' || s.version AS reference
          FROM competition_datasets d JOIN snapshots s ON s.id = d.snapshot_id
         WHERE d.competition_id = c.id ORDER BY d.name, d.version DESC) d)`

/** SQL: the id of the newest scoring program of the competition `c`. */
export const newestScorer =
  '(SELECT s.id FROM competition_scorers s WHERE s.competition_id = c.id ORDER BY s.version DESC LIMIT 1)'

/** The newest versions of the data of a competition. */
export interface NewestVersions {
  slug: string
  /** As NAME@VERSION, by name. */
  datasets: Record<string, string>
}

/** The newest version of a dataset. @throws 409 if it has none. */
export function newestOf({ slug, datasets }: NewestVersions, name: string): string {
  const reference = datasets[name]
  if (reference === undefined)
    throw conflict(`The dataset "${name}" of "${slug}" has not been uploaded. Ask a host to upload it.`)
  return reference
}

/** What scoring programs of a phase read besides what the entries have read, by path. */
export function newestLabels(newest: NewestVersions, { labels }: PhaseConfig): Record<string, string> {
  return Object.fromEntries(labels.map((name) => [`/labels/${name}`, newestOf(newest, name)]))
}
