import { uuidv7 } from 'uuidv7'
import type { Actor } from '../access/actor'
import { recordAudit } from '../access/audit'
import { findEnvironment } from '../access/environments'
import { announceProject, findOrCreateProject } from '../access/projects/submission-project'
import { readEffectiveLimits } from '../access/role-limits'
import { defaultProject, describeCreated } from '../contract/access/project-kinds'
import { describeIssue } from '../contract/config/issues'
import { configSchema } from '../contract/config/schema'
import { invalidField, rateLimited } from '../contract/errors'
import { wakeLeader } from '../database/notify'
import { findRow, oneRow, type Transaction, transaction } from '../database/transaction'
import { env } from '../env'
import { checkJob } from '../jobs/submission/check-job'
import { checkRequest, type JobRequest } from '../jobs/submission/check-request'
import type { JobRow } from '../jobs/submission/insert-job'
import { ownerFor } from '../jobs/submission/job-owner'
import { lockUsers, requireSubmissionRate } from '../jobs/submission/submission-limits'
import { storeDirectory } from '../jobs/submission/uploaded-directory'
import { defaultParallel } from './contract'
import { configOfMember, hintsOf } from './contract-member-config'
import { expandMembers, type Member } from './contract-members'
import type { Parameters, ParameterValue } from './contract-parameters'
import { type GroupConfig, jobConfigOf } from './group-config'

export type GroupRequest = Omit<JobRequest, 'config' | 'user'> & { config: GroupConfig }

interface AcceptedGroup {
  id: string
  /** True if this is the group of an earlier request with the same key. */
  repeated: boolean
  /** What may be a mistake, and what the user should know of the directory and the project. */
  hints: string[]
  headers: Record<string, string>
}

/**
 * Accepts a group: all its members, or none. It is durable once this resolves. Its members enter the queue one after the other
 * (`release-members.ts`), so it counts as one submission and needs no place in the queue.
 * @throws as `accept` of a job; 422 for a config that makes no or too many members, 429 if the user's groups hold too many.
 */
export async function acceptGroup(
  actor: Actor,
  { directory = null, ...request }: GroupRequest,
): Promise<AcceptedGroup> {
  const { config } = request
  const { members, parallel } = expandMembers(config)
  const [first] = members
  if (!first) throw invalidField('matrix', 'makes no members: add values')
  const most = env().GPUQ_MAX_GROUP_MEMBERS
  if (members.length > most) {
    const message = `makes ${members.length} members, and a group has at most ${most} on this server (GPUQ_MAX_GROUP_MEMBERS): use fewer values`
    throw invalidField(config.array === undefined ? 'matrix' : 'array', message)
  }
  const id = uuidv7()
  const checked = await checkRequest(actor, { ...request, directory })
  const { submission, notSent } = await storeDirectory(actor, checked, directory)
  const given = {
    ...request,
    ...submission,
    config: { ...config, ...submission.config, parallel: config.parallel ?? parallel },
  }
  const { projectNote, ...accepted } = await transaction((tx) => insert(tx, actor, id, given, members))
  wakeLeader()
  const hints = hintsOf(config, Object.keys(first.parameters), submission.code.toString('utf8'))
  const notes = [projectNote, notSent].filter((note) => note !== undefined)
  return { ...accepted, hints: [...notes, ...hints] }
}

async function insert(
  tx: Transaction,
  actor: Actor,
  id: string,
  { config, ...submission }: Omit<GroupRequest, 'directory'>,
  members: readonly Member[],
): Promise<Omit<AcceptedGroup, 'hints'> & { projectNote?: string }> {
  const { userId, onlyProject } = actor
  const environment = await findEnvironment(config.environment ?? null, tx)
  const project = await findOrCreateProject(tx, { userId, onlyProject }, config.project_id)
  await lockUsers(tx, [userId])
  const repeated = await findRepeated(tx, actor, submission)
  if (repeated !== null) return { id: repeated, repeated: true, headers: {} }
  const owner = ownerFor(actor, { projectId: project.id })
  const limits = await readEffectiveLimits(tx, actor, project.limits)
  const headers = await requireSubmissionRate(tx, owner, limits)
  await requireHeldAllowance(tx, userId, members.length)
  // What is wrong with one member is wrong with all: they differ only in texts, of which the longest decide.
  const memberConfig = configOfMember(jobConfigOf(config), { ...longest(members), repeats: config.repeat })
  requireShort(memberConfig)
  const job = await checkJob(tx, {
    owner,
    limits: limits.job,
    environment,
    submission: { ...submission, config: memberConfig },
  })
  await insertGroup(tx, { id, job, config, submission, members, isClassToken: onlyProject !== null })
  const isNew = await announceProject(tx, project)
  await recordAudit(tx, {
    actorId: userId,
    action: 'group_created',
    target: id,
    detail: { members: members.length },
  })
  const accepted = { id, repeated: false, headers }
  const slug = config.project_id
  return isNew && slug !== defaultProject ? { ...accepted, projectNote: describeCreated(slug) } : accepted
}

