import type { Approval } from '@/lib/agent-tokens/contract'
import { conflict, notFound } from '@/lib/contract/errors'
import { findToken } from '../commands/account'
import { formatWhen } from '../console/format'
import type { Column } from '../console/table'
import { type Context, print, printList, writeText } from '../context'
import { firstIds } from '../job/job-id'

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
  return print(context, json, stopped, `Stopped token ${name}: cancelled jobs: ${jobs}, groups: ${groups}.\n`)
}

export async function listApprovals(context: Context, { json }: { json?: boolean }): Promise<number> {
  const client = await context.connect()
  const now = Date.now()
  const columns: Column<Approval>[] = [
    { title: 'ID', cell: ({ id }) => id },
    { title: 'KIND', cell: ({ kind }) => kind },
    { title: 'NAME', cell: ({ name }) => name },
    { title: 'GPU HOURS', cell: ({ gpu_hours }) => Math.round(gpu_hours * 100) / 100, right: true },
    { title: 'TOKEN', cell: ({ submitted_with }) => submitted_with?.name ?? null },
    { title: 'REFUSED', cell: ({ expires_at }) => formatWhen(expires_at, now) },
  ]
  return printList(context, json, await client.approvals.list(), columns, 'Nothing waits for your approval.')
}

export async function approve(context: Context, given: string): Promise<number> {
  const { id, kind } = await findApproval(context, given)
  await (await context.connect()).approvals.approve(id)
  return writeText(context, `Approved the ${kind} ${id}.\n`)
}

export async function refuse(context: Context, given: string): Promise<number> {
  const { id, kind } = await findApproval(context, given)
  await (await context.connect()).approvals.refuse(id)
  return writeText(context, `Refused the ${kind} ${id}.\n`)
}

async function findApproval(context: Context, given: string): Promise<Approval> {
  const client = await context.connect()
  const found = (await client.approvals.list()).filter(({ id }) => id.startsWith(given.toLowerCase()))
  const [first] = found
  if (!first)
    throw notFound(
      `No job or group of yours whose id starts with ${given} waits for an approval. List them with \`gpuq approvals\`.`,
    )
  if (found.length > 1)
    throw conflict(
      `${found.length} ids start with ${given}: ${firstIds(found.map(({ id }) => id))}. Give a longer prefix.`,
    )
  return first
}
