import { createHash } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import type { Actor } from '../access/actor'
import { findEnvironment } from '../access/environments'
import type { EffectiveLimits } from '../access/limits'
import { announceProject, findOrCreateProject } from '../access/projects/submission-project'
import { reaches } from '../access/restriction'
import { readEffectiveLimits } from '../access/role-limits'
import { once } from '../async/once'
import { defaultProject } from '../contract/access/project-kinds'
import type { Restriction } from '../contract/access/restriction'
import { describeIssue } from '../contract/config/issues'
import { configSchema } from '../contract/config/schema'
import { invalidField, rateLimited } from '../contract/errors'
import { findRow, oneRow, type Transaction } from '../database/transaction'
import { env } from '../env'
import { aboveAsked, withAgentLimits } from '../jobs/config/agent-limits'
import { readRegisteredNodes } from '../jobs/config/registered-nodes'
import { findWait, type Wait } from '../jobs/dependencies/find-dependencies'
import { isPaused } from '../jobs/dependencies/member-counts'
import { checkJob, requireAllowance } from '../jobs/submission/check-job'
import { checkRequest } from '../jobs/submission/check-request'
import type { JobRow } from '../jobs/submission/insert-job'
import { timeCeilingS } from '../jobs/submission/job-limits'
import { type JobOwner, ownerFor } from '../jobs/submission/job-owner'
import { readPaths } from '../jobs/submission/submission-archive'
import { lockUsers, requireSubmissionRate } from '../jobs/submission/submission-limits'
import { readDirectory, storeDirectory } from '../jobs/submission/uploaded-directory'
import { costOf } from './contract-cost'
import { configOfMember } from './contract-member-config'
import { expandMembers, type Member } from './contract-members'
import type { ParameterValue } from './contract-parameters'
import { withOverrides } from './contract-wave'
import { type GroupConfig, type GroupRequest, jobConfigOf } from './group-config'
import { inMember } from './member-error'

/** A request whose members are listed, and whose files are stored. */
export interface PreparedGroup {
  request: Omit<GroupRequest, 'directory'>
  members: readonly Member[]
  /** A sentence about what of the directory is not sent to the jobs. */
  notSent: string | undefined
}

/**
 * Lists the members of a group, checks their configs as far as the jobs, projects and limits of their owner do not matter, and stores
 * the directory of the request. A dry run stores nothing.
 */
export async function prepareGroup(
  actor: Actor,
  { directory = null, ...request }: GroupRequest,
  isDryRun = false,
): Promise<PreparedGroup> {
  const { members: listed, parallel } = expandMembers(request.config)
  const [first] = listed
  if (!first) throw invalidField('matrix', 'makes no members: add values')
  const { array, members: ofWave } = request.config
  requireFewMembers(
    listed.length,
    array !== undefined ? 'array' : ofWave !== undefined ? 'members' : 'matrix',
  )
  const { config, members } = await checkConfigs(actor, { ...request, directory }, listed, isDryRun)
  // One of the jobs says what the directory must have.
  const one = { ...request, config: withOverrides(config, members[0]?.overrides) }
  const given = { ...config, parallel: config.parallel ?? parallel }
  if (!isDryRun) {
    const { submission, notSent } = await storeDirectory(actor, one, directory)
    const { bodyHash } = submission
    return {
      request: { ...request, bodyHash, config: { ...given, archive: submission.config.archive } },
      members,
      notSent,
    }
  }
  const prepared = { request: { ...request, config: given }, members, notSent: undefined }
  if (config.archive !== undefined) return prepared
  const requireFile = await readDirectory(one, directory)
  for (const member of differing(members))
    await inMember(member, async () => requireFile(withOverrides(config, member.overrides)))
  // The directory is not stored, so the rest of the check does not find its files.
  return {
    ...prepared,
    request: { ...request, config: { ...given, entrypoint: undefined } },
    members: members.map(withoutEntrypoint),
  }
}

const withoutEntrypoint = ({ overrides, ...member }: Member): Member =>
  overrides === undefined ? member : { ...member, overrides: { ...overrides, entrypoint: undefined } }

/** @throws 422 that names the key if a group would have more members than an admin permits. */
export function requireFewMembers(members: number, key: string): void {
  const most = env().GPUQ_MAX_GROUP_MEMBERS
  if (members <= most) return
  const message = `makes ${members} members, and a group has at most ${most} on this server (GPUQ_MAX_GROUP_MEMBERS): use fewer values`
  throw invalidField(key, message)
}