/** A member with the longest value of each parameter. */
function longest(members: readonly Member[]): Member {
  const parameters: Record<string, ParameterValue> = {}
  for (const member of members) {
    for (const [name, value] of Object.entries(member.parameters)) {
      const known = parameters[name]
      if (known === undefined || String(value).length > String(known).length) parameters[name] = value
    }
  }
  return { index: 0, repeat: 0, parameters }
}

/** @throws 422 if arguments or the command with their values are longer than a job may have. */
function requireShort({
  args,
  command,
  env: variables,
}: Pick<GroupConfig, 'args' | 'command' | 'env'>): void {
  const schema = configSchema.shape
  for (const [key, value] of Object.entries({ args, command, env: variables }) as [
    'args' | 'command' | 'env',
    unknown,
  ][]) {
    const parsed = schema[key].safeParse(value, { error: describeIssue })
    const message = parsed.error?.issues[0]?.message
    if (message !== undefined) throw invalidField(key, `with the values of the parameters, ${message}`)
  }
}

interface NewGroup {
  id: string
  /** The first member's job, with what it names in the versions that all members use. */
  job: JobRow
  config: GroupConfig
  submission: Omit<GroupRequest, 'config' | 'directory'>
  members: readonly Member[]
  isClassToken: boolean
}

async function insertGroup(
  tx: Transaction,
  { id, job, config, submission, members, isClassToken }: NewGroup,
): Promise<void> {
  const { archive, mounts, entrypoint } = JSON.parse(job.spec) as Pick<
    GroupConfig,
    'archive' | 'mounts' | 'entrypoint'
  >
  const { user_id, command, ...record } = { ...config, archive, mounts, entrypoint }
  const parameters: Parameters[] = members.map((member) => member.parameters)
  const texts = [JSON.stringify(record), command ?? '', ...parameters.map((one) => JSON.stringify(one))]
  const textBytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), submission.code.length)
  await tx.query(
    `INSERT INTO job_groups (id, user_id, project_id, competition_id, name, kind, spec, code, command, archive_id, class_token, token_id,
                             parallel, members, held, record_bytes, idempotency_key, body_hash)
     VALUES ($1, $2, $3, $4, $5, $6::"GroupKind", $7, $8, $9, $10, $11, $12, $13, $14, $14, $15 + row_bytes() * ($14 + 1), $16, $17)`,
    [
      id,
      job.user_id,
      job.project_id,
      config.competition_id,
      config.name ?? null,
      config.array === undefined ? 'sweep' : 'array',
      JSON.stringify(record),
      submission.code,
      command ?? null,
      job.archive_id ?? null,
      isClassToken,
      job.token_id,
      config.parallel ?? defaultParallel,
      members.length,
      textBytes,
      submission.idempotencyKey,
      submission.bodyHash,
    ],
  )
  await tx.query(
    `INSERT INTO group_members (group_id, index, job_id, parameters, repeat)
     SELECT $1, m.index, m.job_id, m.parameters, m.repeat
       FROM unnest($2::int[], $3::uuid[], $4::jsonb[], $5::int[]) AS m (index, job_id, parameters, repeat)`,
    [
      id,
      members.map(({ index }) => index),
      members.map(() => uuidv7()),
      members.map((member) => JSON.stringify(member.parameters)),
      members.map(({ repeat }) => repeat),
    ],
  )
}

/** Finds the group that the caller's key was used for. A token of a class does not get a group of another project. */
async function findRepeated(
  tx: Transaction,
  { userId, onlyProject }: Actor,
  { idempotencyKey, bodyHash }: Pick<GroupRequest, 'idempotencyKey' | 'bodyHash'>,
): Promise<string | null> {
  if (idempotencyKey === null) return null
  const row = await findRow<{ id: string; project_id: string; body_hash: Buffer }>(
    tx,
    'SELECT id, project_id, body_hash FROM job_groups WHERE user_id = $1 AND idempotency_key = $2',
    [userId, idempotencyKey],
  )
  if (!row) return null
  const mayRead = onlyProject === null || row.project_id === onlyProject.id
  if (row.body_hash.equals(bodyHash) && mayRead) return row.id
  const message = 'This Idempotency-Key was used for another submission. Use a new key for a new group.'
  throw invalidField('Idempotency-Key', message, message)
}

/** @throws 429 if the groups of the user would hold more members than an admin permits. */
async function requireHeldAllowance(tx: Transaction, userId: string, members: number): Promise<void> {
  const { held } = await oneRow<{ held: number }>(
    tx,
    'SELECT coalesce(sum(held), 0)::int AS held FROM job_groups WHERE user_id = $1 AND ended_at IS NULL',
    [userId],
  )
  const most = env().GPUQ_MAX_HELD_MEMBERS
  if (held + members <= most) return
  throw rateLimited(
    `Your groups hold ${held} members that wait, this one has ${members}, and the limit is ${most} (GPUQ_MAX_HELD_MEMBERS). Wait until some have started, or cancel a group. An admin can raise the limit.`,
    60,
  )
}
