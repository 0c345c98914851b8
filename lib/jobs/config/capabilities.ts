import type { JobConfig } from '../../contract/config/config'
import { provisionOption } from '../../contract/config/provision-args'
import { type GpuqError, invalidField } from '../../contract/errors'
import { env } from '../../env'

/**
 * Refuses a config that requires what this installation cannot do, or does not permit.
 * @param where the start of the error's sentence: the part of the request that contains the config.
 * @throws 422.
 */
export function requireCapabilities(
  { fresh_nodes, provision_args = [] }: Pick<JobConfig, 'fresh_nodes' | 'provision_args'>,
  where = 'config_file: ',
): void {
  const { GPUQ_PROVISION_UP: up, GPUQ_PROVISION_DOWN: down, GPUQ_PROVISION_OPTIONS: allowed = [] } = env()
  const refuse = (key: string, message: string): GpuqError =>
    invalidField(key, message, `${where}${key}: ${message}`)
  if (fresh_nodes && !(up && down)) {
    throw refuse('fresh_nodes', 'this gpuq cannot start nodes on demand: leave fresh_nodes out')
  }
  const other = provision_args.map(provisionOption).find((option) => !allowed.includes(option))
  if (other === undefined) return
  const known = allowed.length > 0 ? `allowed are ${allowed.join(', ')}` : 'the admin allows none'
  throw refuse('provision_args', `the option ${other} is not allowed: ${known} (GPUQ_PROVISION_OPTIONS)`)
}
