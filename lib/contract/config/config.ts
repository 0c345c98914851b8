import { stringify } from 'yaml'
import type { FieldError } from '../errors'
import { describeIssue } from './issues'
import { checkKeys } from './keys'
import { KeyNames } from './names'
import { locate, plainConfig } from './plain'
import { type ConfigKey, configKeys, configSchema, type ParsedConfig, type Pool } from './schema'
import { readYaml } from './yaml'

/** Longest config that is read. */
export const maxConfigBytes = 64 * 1024

const maxErrors = 20

/** What a job asks for: a config, checked. The token is never part of it. */
export interface JobConfig {
  competitionId: string
  projectId: string
  /** Null when the request says who submits. */
  userId: string | null
  /** Seconds. */
  expectedTime: number
  name: string | null
  /** Null: the default environment. */
  environment: string | null
  gpuCount: number
  /** A part of one GPU, in whole thousandths; null: whole GPUs. */
  gpuFraction: number | null
  gpuMemoryGb: number | null
  /** A part of the model's name; null: any. */
  gpuModel: string | null
  /** Whether the user said how much of GPUs it takes: if not, a model that the job names may say it. */
  gpusChosen: boolean
  instanceCount: number
  /** Cores; null: the node's share per GPU. */
  cpu: number | null
  memoryGb: number | null
  priority: number
  /** Seconds; null: from the expected time. */
  maxTime: number | null
  maxRetries: number
  env: Record<string, string>
  args: string[]
  /** Whether `--cuda` in the arguments is set to the GPUs given. */
  cudaArgument: boolean
  /** What a shell runs; null: solution.py. */
  command: string | null
  /** SHA-256 of a shipped directory's manifest, in hex; null: none came along. */
  archive: string | null
  runName: string | null
  /** Whether nodes are brought up for it alone. */
  freshNodes: boolean
  /** Whether the job gets a terminal. */
  tty: boolean
  /** Null: a job that no node could take waits until one can. */
  maxAssignAttempts: number | null
  /** Seconds; null: the default. */
  assignRetryWait: number | null
  /** Indices of the only GPUs that will do, ascending; null: any. */
  allowedGpus: number[] | null
  pool: Pool | null
  notifyUrl: string | null
  tags: string[]
}

export type ParseConfigResult =
  | { ok: true; config: JobConfig; token: string | null }
  | { ok: false; errors: FieldError[] }

/**
 * Reads a `config.yaml`. Every mistake names what to change and where; none repeats the token, or a value at all.
 * Runs in the browser as well.
 */
export function parseConfig(text: string): ParseConfigResult {
  if (new TextEncoder().encode(text).length > maxConfigBytes) {
    return { ok: false, errors: [{ path: 'config_file', message: 'must be at most 64 KiB' }] }
  }
  const source = text.replace(/^\ufeff/, '')
  const read = readYaml(source)
  if (!read.ok) return read
  const { root, placeOf } = read
  const names = new KeyNames(source, root, configKeys)
  const keyMistakes = checkKeys(root, names)
  const parsed = configSchema.safeParse(plainConfig(root), { error: describeIssue })
  const gpusChosen = root.entries.some(({ key }) => key === 'gpu_count' || key === 'gpu_fraction')
  if (parsed.success && keyMistakes.length === 0) {
    return { ok: true, config: toJobConfig(parsed.data, gpusChosen), token: parsed.data.token ?? null }
  }
  const issues = parsed.error?.issues ?? []
  const valueMistakes = issues.map(({ path, message }) => ({ ...locate(root, path, names), message }))
  const mistakes = [...keyMistakes, ...valueMistakes]
    .toSorted((a, b) => a.offset - b.offset)
    .slice(0, maxErrors)
  return {
    ok: false,
    errors: mistakes.map(({ path, message, offset }) => ({ path, message, ...placeOf(offset) })),
  }
}

