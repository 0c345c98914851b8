import { stringify } from 'yaml'
import { toGpuWish } from '../declare/values'

/** What `submit` can say of a job without a config.yaml. */
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

/**
 * The config.yaml that the options stand for, and what else it is to hold, by its own keys. Whether its values may be is
 * for the server to say.
 */
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

/** Whether any of them was given: beside a file they would say the same thing twice. */
export function hasConfigOptions(options: UploadOptions): boolean {
  return Object.values(options).some((value) => value !== undefined)
}
