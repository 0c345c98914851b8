import * as z from 'zod'
import type { Actor } from '../access/actor'
import { notFound } from '../contract/errors'
import { type JobStatus, toUploadStatus } from '../contract/status'
import { database } from '../database/client'
import { datesToText, type WithDates } from '../database/dates'
import { cutPage, decodeTimeCursor, type Page } from '../database/pagination'
import { findRow, indexedTransaction } from '../database/transaction'
import { statusOf } from '../jobs/dependencies/member-counts'
import { visibilityFilter } from '../jobs/read/job-visibility'
import { followersInTree, followersOf, metricsColumn } from '../jobs/read/list'
import {
  type Experiment,
  type ExperimentPlace,
  type experimentListQuerySchema,
  noteExcerpt,
} from './contract'

interface Row extends Omit<WithDates<Experiment, 'created_at'>, 'status'> {
  status: JobStatus
}

/** Experiments with what the conditions on visibility may need. A statement that does not use the token does not read it. */
const candidates = `(
  SELECT e.id, e.user_id, e.project_id, e.parent_id, e.created_at, coalesce(ej.token_id, eg.token_id) AS token_id, ej.group_id
    FROM experiments e LEFT JOIN jobs ej ON ej.id = e.job_id LEFT JOIN job_groups eg ON eg.id = e.group_id) j`

/**
 * Reads experiments.
 * @param page SQL for their ids
 * @param tokenId SQL of the token of an agent, whose followers count; its value null: all count
 */
const selectNodes = (page: string, tokenId: string) => `
  SELECT x.id, CASE WHEN x.group_id IS NULL THEN 'job' ELSE 'group' END AS kind, coalesce(j.name, g.name) AS name, coalesce(j.status::text, ${statusOf('g')}) AS status,
         u.handle AS user_id, p.slug AS project_id, x.parent_id AS parent, s.spec->>'hypothesis' AS hypothesis,
         left(CASE WHEN j.id IS NULL THEN g.spec->>'note' ELSE j.note END, ${noteExcerpt}) AS note, s.spec ? 'parent' AND x.parent_id IS NULL AS parent_deleted,
         ${followersInTree('x', tokenId)} AS followers,
         CASE WHEN j.id IS NOT NULL THEN ${metricsColumn} WHEN best.job_id IS NOT NULL THEN jsonb_build_object(best.name, best.value) ELSE '{}' END AS metrics,
         coalesce(j.id, best.job_id) AS compared_job, x.created_at,
         (SELECT jsonb_build_object('token_id', k.id, 'name', k.name) FROM api_tokens k WHERE k.id = coalesce(j.token_id, g.token_id)) AS submitted_with
    FROM (${page}) page JOIN experiments x ON x.id = page.id
    LEFT JOIN jobs j ON j.id = x.job_id LEFT JOIN job_groups g ON g.id = x.group_id
    CROSS JOIN LATERAL (SELECT coalesce(j.spec, g.spec) AS spec) s
    JOIN users u ON u.id = x.user_id JOIN projects p ON p.id = x.project_id
    LEFT JOIN LATERAL (
      SELECT m.job_id, m.name, m.value FROM group_members o JOIN jobs b ON b.id = o.job_id JOIN job_metrics m ON m.job_id = b.id AND m.name = g.spec#>>'{objective,metric}'
       WHERE o.group_id = g.id AND b.status = 'completed'
       ORDER BY m.value * CASE g.spec#>>'{objective,mode}' WHEN 'max' THEN -1 ELSE 1 END, o.index LIMIT 1) best ON true
   ORDER BY x.created_at DESC, x.id DESC`

function toExperiment(row: Row): Experiment {
  return { ...datesToText(row), status: toUploadStatus(row.status) }
}

/** Lists the experiments of the actor, or those of a project that the actor may see, the newest first. */
export async function listExperiments(
  actor: Actor,
  { project_id, limit, cursor }: z.output<typeof experimentListQuerySchema>,
): Promise<Page<Experiment>> {
  const { at, id } = decodeTimeCursor(cursor)
  const { sql, values } = visibilityFilter(actor, 7)
  const { rows } = await indexedTransaction((tx) =>
    tx.query<Row>(
      selectNodes(
        `SELECT j.id FROM ${candidates}
                  WHERE ${sql} AND ($1::uuid IS NULL OR j.user_id = $1)
                    AND ($2::text IS NULL OR j.project_id IN (SELECT id FROM projects WHERE slug = $2))
                    AND ($3::timestamptz IS NULL OR (j.created_at, j.id) < ($3, $4::uuid))
                  ORDER BY j.created_at DESC, j.id DESC LIMIT $5`,
        '$6',
      ),
      [
        project_id === undefined ? actor.userId : null,
        project_id ?? null,
        at,
        id,
        limit + 1,
        actor.restriction?.agent?.tokenId,
        ...values,
      ],
    ),
  )
  return cutPage(rows, limit, (row) => [row.created_at.toISOString(), row.id], toExperiment)
}

/** How many followers an answer about one experiment has. */
const maxFollowers = 20

/** Reads what a job or a group follows, and what follows it. @throws 404, the same for an unknown id and for another user's. */
export async function readPlace(actor: Actor, given: string): Promise<ExperimentPlace> {
  const tokenId = actor.restriction?.agent?.tokenId
  const { sql, values } = visibilityFilter(actor, 3)
  const all = (table: string) => `SELECT j.id, j.spec FROM ${table} j WHERE ${sql} AND j.id = $1`
  const found = z.uuid().safeParse(given).success
    ? await findRow<{ id: string; parent_id: string | null; parent_deleted: boolean; followers: number }>(
        database().pool,
        `SELECT o.id, x.parent_id, o.spec ? 'parent' AND x.parent_id IS NULL AS parent_deleted,
                ${followersOf('o', '$2')} AS followers
           FROM (${all('jobs')} UNION ALL ${all('job_groups')}) o LEFT JOIN experiments x ON x.id = o.id`,
        [given, tokenId, ...values],
      )
    : null
  if (!found) throw notFound('You have no job or group with this id. GET /api/experiments lists experiments.')
  const { id, parent_id, parent_deleted, followers } = found
  const { rows } = await indexedTransaction((tx) =>
    tx.query<Row>(
      selectNodes(
        `(SELECT j.id FROM ${candidates} WHERE j.parent_id = $1 AND j.group_id IS DISTINCT FROM $1 AND ${sql}
                  ORDER BY j.created_at DESC, j.id DESC LIMIT ${maxFollowers})
                 UNION SELECT j.id FROM ${candidates} WHERE j.id = $${values.length + 3} AND ${sql}`,
        '$2',
      ),
      [id, tokenId, ...values, parent_id],
    ),
  )
  const experiments = rows.map(toExperiment)
  return {
    follows: experiments.find((one) => one.id === parent_id) ?? null,
    parent_deleted,
    followed_by: experiments.filter((one) => one.parent === id),
    followers,
  }
}
