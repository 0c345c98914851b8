import { stringify } from 'yaml'
import { toGpuWish } from '../declare/values'

/** The job options of `gpuq submit` without a config.yaml. */
export interface UploadOptions {
  competition?: string
  project?: string
  expectedTime?: number
  maxTime?: number
  name?: string
  environment?: string
  gpus?: number
  gpuMemory?: number
  gpuModel?: string
  cpu?: number
  memory?: number
  priority?: number
  retries?: number
  env?: Record<string, string>
  args?: string
  allowedGpus?: string
  pool?: string
  tag?: string[]
  tty?: boolean
}

const anHour = 3600

/** Returns the config.yaml for these options. `more` adds further keys. The server validates the values. */
export function toConfigText(options: UploadOptions, more: Record<string, unknown> = {}): string {
  const config = {
    competition_id: options.competition ?? 'default',
    project_id: options.project ?? 'default',
    expected_time: options.expectedTime ?? anHour,
    max_time: options.maxTime,
    name: options.name,
    environment: options.environment,
    ...toGpuWish(options.gpus),
    gpu_memory_gb: options.gpuMemory,
    gpu_model: options.gpuModel,
    cpu: options.cpu,
    memory_gb: options.memory,
    priority: options.priority,
    max_retries: options.retries,
    env: options.env,
    args: options.args,
    allowed_gpus: options.allowedGpus,
    pool: options.pool,
    tags: options.tag,
    tty: options.tty,
    ...more,
  }
  const given = Object.entries(config).filter(([, value]) => value !== undefined)
  return stringify(Object.fromEntries(given))
}

/** Whether any job option was given. The options would conflict with a config file. */
export function hasConfigOptions(options: UploadOptions): boolean {
  return Object.values(options).some((value) => value !== undefined)
}