/** Checks the config of each job that can differ from the others, and adds the GPUs that its model needs. */
async function checkConfigs(
  actor: Actor,
  request: GroupRequest,
  members: readonly Member[],
  isDryRun: boolean,
): Promise<{ config: GroupConfig; members: readonly Member[] }> {
  const { config } = request
  if (config.members === undefined) {
    const checked = await checkRequest(actor, request, isDryRun)
    return { config: { ...config, ...checked.config }, members }
  }
  const sizeOf = once(
    async (member: Member) => {
      const job = withOverrides(config, member.overrides)
      const { config: sized } = await inMember(member, () =>
        checkRequest(actor, { ...request, config: job }, isDryRun),
      )
      const { gpu_count, gpu_fraction } = sized
      return gpu_count === job.gpu_count && gpu_fraction === job.gpu_fraction
        ? {}
        : { gpu_count, gpu_fraction }
    },
    ({ parameters }) => [parameters.index],
  )
  const sized: Member[] = []
  for (const member of members)
    sized.push({ ...member, overrides: { ...member.overrides, ...(await sizeOf(member)) } })
  return { config, members: sized }
}

/** A member with its job: a new one, or for a known key that of an earlier wave. */
export interface PlacedMember extends Member {
  jobId: string
  existing: boolean
  /** Identifies what the idempotency key was used for. */
  bodyHash: Buffer
}

export interface DecidedGroup {
  owner: JobOwner
  members: readonly PlacedMember[]
  /** The job of the first new member, with what it names in the versions that all members use; null: no member is new. */
  job: JobRow | null
  /** What must end before the new members start; null: nothing. */
  wait: Wait | null
  /** What the new members take. */
  cost: GroupCost
  /** The submission creates its project, which its user should know. */
  createsProject: boolean
  /** Rate-limit headers for the answer. */
  headers: Record<string, string>
}

/**
 * Decides everything that depends on the other jobs and groups of the user, under the lock on the user's row.
 * @returns the id of the earlier group with the same key, or what to insert.
 */
export async function decideGroup(
  tx: Transaction,
  actor: Actor,
  { request, members }: PreparedGroup,
): Promise<{ repeated: string } | DecidedGroup> {
  const { userId, restriction } = actor
  const { config } = request
  const project = await findOrCreateProject(tx, { userId, restriction }, config.project_id)
  await lockUsers(tx, [userId])
  const repeated = await findRepeated(tx, actor, request)
  if (repeated !== null) return { repeated }
  const owner = ownerFor(actor, { projectId: project.id })
  const limits = await readEffectiveLimits(tx, actor, project.limits)
  const headers = await requireSubmissionRate(tx, owner, limits)
  const placed = await placeMembers(tx, owner, request, members)
  const added = placed.filter(({ existing }) => !existing)
  await requireHeldAllowance(tx, userId, added.length)
  const job = await checkMembers(tx, { owner, limits, request, members: added })
  const wait = added.length === 0 ? null : await findWait(tx, owner, config)
  const isNew = await announceProject(tx, project)
  const createsProject = isNew && config.project_id !== defaultProject
  const cost = costWithin(config, added, limits, restriction)
  return { owner, members: placed, job, wait, cost, createsProject, headers }
}

interface GroupCost extends ReturnType<typeof costOf> {
  /** The GPU hours that a person must approve, if a token of an agent submits these members; null: nobody must. */
  hoursToApprove: number | null
}

/** What members take within the limits of their user and of the token. */
export function costWithin(
  config: GroupConfig,
  members: readonly Member[],
  limits: EffectiveLimits,
  restriction: Restriction | null,
): GroupCost {
  const cost = costOf(config, members, timeCeilingS(withAgentLimits(limits.job, restriction)))
  return { ...cost, hoursToApprove: aboveAsked(cost.gpuHours.most, restriction) }
}

/**
 * Gives each member the id of its job. @throws 422 for a key that was used for another submission, or for a job that a restricted token
 * does not reach.
 */
async function placeMembers(
  tx: Transaction,
  { userId, projectId, restriction }: JobOwner,
  request: PreparedGroup['request'],
  members: readonly Member[],
): Promise<PlacedMember[]> {
  const keys = members.flatMap(({ idempotencyKey }) => idempotencyKey ?? [])
  const { rows } = await tx.query<{
    key: string
    body_hash: Buffer
    repeat: number
    job_id: string
    project_id: string | null
    token_id: string | null
  }>(
    `SELECT k.key, k.body_hash, r.repeat, r.job_id, g.project_id, g.token_id FROM idempotency_keys k
       LEFT JOIN group_members m ON m.job_id = k.job_id AND m.state <> 'existing' LEFT JOIN job_groups g ON g.id = m.group_id
       LEFT JOIN group_members r ON r.group_id = m.group_id AND r.index BETWEEN m.index AND m.index + $3 - 1
      WHERE k.user_id = $1 AND k.key = ANY ($2::text[])`,
    [userId, keys, request.config.repeat],
  )
  const known = new Set(rows.map(({ key }) => key))
  const jobs = new Map(rows.map((row) => [`${row.repeat} ${row.key}`, row]))
  return members.map((member) => {
    const { idempotencyKey: key, repeat } = member
    const bodyHash = key === undefined ? request.bodyHash : hashOfMember(projectId, request, member)
    if (key === undefined || !known.has(key)) return { ...member, jobId: uuidv7(), existing: false, bodyHash }
    const job = jobs.get(`${repeat} ${key}`)
    if (job?.body_hash.equals(bodyHash) && reaches(restriction, job))
      return { ...member, jobId: job.job_id, existing: true, bodyHash }
    const message = 'was used for another submission: use a new key for a new member'
    throw invalidField(`members[${member.parameters.index}].idempotency_key`, message)
  })
}

