import { type Actor, isAdmin, requireAdmin } from '../../access/actor'
import type { SuggestionsQuery } from '../../contract/job-queries'
import type { SuggestedKey } from '../../contract/search/search-keys'
import { database } from '../../database/client'
import { managedProjects } from './job-visibility'

/** The values of the newest jobs are enough: an older value can be typed. */
const examinedJobs = 2_000
const most = 10

/** SQL of the values of one key. $1 is the user; null: all users. */
const jobs = (columns: string) =>
  `(SELECT ${columns} FROM jobs WHERE $1::uuid IS NULL OR user_id = $1 ORDER BY created_at DESC, id DESC LIMIT ${examinedJobs}) j`

const sources: Record<SuggestedKey, string> = {
  tag: `SELECT unnest(j.tags) AS value FROM ${jobs('tags')}`,
  competition: `SELECT j.competition_id AS value FROM ${jobs('competition_id')}`,
  user: `SELECT handle AS value FROM users u WHERE $1::uuid IS NULL OR u.id = $1 OR u.id IN (
           SELECT fellow.user_id FROM memberships fellow WHERE fellow.project_id IN (${managedProjects('$1')}))`,
  project: `SELECT slug AS value FROM projects p WHERE $1::uuid IS NULL OR p.owner_id = $1
              OR EXISTS (SELECT FROM memberships m WHERE m.project_id = p.id AND m.user_id = $1)`,
  environment: 'SELECT name AS value FROM environments WHERE true OR $1::uuid IS NULL',
  metric: `SELECT jsonb_object_keys(j.final_metrics) AS value FROM ${jobs('final_metrics')}`,
}

/** Lists values that a search can name and that begin with a text, the shortest first. */
export async function suggestValues(actor: Actor, { key, text, all }: SuggestionsQuery): Promise<string[]> {
  if (all) requireAdmin(actor)
  const everyone = all || (key === 'user' && isAdmin(actor))
  const { rows } = await database().pool.query<{ value: string }>(
    `SELECT value FROM (SELECT DISTINCT value FROM (${sources[key]}) source WHERE starts_with(lower(value), lower($2))) found
      ORDER BY length(value), value LIMIT ${most}`,
    [everyone ? null : actor.userId, text],
  )
  return rows.map(({ value }) => value)
}
