import type { Approval } from '@/lib/agent-tokens/contract'
import { approvalTitle } from '@/lib/agent-tokens/contract-title'
import { describeGpuHours } from '@/lib/contract/access/gpu-hours'
import { conflict, GpuqError, notFound } from '@/lib/contract/errors'
import type { Client } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'
import { findToken } from '../commands/account'
import { formatCount, formatWhen } from '../console/format'
import type { Column } from '../console/table'
import { type Context, print, printList, writeText } from '../context'
import { firstIds } from '../job/job-id'
import { isUuid } from '../received/path-below'

interface AgentOptions {
  gpuHours?: number
  gpuHoursPerDay?: number
  maxGpus?: number
  project?: string[]
  environment?: string[]
  maxPriority?: number
  maxTime?: number
  askAbove?: number
  expires?: number | null
  json?: boolean
}

/** Prints only the new token to stdout, so that a script can read it. */
export async function createAgentToken(
  context: Context,
  name: string,
  { expires, json, ...limits }: AgentOptions,
): Promise<number> {
  const client = await context.connect()
  const created = await client.tokens.create({
    name,
    expires_in_days: expires,
    limits: {
      gpu_hours: limits.gpuHours,
      gpu_hours_per_day: limits.gpuHoursPerDay,
      max_gpus: limits.maxGpus,
      projects: limits.project,
      environments: limits.environment,
      max_priority: limits.maxPriority,
      max_time: limits.maxTime,
      ask_above_gpu_hours: limits.askAbove,
    },
  })
  return print(context, json, created, `${created.token}\n`)
}

export async function stopToken(
  context: Context,
  given: string,
  { json }: { json?: boolean },
): Promise<number> {
  const { token_id, name } = await findToken(context, given)
  const stopped = await (await context.connect()).tokens.stop(token_id)
  const { jobs, groups } = stopped
  const cancelled = [
    ...(jobs > 0 ? [formatCount(jobs, 'job')] : []),
    ...(groups > 0 ? [formatCount(groups, 'group')] : []),
  ]
  const effect =
    cancelled.length > 0
      ? `cancelled ${cancelled.join(' and ')}`
      : 'it had no job or group that was waiting or running'
  return print(context, json, stopped, `Stopped token ${name}: ${effect}.\n`)
}

/** Lists what waits for an approval of the caller, or for an admin of all users. */
export async function listApprovals(
  context: Context,
  { all = false, json }: { all?: boolean; json?: boolean },
): Promise<number> {
  const client = await context.connect()
  const now = Date.now()
  const columns: Column<Approval>[] = [
    { title: 'ID', cell: ({ id }) => id },
    { title: 'KIND', cell: ({ kind }) => kind },
    { title: 'NAME', cell: approvalTitle, long: true },
    ...(all ? [{ title: 'USER', cell: ({ user_id }: Approval) => user_id }] : []),
    { title: 'GPU HOURS', cell: hoursOf, right: true },
    { title: 'TOKEN', cell: ({ submitted_with }) => submitted_with?.name ?? null, long: true },
    { title: 'EXPIRES', cell: ({ expires_at }) => formatWhen(expires_at, now) },
  ]
  const none = `Nothing waits for ${all ? 'an' : 'your'} approval.`
  return printList(context, json, await client.approvals.list({ all }), columns, none)
}

const hoursOf = ({ gpu_hours }: Approval) => Math.round(gpu_hours * 100) / 100

export function approve(context: Context, given: string): Promise<number> {
  return decide(context, given, 'approve')
}

export function refuse(context: Context, given: string): Promise<number> {
  return decide(context, given, 'refuse')
}

const done = { approve: 'Approved', refuse: 'Refused' } as const

async function decide(context: Context, given: string, decision: keyof typeof done): Promise<number> {
  const client = await context.connect()
  const found = await findApproval(client, given)
  const id = found?.id ?? given.toLowerCase()
  await client.approvals[decision](id)
  const what = found ? `the ${found.kind} ${id}, which may cost ${describeGpuHours(hoursOf(found))}` : id
  return writeText(context, `${done[decision]} ${what}.\n`)
}

/**
 * Finds what waits for an approval of the caller, and for an admin of another user, by the start of its id. Null: a whole id that does not
 * wait. The server says why, for example that nobody approved it in time.
 */
async function findApproval(client: Client, given: string): Promise<Approval | null> {
  const prefix = given.toLowerCase()
  const startingIn = (all: readonly Approval[]) => all.filter(({ id }) => id.startsWith(prefix))
  const own = startingIn(await client.approvals.list())
  const found = own.length > 0 ? own : startingIn(await listOthers(client, given))
  const [first] = found
  if (found.length > 1)
    throw conflict(
      `${found.length} ids start with ${given}: ${firstIds(found.map(({ id }) => id))}. Give a longer prefix.`,
    )
  if (first || isUuid(given)) return first ?? null
  throw notFound(noneOf(given))
}

const noneOf = (given: string) =>
  `No job or group of yours whose id starts with ${given} waits for an approval. List them with \`gpuq approvals\`.`

/** What waits for an approval of any user, for admins. @throws for an admin whose token may not approve for others. */
async function listOthers(client: Client, given: string): Promise<Approval[]> {
  const { role } = await client.users.me()
  if (role !== 'admin') return []
  return client.approvals.list({ all: true }).catch((error: unknown) => {
    if (!(error instanceof ProblemError) || error.status !== 403) throw error
    throw new GpuqError('forbidden', `${noneOf(given)} For those of other users: ${error.message}`)
  })
}
