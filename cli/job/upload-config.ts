import { stringify } from 'yaml'
import type { z } from 'zod'
import type { configSchema } from '@/lib/contract/config/schema'
import { toGpuRequest } from '../declare/values'

/** The job options of `submit` and `run`, under the names of their config keys. */
export type ConfigOptions = Partial<z.input<typeof configSchema>> & {
  /** `0.5` is half a GPU. */
  gpus?: number
}

const anHour = 3600

/** Returns the config.yaml for these options. The server validates the values. */
export function toConfigText({ gpus, ...keys }: ConfigOptions): string {
  const defaults = { competition_id: 'default', project_id: 'default', expected_time: anHour }
  return stringify({ ...defaults, ...toGpuRequest(gpus), ...keys })
}