/** SHA-256 of what a member runs and asks for, and in which project. Its place among the members does not matter. */
function hashOfMember(
  projectId: string,
  { code, config }: PreparedGroup['request'],
  { overrides }: Member,
): Buffer {
  const job = { ...withOverrides(jobConfigOf(config), overrides), repeats: config.repeat }
  return createHash('sha256')
    .update(`member ${projectId} ${sortedJson(job)}`)
    .update(code)
    .digest()
}

const sortedJson = (value: unknown) =>
  JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  )

interface ToCheck {
  owner: JobOwner
  limits: EffectiveLimits
  request: PreparedGroup['request']
  members: readonly Member[]
}

/** Checks the jobs of new members. Returns that of the first one; null without members. */
export async function checkMembers(
  tx: Transaction,
  { owner, limits, request: { config, ...submission }, members }: ToCheck,
): Promise<JobRow | null> {
  const reads = {
    nodes: once(() => readRegisteredNodes(tx)),
    allowance: once(() => requireAllowance(tx, owner)),
    paths: once((archiveId: string) => readPaths(tx, archiveId)),
  }
  const environmentOf = once((name: string | null) => findEnvironment(name, tx))
  const check = once(
    async (job: ReturnType<typeof jobConfigOf>) =>
      checkJob(
        tx,
        {
          owner,
          limits: limits.job,
          environment: await environmentOf(job.environment ?? null),
          // The group follows its parent. Members of a wave may follow others.
          submission: {
            ...submission,
            config: { ...job, parent: job.parent ?? config.parent },
            groupWaits: true,
          },
        },
        reads,
      ),
    // Jobs that differ only in texts are accepted or refused together.
    (job) => [
      {
        ...job,
        name: '',
        note: '',
        hypothesis: '',
        args: [],
        env: {},
        tags: [],
        command: job.command === undefined,
      },
    ],
  )
  let first: JobRow | null = null
  for (const member of differing(members)) {
    const job = configOfMember(jobConfigOf(config), { ...member, repeats: config.repeat })
    const checked = await inMember(member, async () => {
      requireShort(job)
      return check(job)
    })
    first ??= checked
  }
  return first
}

/** The members whose jobs must be checked: in a sweep they differ only in texts, of which the longest decide. */
function differing(members: readonly Member[]): readonly Member[] {
  return members[0]?.overrides === undefined
    ? [longest(members)]
    : members.filter(({ repeat }) => repeat === 0)
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

/** @throws 422 if arguments, the command or the variables of a member are longer than a job may have. */
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

/** Finds the group that the caller's key was used for. A restricted token does not get a group that it does not reach. */
async function findRepeated(
  tx: Transaction,
  { userId, restriction }: Actor,
  { idempotencyKey, bodyHash }: Pick<GroupRequest, 'idempotencyKey' | 'bodyHash'>,
): Promise<string | null> {
  if (idempotencyKey === null) return null
  const row = await findRow<{ id: string; project_id: string; token_id: string | null; body_hash: Buffer }>(
    tx,
    'SELECT id, project_id, token_id, body_hash FROM job_groups WHERE user_id = $1 AND idempotency_key = $2',
    [userId, idempotencyKey],
  )
  if (!row) return null
  if (row.body_hash.equals(bodyHash) && reaches(restriction, row)) return row.id
  const message = 'This Idempotency-Key was used for another submission. Use a new key for a new group.'
  throw invalidField('Idempotency-Key', message, message)
}

/** @throws 429 if the groups of the user would hold more members than an admin permits. */
export async function requireHeldAllowance(tx: Transaction, userId: string, members: number): Promise<void> {
  const { held } = await oneRow<{ held: number }>(
    tx,
    `SELECT coalesce(sum(g.held + (SELECT count(*) FROM jobs j WHERE j.group_id = g.id AND ${isPaused('j')})), 0)::int AS held
       FROM job_groups g WHERE g.user_id = $1 AND g.ended_at IS NULL`,
    [userId],
  )
  const most = env().GPUQ_MAX_HELD_MEMBERS
  if (held + members <= most) return
  throw rateLimited(
    `Your groups hold ${held} members that wait or are paused, this one has ${members}, and the limit is ${most} (GPUQ_MAX_HELD_MEMBERS). Wait until some have started, or cancel a group. An admin can raise the limit.`,
    60,
  )
}
