import type { JobConfig } from '../../contract/config/config'
import { splitDependencies } from '../../contract/config/depends-on'
import { provisionOption } from '../../contract/config/provision-args'
import { GpuqError } from '../../contract/errors'
import { type CheckedConfig, externalEngine, type Refusal } from '../../engine/external-engine'
import { env } from '../../env'

/** Refuses a config that requires what this installation cannot do, or does not permit. @throws 422. */
export async function requireCapabilities(config: CheckedConfig & BuiltinKeys): Promise<void> {
  const engine = externalEngine()
  const refusal = engine
    ? await engine.findRefusal(config)
    : (findProvisionRefusal(config) ?? findDependencyRefusal(config))
  if (refusal === null) return
  const { key, message, neverFits = false } = refusal
  throw new GpuqError(neverFits ? 'never_fits' : 'invalid_fields', `${key}: ${message}`, {
    errors: [{ path: key, message }],
  })
}

/** The config keys that this installation always refuses, so that a form need not offer them. */
export function listRefusedKeys(): (keyof JobConfig)[] {
  return externalEngine()?.refusedKeys() ?? []
}

/** The keys of a config that gpuq's own engine may refuse. */
type BuiltinKeys = Pick<JobConfig, 'fresh_nodes' | 'provision_args'> & Partial<Pick<JobConfig, 'depends_on'>>

/** Only Slurm knows the jobs that are not in gpuq. */
function findDependencyRefusal({ depends_on = [] }: BuiltinKeys): Refusal | null {
  const [slurmJob] = splitDependencies(depends_on).slurmJobs
  if (slurmJob === undefined) return null
  const message = `this gpuq does not use Slurm: name jobs and groups of gpuq by their ids instead of slurm:${slurmJob.id}`
  return { key: 'depends_on', message }
}

/** Nodes for one job need the commands of the admin. */
function findProvisionRefusal({ fresh_nodes, provision_args = [] }: BuiltinKeys): Refusal | null {
  const { GPUQ_PROVISION_UP: up, GPUQ_PROVISION_DOWN: down, GPUQ_PROVISION_OPTIONS: allowed = [] } = env()
  if (fresh_nodes && !(up && down)) {
    const message =
      'this gpuq cannot start nodes on demand: an admin must set GPUQ_PROVISION_UP and GPUQ_PROVISION_DOWN. Without fresh_nodes, a job runs on the nodes that exist'
    return { key: 'fresh_nodes', message }
  }
  const other = provision_args.map(provisionOption).find((option) => !allowed.includes(option))
  if (other === undefined) return null
  const known = allowed.length > 0 ? `allowed are ${allowed.join(', ')}` : 'the admin allows none'
  const message = `the option ${other} is not allowed: ${known}. An admin must add it to GPUQ_PROVISION_OPTIONS`
  return { key: 'provision_args', message }
}
