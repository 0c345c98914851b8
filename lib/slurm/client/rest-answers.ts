import { z } from 'zod'
import { countJobGpus, parseNodeGpus } from './gres'
import { expandHostlist } from './hostlist'
import { exitCodeOf, hasEnded, textOrNull } from './parse-jobs'
import type { SlurmJobState, SlurmNodeState, SlurmPartition } from './slurm-client'

/** Until v0.0.38 a number or null; later `{ set, infinite, number }`. Null: unset or infinite. */
const number = z
  .union([
    z.number(),
    z.null(),
    z.object({
      set: z.boolean().optional(),
      infinite: z.boolean().optional(),
      number: z.number().optional(),
    }),
  ])
  .optional()
  .transform((value) => {
    if (value === null || value === undefined || typeof value === 'number') return value ?? null
    return value.infinite || value.set === false ? null : (value.number ?? null)
  })
/** Until v0.0.38 one state; later a list of states and flags. */
const states = z.union([z.string(), z.array(z.string())]).transform((value) => {
  const list = Array.isArray(value) ? value : [value]
  return list.map((state) => state.toUpperCase())
})
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '')
const names = z
  .array(z.string())
  .nullish()
  .transform((value) => value ?? [])

const exit = z.union([
  z.number(),
  z.null(),
  z.object({
    return_code: number,
    signal: z.object({ signal_id: number, id: number }).partial().nullish(),
  }),
])

const job = z.object({
  job_id: z.number(),
  job_state: states,
  state_reason: text,
  state_description: text,
  comment: text,
  user_name: text,
  name: text,
  partition: text,
  nodes: text,
  tres_alloc_str: text,
  tres_per_node: text,
  tres_per_job: text,
  tres_per_task: text,
  node_count: number,
  tasks: number,
  cpus: number,
  nice: number,
  priority: number,
  restart_cnt: number,
  exit_code: exit.optional(),
  submit_time: number,
  start_time: number,
  end_time: number,
  time_limit: number,
})

/** The jobs in an answer of slurmrestd. @throws if it has another form. */
export function readJobs(answer: unknown): SlurmJobState[] {
  return z
    .object({ jobs: z.array(job) })
    .parse(answer)
    .jobs.map(toJobState)
}

function toJobState(record: z.infer<typeof job>): SlurmJobState {
  const flags = record.job_state
  // Like squeue, which shows the flag COMPLETING instead of the final state.
  const state = flags.find((flag) => flag === 'COMPLETING') ?? flags[0] ?? ''
  const isPending = state === 'PENDING'
  const ended = hasEnded(state)
  const startTime = toDate(record.start_time)
  return {
    id: record.job_id,
    state,
    reason: textOrNull(record.state_reason) ?? textOrNull(record.state_description),
    comment: record.comment,
    user: record.user_name,
    name: record.name,
    partition: record.partition,
    nodes: expandHostlist(textOrNull(record.nodes) ?? ''),
    gpus: countJobGpus({
      tres: record.tres_alloc_str,
      perNode: record.tres_per_node,
      perJob: record.tres_per_job,
      perTask: record.tres_per_task,
      nodes: record.node_count ?? 1,
      tasks: record.tasks ?? 1,
    }),
    cpus: record.cpus ?? 0,
    nice: record.nice ?? 0,
    held: isPending && record.priority === 0,
    restarts: record.restart_cnt ?? 0,
    exitCode: ended ? toExitCode(record.exit_code) : null,
    submittedAt: toDate(record.submit_time),
    startsAt: isPending ? startTime : null,
    startedAt: isPending ? null : startTime,
    endedAt: ended ? toDate(record.end_time) : null,
    limitS: toSeconds(record.time_limit),
  }
}

function toExitCode(value: z.infer<typeof exit> | undefined): number | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'number') return exitCodeOf(value)
  const signal = value.signal?.id ?? value.signal?.signal_id ?? 0
  return signal > 0 ? 128 + signal : value.return_code
}

/** A limit in minutes, in seconds; negative: unlimited. */
function toSeconds(minutes: number | null): number | null {
  return minutes === null || minutes < 0 ? null : minutes * 60
}

/** Slurm's times are seconds since 1970; 0: none. */
function toDate(seconds: number | null): Date | null {
  return seconds === null || seconds <= 0 ? null : new Date(seconds * 1000)
}

const node = z.object({
  name: z.string(),
  state: states,
  state_flags: names,
  reason: text,
  partitions: names,
  cpus: number,
  alloc_cpus: number,
  real_memory: number,
  alloc_memory: number,
  gres: text,
  gres_used: text,
})

/** The nodes in an answer of slurmrestd. @throws if it has another form. */
export function readNodes(answer: unknown): SlurmNodeState[] {
  return z
    .object({ nodes: z.array(node) })
    .parse(answer)
    .nodes.map((record) => ({
      name: record.name,
      states: [...new Set([...record.state, ...record.state_flags.map((flag) => flag.toUpperCase())])],
      reason: textOrNull(record.reason),
      partitions: [...record.partitions].sort(),
      cpus: record.cpus ?? 0,
      usedCpus: record.alloc_cpus ?? 0,
      memoryMib: record.real_memory ?? 0,
      usedMemoryMib: record.alloc_memory ?? 0,
      gpus: parseNodeGpus(record.gres, record.gres_used),
    }))
}

const partition = z.object({
  name: z.string(),
  flags: names,
  /** Until v0.0.38. */
  state: states.optional(),
  total_nodes: number,
  max_time_limit: number,
  maximum_nodes_per_job: number,
  /** Later. */
  partition: z.object({ state: states.optional() }).optional(),
  nodes: z.union([z.string(), z.object({ total: number })]).optional(),
  maximums: z.object({ nodes: number, time: number }).optional(),
})

/** The partitions in an answer of slurmrestd. Limits of time are minutes; -1: none. @throws if it has another form. */
export function readPartitions(answer: unknown): SlurmPartition[] {
  return z
    .object({ partitions: z.array(partition) })
    .parse(answer)
    .partitions.map((record) => {
      const minutes = record.maximums === undefined ? record.max_time_limit : record.maximums.time
      const maxNodes = record.maximums === undefined ? record.maximum_nodes_per_job : record.maximums.nodes
      const nodes = typeof record.nodes === 'object' ? record.nodes.total : record.total_nodes
      return {
        name: record.name,
        isDefault: record.flags.some((flag) => flag.toLowerCase() === 'default'),
        state: (record.state ?? record.partition?.state)?.[0] ?? '',
        nodes: nodes ?? 0,
        maxNodes: maxNodes === null || maxNodes < 0 ? null : maxNodes,
        maxTimeS: toSeconds(minutes),
      }
    })
}
