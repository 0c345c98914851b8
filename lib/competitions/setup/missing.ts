import type { Transaction } from '../../database/transaction'
import type { CompetitionConfig } from '../contract-config'

/** Says what a competition needs before it can be published, in sentences. */
export async function findMissing(
  executor: Transaction,
  id: string,
  { datasets }: Pick<CompetitionConfig, 'datasets'>,
): Promise<string[]> {
  const { rows } = await executor.query<{ name: string }>({
    name: 'missing-directories',
    text: `SELECT n.name FROM unnest($2::text[]) WITH ORDINALITY AS n (name, place)
            WHERE NOT EXISTS (SELECT 1 FROM competition_datasets d WHERE d.competition_id = $1 AND d.name = n.name)
           UNION ALL
           SELECT 'scorer' WHERE NOT EXISTS (SELECT 1 FROM competition_scorers WHERE competition_id = $1)`,
    values: [id, Object.keys(datasets)],
  })
  return rows.map(({ name }) =>
    name === 'scorer'
      ? 'The scoring program has no version: push its directory as the snapshot "scorer".'
      : `The dataset "${name}" has no version: push its directory as the snapshot "${name}".`,
  )
}