/** Seconds after which the job is stopped: its own limit or a generous guess, under the admin's ceiling. */
export function timeLimitSeconds(
  config: Pick<JobConfig, 'expectedTime' | 'maxTime'>,
  ceilingSeconds: number,
): number {
  const { expectedTime, maxTime } = config
  return Math.min(maxTime ?? Math.max(2 * expectedTime, expectedTime + 60), ceilingSeconds)
}

function toJobConfig(parsed: ParsedConfig, gpusChosen: boolean): JobConfig {
  return {
    competitionId: parsed.competition_id,
    projectId: parsed.project_id,
    userId: parsed.user_id ?? null,
    expectedTime: parsed.expected_time,
    name: parsed.name ?? null,
    environment: parsed.environment ?? null,
    gpuCount: parsed.gpu_count,
    gpuFraction: parsed.gpu_fraction ?? null,
    gpuMemoryGb: parsed.gpu_memory_gb ?? null,
    gpuModel: parsed.gpu_model ?? null,
    gpusChosen,
    instanceCount: parsed.instance_count,
    cpu: parsed.cpu ?? null,
    memoryGb: parsed.memory_gb ?? null,
    priority: parsed.priority,
    maxTime: parsed.max_time ?? null,
    maxRetries: parsed.max_retries,
    env: parsed.env,
    args: parsed.args,
    cudaArgument: parsed.cuda_argument ?? false,
    command: parsed.command ?? null,
    archive: parsed.archive ?? null,
    runName: parsed.run_name ?? null,
    freshNodes: parsed.fresh_nodes ?? false,
    tty: parsed.tty ?? false,
    maxAssignAttempts: parsed.max_assign_attempts ?? null,
    assignRetryWait: parsed.assign_retry_wait ?? null,
    allowedGpus: parsed.allowed_gpus ?? null,
    pool: parsed.pool ?? null,
    notifyUrl: parsed.notify_url ?? null,
    tags: parsed.tags,
  }
}

/**
 * The config in the wire's own keys, as it is stored: without the token, without who submitted it, and without the
 * command, which has a column of its own.
 */
export function configForRecord(config: JobConfig): Record<string, unknown> {
  const record = {
    competition_id: config.competitionId,
    project_id: config.projectId,
    expected_time: config.expectedTime,
    name: config.name,
    environment: config.environment,
    gpu_count: config.gpuCount,
    gpu_fraction: config.gpuFraction,
    gpu_memory_gb: config.gpuMemoryGb,
    gpu_model: config.gpuModel,
    instance_count: config.instanceCount,
    cpu: config.cpu,
    memory_gb: config.memoryGb,
    priority: config.priority,
    max_time: config.maxTime,
    max_retries: config.maxRetries,
    env: config.env,
    args: config.args,
    cuda_argument: config.cudaArgument || null,
    archive: config.archive,
    run_name: config.runName,
    fresh_nodes: config.freshNodes || null,
    tty: config.tty || null,
    max_assign_attempts: config.maxAssignAttempts,
    assign_retry_wait: config.assignRetryWait,
    allowed_gpus: config.allowedGpus,
    pool: config.pool,
    notify_url: config.notifyUrl,
    tags: config.tags,
  }
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null))
}

/** What {@link configForRecord} gave, as a `config.yaml` to read and submit again: only what is not the default. */
export function configToYaml(record: unknown, command: string | null = null): string {
  const values = new Map(Object.entries(typeof record === 'object' && record !== null ? record : {}))
  if (command !== null) values.set('command', command)
  const shown = configKeys.filter(
    (key) => key !== 'token' && values.has(key) && !isDefault(key, values.get(key)),
  )
  const config = Object.fromEntries(shown.map((key) => [key, values.get(key)]))
  // Every text in quotes: `None` and `3.10` stay texts for every reader.
  return stringify(config, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 })
}

function isDefault(key: ConfigKey, value: unknown): boolean {
  const { success, data } = configSchema.shape[key].safeParse(undefined)
  return success && JSON.stringify(data) === JSON.stringify(value)
}
