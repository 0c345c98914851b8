import type { JobConfig } from '../../contract/config/config'
import { splitDependencies } from '../../contract/config/depends-on'
import { provisionOption } from '../../contract/config/provision-args'
import { invalidField } from '../../contract/errors'
import type { Transaction } from '../../database/transaction'
import { env } from '../../env'
import { usesSlurm } from '../../env/engine'
import { requestOf } from './resource-request'
import { findSlurmRefusal, keysRefusedBySlurm, type Refusal, type SlurmKeys } from './slurm-capabilities'
import { readSlurmCluster } from './slurm-cluster'
import { findPartition, findSizeRefusal, toAskedSize } from './slurm-partition'
import { findTargetPartition } from './slurm-target'

/**
 * Refuses a config that requires what this installation cannot do, or does not permit.
 * @param where the start of the error's sentence: the part of the request that contains the config.
 * @throws 422.
 */
export async function requireCapabilities(
  config: SlurmKeys & BuiltinKeys,
  where = 'config_file: ',
): Promise<void> {
  const refusal = usesSlurm()
    ? findSlurmRefusal(config, {
        ...(await readSlurmCluster()),
        shardsPerGpu: env().GPUQ_SLURM_SHARDS_PER_GPU,
      })
    : (findProvisionRefusal(config) ?? findDependencyRefusal(config))
  refuse(refusal, where)
}

/**
 * Refuses a job that needs more than the nodes of its Slurm partition can ever give. Accepts every job before the cluster was
 * read: then the leader decides at the submission to Slurm.
 * @param userId the owner of the job, whose project decides the partition.
 * @throws 422.
 */
export async function requirePartitionSize(
  executor: Transaction,
  userId: string,
  config: JobConfig,
  where = 'config_file: ',
): Promise<void> {
  if (!usesSlurm()) return
  const [cluster, name] = await Promise.all([
    readSlurmCluster(),
    findTargetPartition(executor, userId, config.project_id, config.pool),
  ])
  const partition = findPartition(name, cluster)
  if (!partition) return
  const { max_time, expected_time } = config
  const time =
    max_time === undefined
      ? { key: 'expected_time' as const, seconds: expected_time }
      : { key: 'max_time' as const, seconds: max_time }
  refuse(findSizeRefusal(toAskedSize(requestOf(config, null), time, cluster.nodes), partition), where)
}

function refuse(refusal: Refusal | null, where: string): void {
  if (refusal === null) return
  throw invalidField(refusal.key, refusal.message, `${where}${refusal.key}: ${refusal.message}`)
}

/** The config keys that this installation always refuses, so that a form need not offer them. */
export function listRefusedKeys(): (keyof JobConfig)[] {
  return usesSlurm() ? keysRefusedBySlurm(env().GPUQ_SLURM_SHARDS_PER_GPU) : []
}

/** The keys of a config that gpuq's own engine may refuse. */
type BuiltinKeys = Pick<JobConfig, 'fresh_nodes' | 'provision_args'> & Partial<Pick<JobConfig, 'depends_on'>>

/** Only Slurm knows the jobs that are not in gpuq. */
function findDependencyRefusal({ depends_on = [] }: BuiltinKeys): Refusal | null {
  const [slurmId] = splitDependencies(depends_on).slurmIds
  if (slurmId === undefined) return null
  const message = `this gpuq does not use Slurm: name jobs of gpuq by their ids instead of slurm:${slurmId}`
  return { key: 'depends_on', message }
}

/** Nodes for one job need the commands of the admin. */
function findProvisionRefusal({ fresh_nodes, provision_args = [] }: BuiltinKeys): Refusal | null {
  const { GPUQ_PROVISION_UP: up, GPUQ_PROVISION_DOWN: down, GPUQ_PROVISION_OPTIONS: allowed = [] } = env()
  if (fresh_nodes && !(up && down)) {
    return { key: 'fresh_nodes', message: 'this gpuq cannot start nodes on demand: leave fresh_nodes out' }
  }
  const other = provision_args.map(provisionOption).find((option) => !allowed.includes(option))
  if (other === undefined) return null
  const known = allowed.length > 0 ? `allowed are ${allowed.join(', ')}` : 'the admin allows none'
  const message = `the option ${other} is not allowed: ${known} (GPUQ_PROVISION_OPTIONS)`
  return { key: 'provision_args', message }
}
