import { type FieldError, GpuqError } from '../errors'
import type { JobConfig } from './config'

/** Throws a 422 for what a config may say and this version cannot do yet: a promise is not taken and then broken. */
export function requireSupported(config: JobConfig): void {
  const errors: FieldError[] = []
  if (config.instanceCount > 1) {
    errors.push({ path: 'instance_count', message: 'jobs over several nodes are not supported yet: use 1' })
  }
  if (config.notifyUrl !== null) {
    errors.push({ path: 'notify_url', message: 'notifications are not supported yet: leave notify_url out' })
  }
  const [first] = errors
  if (first) throw new GpuqError('invalid_fields', `config_file: ${first.path}: ${first.message}`, { errors })
}
