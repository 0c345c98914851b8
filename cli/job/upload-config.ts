import { stringify } from 'yaml'
import type { z } from 'zod'
import { defaultProject } from '@/lib/contract/access/project-kinds'
import type { configSchema } from '@/lib/contract/config/schema'
import { invalidRequest } from '@/lib/contract/errors'
import { toGpuRequest } from '../declare/values'

/** The job options of `submit` and `run`, under the names of their config keys. */
export type ConfigOptions = Partial<z.input<typeof configSchema>> & {
  /** `0.5` is half a GPU. */
  gpus?: number
}

/** @throws GpuqError if a job would start in a snapshot and in an uploaded directory. */
export function requireOneDirectory({ archive }: ConfigOptions, uploads: boolean): void {
  if (archive === undefined || !uploads) return
  throw invalidRequest('Use either --archive or an uploaded directory, not both.')
}

const anHour = 3600

/** Returns the config.yaml for these options. The server validates the values. */
export function toConfigText({ gpus, ...keys }: ConfigOptions): string {
  const defaults = { competition_id: 'default', project_id: defaultProject, expected_time: anHour }
  return stringify({ ...defaults, ...toGpuRequest(gpus), ...keys })
}
