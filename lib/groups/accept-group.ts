import { uuidv7 } from 'uuidv7'
import type { Actor } from '../access/actor'
import { recordAudit } from '../access/audit'
import { describeCreated } from '../contract/access/project-kinds'
import { wakeLeader } from '../database/notify'
import { type Transaction, transaction } from '../database/transaction'
import { requestApproval } from '../jobs/config/agent-limits'
import { defaultParallel } from './contract'
import { hintsOf } from './contract-member-config'
import { parametersOf } from './contract-wave'
import {
  type DecidedGroup,
  decideGroup,
  type PlacedMember,
  type PreparedGroup,
  prepareGroup,
} from './decide-group'
import type { GroupConfig, GroupRequest } from './group-config'
import { insertGroupDependencies } from './group-dependencies'

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
 * (`release-members.ts`), so it counts as one submission and needs no place in the queue. A dry run (`checkGroup`) takes the same steps up
 * to the insertion.
 * @throws as `accept` of a job; 422 for a config that makes no or too many members, 429 if the user's groups hold too many.
 */
export async function acceptGroup(actor: Actor, request: GroupRequest): Promise<AcceptedGroup> {
  const prepared = await prepareGroup(actor, request)
  const accepted = await transaction((tx) => insert(tx, actor, prepared))
  wakeLeader()
  const { config, code } = prepared.request
  const { projectNote, ...group } = accepted
  const notes = [projectNote, prepared.notSent].filter((note) => note !== undefined)
  return { ...group, hints: [...notes, ...hintsOf(config, prepared.members, code.toString('utf8'))] }
}

async function insert(
  tx: Transaction,
  actor: Actor,
  prepared: PreparedGroup,
): Promise<Omit<AcceptedGroup, 'hints'> & { projectNote?: string | undefined }> {
  const decided = await decideGroup(tx, actor, prepared)
  if ('repeated' in decided) return { id: decided.repeated, repeated: true, headers: {} }
  const id = uuidv7()
  const { members, wait, cost, createsProject, headers } = decided
  await insertGroup(tx, id, prepared.request, decided)
  if (wait !== null) await insertGroupDependencies(tx, id, wait)
  // None of its members enters the queue before.
  if (cost.hoursToApprove !== null) await requestApproval(tx, { groupId: id, gpuHours: cost.hoursToApprove })
  await recordAudit(tx, {
    actorId: actor.userId,
    action: 'group_created',
    target: id,
    detail: { members: members.length },
  })
  const projectNote = createsProject ? describeCreated(prepared.request.config.project_id) : undefined
  return { id, repeated: false, headers, projectNote }
}

async function insertGroup(
  tx: Transaction,
  id: string,
  { config, ...submission }: PreparedGroup['request'],
  { owner, job, members }: DecidedGroup,
): Promise<void> {
  const { archive, mounts } = (job ? JSON.parse(job.spec) : config) as Pick<GroupConfig, 'archive' | 'mounts'>
  const { user_id, command, members: _, ...record } = { ...config, archive, mounts }
  const held = members.filter(({ existing }) => !existing)
  const ofMembers = members.flatMap(({ parameters, overrides }) => [
    parameters,
    ...(overrides ? [overrides] : []),
  ])
  const code = held.length > 0 ? submission.code : Buffer.alloc(0)
  const texts = [JSON.stringify(record), command ?? '', ...ofMembers.map((one) => JSON.stringify(one))]
  const textBytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), code.length)
  await tx.query(
    `INSERT INTO job_groups (id, user_id, project_id, competition_id, name, kind, parameters, spec, code, command, archive_id, class_token, token_id,
                             parallel, members, held, record_bytes, idempotency_key, body_hash)
     VALUES ($1, $2, $3, $4, $5, $6::"GroupKind", $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17 + row_bytes() * ($15 + 1), $18, $19)`,
    [
      id,
      owner.userId,
      owner.projectId,
      config.competition_id,
      config.name ?? null,
      kindOf(config),
      namesOf(members),
      JSON.stringify(record),
      code,
      command ?? null,
      job?.archive_id ?? null,
      owner.restriction !== null && owner.restriction.agent === null,
      owner.tokenId,
      config.parallel ?? defaultParallel,
      members.length,
      held.length,
      textBytes,
      submission.idempotencyKey,
      submission.bodyHash,
    ],
  )
  await insertMembers(tx, id, members)
  const keyed = held.filter(({ idempotencyKey, repeat }) => idempotencyKey !== undefined && repeat === 0)
  await tx.query(
    `INSERT INTO idempotency_keys (user_id, key, body_hash, job_id)
     SELECT $1, * FROM unnest($2::text[], $3::bytea[], $4::uuid[])`,
    [
      owner.userId,
      keyed.map(({ idempotencyKey }) => idempotencyKey),
      keyed.map(({ bodyHash }) => bodyHash),
      keyed.map(({ jobId }) => jobId),
    ],
  )
}

export async function insertMembers(
  tx: Transaction,
  groupId: string,
  members: readonly Omit<PlacedMember, 'bodyHash'>[],
): Promise<void> {
  await tx.query(
    `INSERT INTO group_members (group_id, index, job_id, parameters, overrides, repeat, state)
     SELECT $1, m.index, m.job_id, m.parameters, m.overrides, m.repeat, CASE WHEN m.existing THEN 'existing' ELSE 'held' END::"MemberState"
       FROM unnest($2::int[], $3::uuid[], $4::jsonb[], $5::jsonb[], $6::int[], $7::boolean[])
         AS m (index, job_id, parameters, overrides, repeat, existing)`,
    [
      groupId,
      members.map(({ index }) => index),
      members.map(({ jobId }) => jobId),
      members.map(({ parameters }) => JSON.stringify(parameters)),
      members.map(({ overrides }) => (overrides === undefined ? null : JSON.stringify(overrides))),
      members.map(({ repeat }) => repeat),
      members.map(({ existing }) => existing),
    ],
  )
}

export function kindOf({ array, members }: GroupConfig): 'sweep' | 'array' | 'wave' {
  if (members !== undefined) return 'wave'
  return array === undefined ? 'sweep' : 'array'
}

/** The columns of a table of members. */
const maxNames = 32

/** The names of the parameters, in the order of the config. */
const namesOf = (members: readonly PlacedMember[]) =>
  [
    ...new Set(
      members.flatMap(({ parameters, overrides }) =>
        Object.keys(overrides ? parametersOf(overrides) : parameters),
      ),
    ),
  ].slice(0, maxNames)
