import type { JobConfig } from '../../contract/config/config'
import { type FieldError, GpuqError } from '../../contract/errors'
import { env } from '../../env'

const noProvisioner = 'this gpuq brings up no nodes of its own: leave fresh_nodes out'

/**
 * Throws a 422 for what a config may say and this installation cannot do: a promise is not taken and then broken.
 * @param where what the sentence begins with: which part of the request held the config.
 */
export function requireCapabilities(config: Pick<JobConfig, 'fresh_nodes'>, where = 'config_file: '): void {
  const { GPUQ_PROVISION_UP: up, GPUQ_PROVISION_DOWN: down } = env()
  if (!config.fresh_nodes || (up && down)) return
  const errors: FieldError[] = [{ path: 'fresh_nodes', message: noProvisioner }]
  throw new GpuqError('invalid_fields', `${where}fresh_nodes: ${noProvisioner}`, { errors })
}
