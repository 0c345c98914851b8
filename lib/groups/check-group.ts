import type { Actor } from '../access/actor'
import { forecastNew } from '../cluster/placement/forecast'
import { describeToCreate } from '../contract/access/project-kinds'
import { readSpec } from '../contract/config/stored-spec'
import { undoneTransaction } from '../database/transaction'
import { externalEngine } from '../engine/external-engine'
import { describeToApprove } from '../jobs/config/agent-limits'
import { requestOf } from '../jobs/config/resource-request'
import type { JobRow } from '../jobs/submission/insert-job'
import { describeNewStart, toExpectedStart } from '../queue/expected-start'
import { kindOf } from './accept-group'
import { defaultParallel, type GroupDryRun } from './contract'
import { hintsOf } from './contract-member-config'
import { decideGroup, prepareGroup } from './decide-group'
import type { GroupRequest } from './group-config'
import { sentenceOf } from './group-dependencies'

/**
 * Says what a submission of a group would do, after the same checks: how many members it makes, what they take, and when the first one
 * would start. Stores nothing. The program may be missing.
 * @throws the error of `acceptGroup`.
 */
export async function checkGroup(actor: Actor, request: GroupRequest): Promise<GroupDryRun> {
  const prepared = await prepareGroup(actor, { ...request, idempotencyKey: null }, true)
  const { config, code } = prepared.request
  const decided = await undoneTransaction(async (tx) => {
    const group = await decideGroup(tx, actor, prepared)
    if ('repeated' in group) throw new Error('A dry run has no idempotency key.')
    return group
  })
  const { job, cost, createsProject } = decided
  const wait =
    cost.hoursToApprove === null
      ? decided.wait && sentenceOf(decided.wait)
      : describeToApprove(cost.hoursToApprove)
  const expected = job === null || wait !== null ? undefined : await forecastNew(toNewJob(job))
  const { expected_start, expected_start_text } = toExpectedStart(expected)
  const project_note = createsProject ? describeToCreate(config.project_id) : null
  const members = decided.members.length
  const parallel = Math.min(members, config.parallel ?? defaultParallel)
  const existing = decided.members.filter((member) => member.existing).length
  const decider = externalEngine()?.says.start ?? null
  const sentences = [
    'gpuq would accept the group. Nothing was queued.',
    `It has ${members.toLocaleString('en')} ${members === 1 ? 'member' : 'members'}, at most ${parallel} at once.`,
    existing === 0 ? null : `${existing} of them are earlier jobs.`,
    wait ?? (expected === undefined ? null : describeNewStart('The first', expected)),
    project_note,
  ]
  return {
    dry_run: true,
    text: sentences.filter((sentence) => sentence !== null).join(' '),
    kind: kindOf(config),
    project_id: config.project_id,
    project_note,
    members,
    existing,
    parallel,
    gpu_hours: cost.gpuHours,
    run_hours: cost.runHours,
    queue_position: expected?.position ?? null,
    expected_start,
    expected_start_text: wait ?? expected_start_text ?? (expected_start === null ? decider : null),
    hints: hintsOf(config, decided.members, code.toString('utf8')),
  }
}

function toNewJob(job: JobRow): Parameters<typeof forecastNew>[0] {
  const spec = readSpec(JSON.parse(job.spec))
  return {
    id: job.id,
    userId: job.user_id,
    projectId: job.project_id,
    tokenId: job.token_id ?? null,
    name: job.name ?? null,
    contentHash: job.content_hash.toString('hex'),
    priority: job.priority,
    request: requestOf(spec, job.id),
    estimateMs: job.expected_time_s * 1000,
    limitMs: job.time_limit_s * 1000,
    createdAt: new Date(),
  }
}
