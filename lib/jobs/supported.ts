import { env } from '../env'
import { type FieldError, GpuqError } from '../errors'
import type { JobConfig } from './config'
import type { ConfigKey } from './config-schema'

const notYet: { path: ConfigKey; asks: (config: JobConfig) => boolean }[] = [
  { path: 'instance_count', asks: ({ instanceCount }) => instanceCount > 1 },
]

const noProvisioner = 'this gpuq brings up no nodes of its own: leave fresh_nodes out'

/**
 * Throws a 422 for what a config may say and this version cannot do yet: a promise is not taken and then broken.
 * @param where what the sentence begins with: which part of the request held the config.
 */
export function requireSupported(config: JobConfig, where = 'config_file: '): void {
  const errors = notYet
    .filter(({ asks }) => asks(config))
    .map(({ path }): FieldError => ({ path, message: `is not supported yet: leave ${path} out` }))
  const { GPUQ_PROVISION_UP: up, GPUQ_PROVISION_DOWN: down } = env()
  if (config.freshNodes && !(up && down)) errors.push({ path: 'fresh_nodes', message: noProvisioner })
  const [first] = errors
  if (first) throw new GpuqError('invalid_fields', `${where}${first.path}: ${first.message}`, { errors })
}
