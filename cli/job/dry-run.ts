import { formatBytes } from '@/lib/contract/format-bytes'
import { type DryRun, type Hardware, isJobDryRun, type OtherDryRun } from '@/lib/contract/submission/dry-run'
import type { Client } from '@/lib/http/client/client'
import { formatDuration, formatWhen } from '../console/format'
import { type Context, writeJson } from '../context'
import { exitCodes } from './exit-code'

/** Asks the server what a submission would do, and prints the answer. */
export async function printDryRun(
  context: Context,
  ask: (client: Client) => Promise<DryRun | OtherDryRun>,
  json: boolean | undefined,
): Promise<number> {
  const answer = await ask(await context.connect())
  if (json) return writeJson(context, answer)
  await context.terminal.out(isJobDryRun(answer) ? renderDryRun(answer, Date.now()) : `${answer.text}\n`)
  return exitCodes.ok
}

/** The answer in a few lines for people. */
export function renderDryRun(answer: DryRun, now: number): string {
  const { project_id, project_note, environment, max_time, queue_position, left, hardware } = answer
  const { expected_start, expected_start_text } = answer
  const start = formatWhen(expected_start, now)
  const rows: [string, string | null][] = [
    ['project', project_id],
    ['environment', environment],
    ['resources', describeResources(answer)],
    ['time limit', formatDuration(max_time)],
    ['expected start', start ?? expected_start_text ?? (queue_position === null ? null : 'unknown')],
    ['queue position', queue_position === null ? null : String(queue_position)],
    ['left after it', describeLeft(left)],
    ['hardware', hardware.length === 0 ? 'no node is registered' : hardware.map(describeKind).join('; ')],
  ]
  const lines = rows.flatMap(([label, value]) =>
    value === null ? [] : [`${`${label}:`.padEnd(17)}${value}`],
  )
  const [accepted = '', queued = ''] = answer.text.split(/(?<=\.) /)
  const notes = project_note === null ? [] : [project_note]
  return `${[`${accepted} ${queued}`.trim(), ...lines, ...notes].join('\n')}\n`
}

function describeResources({ resources }: DryRun): string {
  const { gpu_count, gpu_fraction, gpu_memory_gb, gpu_model, instance_count, cpu, memory_gb, pool } =
    resources
  const gpus = gpu_fraction === null ? String(gpu_count) : String(gpu_fraction)
  return [
    `${instance_count > 1 ? `${instance_count} nodes with ` : ''}${gpus} GPU${gpus === '1' ? '' : 's'}`,
    gpu_model,
    gpu_memory_gb === null ? null : `at least ${gpu_memory_gb} GB each`,
    cpu === null ? null : `${cpu} cores`,
    memory_gb === null ? null : `${memory_gb} GB of memory`,
    `pool ${pool}`,
  ]
    .filter((part) => part !== null)
    .join(', ')
}

function describeLeft(left: DryRun['left']): string | null {
  const names = {
    submissions_this_minute: 'submissions in this minute',
    active_jobs: 'active jobs',
    waiting_jobs: 'waiting jobs',
  } as const
  const parts = Object.entries(names).flatMap(([key, name]) => {
    const count = left[key as keyof typeof names]
    return count === null ? [] : [`${count} ${name}`]
  })
  return parts.length === 0 ? null : parts.join(', ')
}

function describeKind({ model, memory_mib, gpus, free, simulated }: Hardware): string {
  const memory = memory_mib === null ? '' : `, ${formatBytes(memory_mib * 2 ** 20)}`
  return `${model ?? 'GPU'}${memory}: ${free} of ${gpus} free${simulated ? ', simulated' : ''}`
}
