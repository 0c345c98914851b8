import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import { type Actor, requireAdmin } from '../../access/actor'
import { recordAudit } from '../../access/audit'
import { findProject, type Submitter } from '../../access/projects/submission-project'
import type { AuditAction } from '../../contract/access/audit-actions'
import type { Pool } from '../../contract/config/pools'
import { conflict, invalidField, notFound } from '../../contract/errors'
import { database } from '../../database/client'
import { findRow, isUniqueViolation, oneRow, type Transaction, transaction } from '../../database/transaction'
import { requireEngine } from '../../engine/external-engine'
import type { createSlurmTargetSchema, SlurmTargetView, updateSlurmTargetSchema } from '../contract'
import { readSlurmCluster } from './stored-cluster'

const columns = `t.id, o.handle AS owner, p.slug AS project_id, t.pool, t.account, t.partition, t.qos, t.reservation`
const source = `slurm_targets t LEFT JOIN projects p ON p.id = t.project_id LEFT JOIN users o ON o.id = p.owner_id`

/** SQL for where a job goes in Slurm: the row of its project, otherwise that of its pool, otherwise the default. */
export function slurmTargetOf(projectId: string, pool: string): string {
  return `SELECT account, partition, qos, reservation FROM slurm_targets
           WHERE (project_id IS NULL OR project_id = ${projectId}) AND (pool IS NULL OR pool::text = ${pool})
           ORDER BY project_id IS NULL, pool IS NULL LIMIT 1`
}

/** The partition for a user's job in a project, which may not exist yet. Null: Slurm's default. */
export async function findTargetPartition(
  executor: Transaction,
  submitter: Submitter,
  project: string,
  pool: Pool,
): Promise<string | null> {
  const known = await findProject(executor, submitter, project)
  const target = await findRow<{ partition: string | null }>(executor, {
    name: 'slurm-target-of',
    text: `SELECT partition FROM (${slurmTargetOf('$1::uuid', '$2::text')}) target`,
    values: [known?.id ?? null, pool],
  })
  return target?.partition ?? null
}

function authorize(actor: Actor): void {
  requireAdmin(actor)
  requireEngine('slurm', 'This gpuq does not use Slurm, so its jobs have no account or partition.')
}

/** Lists where jobs go in Slurm: rows of projects, then those of pools, then the default. */
export async function listTargets(actor: Actor): Promise<SlurmTargetView[]> {
  authorize(actor)
  const { rows } = await database().pool.query<SlurmTargetView>(
    `SELECT ${columns} FROM ${source}
      ORDER BY t.project_id IS NULL, lower(o.handle), lower(p.slug), t.pool IS NULL, t.pool`,
  )
  return rows
}

/**
 * Adds a row. Jobs that are in Slurm already stay where they are.
 * @throws 409 if the project and pool have a row, 422 for an unknown project or partition.
 */
export async function createTarget(
  actor: Actor,
  { project, ...input }: z.output<typeof createSlurmTargetSchema>,
): Promise<SlurmTargetView> {
  authorize(actor)
  await requirePartition(input.partition)
  const id = uuidv7()
  return transaction(async (tx) => {
    const projectId = project === null ? null : await findProjectId(tx, project)
    const { pool, account, partition, qos, reservation } = input
    await tx
      .query(
        `INSERT INTO slurm_targets (id, project_id, pool, account, partition, qos, reservation)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [id, projectId, pool, account, partition, qos, reservation],
      )
      .catch((error) => {
        if (!isUniqueViolation(error, 'slurm_targets_project_id_pool_key')) throw error
        throw conflict(`There is a row for ${describeRow(project, pool)} already. Change that one.`)
      })
    await audit(tx, actor, 'slurm_target_created', { project, pool }, input)
    return readTarget(tx, id)
  })
}

/** Replaces where the jobs of a row go. @throws 404, or 422 for an unknown partition. */
export async function updateTarget(
  actor: Actor,
  id: string,
  input: z.output<typeof updateSlurmTargetSchema>,
): Promise<SlurmTargetView> {
  authorize(actor)
  await requirePartition(input.partition)
  return transaction(async (tx) => {
    const before = await findTarget(tx, id)
    await tx.query(
      'UPDATE slurm_targets SET account = $2, partition = $3, qos = $4, reservation = $5 WHERE id = $1',
      [before.id, input.account, input.partition, input.qos, input.reservation],
    )
    await audit(tx, actor, 'slurm_target_updated', namesOf(before), input)
    return readTarget(tx, before.id)
  })
}

/** Deletes a row. Jobs of its project or pool use the next general row from now on. @throws 404. */
export function deleteTarget(actor: Actor, id: string): Promise<void> {
  authorize(actor)
  return transaction(async (tx) => {
    const before = await findTarget(tx, id)
    await tx.query('DELETE FROM slurm_targets WHERE id = $1', [before.id])
    await audit(tx, actor, 'slurm_target_deleted', namesOf(before), {})
  })
}

/** @throws 422 for a partition that Slurm does not have. Any name is accepted before the cluster was read. */
async function requirePartition(name: string | null): Promise<void> {
  if (name === null) return
  const { readAt, partitions } = await readSlurmCluster()
  if (readAt === null || partitions.some((known) => known.name === name)) return
  const known = partitions.map((partition) => partition.name).join(', ') || 'none'
  throw invalidField('partition', `Slurm has no partition "${name}": it has ${known}`)
}

async function findProjectId(tx: Transaction, project: string): Promise<string> {
  const [owner, slug] = project.split('/')
  const row = await findRow<{ id: string }>(
    tx,
    `SELECT p.id FROM projects p JOIN users u ON u.id = p.owner_id
      WHERE lower(u.handle) = lower($1) AND lower(p.slug) = lower($2) FOR KEY SHARE OF p`,
    [owner, slug],
  )
  if (row) return row.id
  throw invalidField('project', `there is no project ${project}: use OWNER/PROJECT as in All projects`)
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

async function findTarget(tx: Transaction, id: string): Promise<SlurmTargetView> {
  const row = uuid.test(id)
    ? await findRow<SlurmTargetView>(tx, `SELECT ${columns} FROM ${source} WHERE t.id = $1 FOR UPDATE OF t`, [
        id,
      ])
    : null
  if (!row) throw notFound('There is no such row. GET /api/slurm/targets lists them.')
  return row
}

function readTarget(tx: Transaction, id: string): Promise<SlurmTargetView> {
  return oneRow<SlurmTargetView>(tx, `SELECT ${columns} FROM ${source} WHERE t.id = $1`, [id])
}

interface Names {
  /** OWNER/PROJECT; null: all projects. */
  project: string | null
  pool: string | null
}

function namesOf({ owner, project_id, pool }: SlurmTargetView): Names {
  return { project: owner === null ? null : `${owner}/${project_id}`, pool }
}

function describeRow(project: string | null, pool: string | null): string {
  if (project !== null) return pool === null ? `project ${project}` : `project ${project} in pool ${pool}`
  return pool === null ? 'all jobs' : `pool ${pool}`
}

function audit(
  tx: Transaction,
  actor: Actor,
  action: AuditAction,
  { project, pool }: Names,
  detail: Record<string, unknown>,
): Promise<void> {
  return recordAudit(tx, { actorId: actor.userId, action, target: describeRow(project, pool), detail })
}
