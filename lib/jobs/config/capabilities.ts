import type { JobConfig } from '../../contract/config/config'
import { invalidField } from '../../contract/errors'
import { env } from '../../env'

/**
 * Refuses a config that requires what this installation cannot do.
 * @param where the start of the error's sentence: the part of the request that contains the config.
 * @throws 422.
 */
export function requireCapabilities(config: Pick<JobConfig, 'fresh_nodes'>, where = 'config_file: '): void {
  const { GPUQ_PROVISION_UP: up, GPUQ_PROVISION_DOWN: down } = env()
  if (!config.fresh_nodes || (up && down)) return
  const message = 'this gpuq cannot start nodes on demand: leave fresh_nodes out'
  throw invalidField('fresh_nodes', message, `${where}fresh_nodes: ${message}`)
}
