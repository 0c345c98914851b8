import type { Policy } from '../contract/cluster/policy'
import type { Hardware } from '../contract/submission/dry-run'
import type { ExternalEngine } from '../engine/external-engine'
import { env } from '../env'
import { readSlurmCluster, readSlurmState, type StoredSlurmCluster } from './cluster/stored-cluster'
import { slurmForecaster } from './jobs/forecaster'
import { findSlurmObstacle } from './size/obstacle'
import { findSlurmRefusal, keysRefusedBySlurm } from './size/refusal'

/** Parts into which Slurm divides each GPU; 0: none. */
const shardsPerGpu = () => env().GPUQ_SLURM_SHARDS_PER_GPU

/** Slurm as the server knows it: from what the leader stored of it. */
export const slurm: ExternalEngine = {
  findRefusal: async (config) =>
    findSlurmRefusal(config, { ...(await readSlurmCluster()), shardsPerGpu: shardsPerGpu() }),
  refusedKeys: () => keysRefusedBySlurm(shardsPerGpu()),
  findObstacle: findSlurmObstacle,
  dividesGpus: () => shardsPerGpu() > 0,
  readNodeSizes: async () => {
    const { nodes } = await readSlurmCluster()
    return nodes.map(({ memoryMib, gpus }) => ({
      memoryMib,
      gpus: gpus.flatMap(({ count }) => Array<null>(count).fill(null)),
    }))
  },
  readHardware: async () => hardwareOf(await readSlurmCluster()),
  forecaster: slurmForecaster,
  readState: readSlurmState,
  policyFields: [
    'max_queue_size',
    'enable_auto_retry',
    'idle_gpu_minutes',
    'require_existing_projects',
  ] satisfies (keyof Policy)[],
  says: {
    start:
      'Slurm decides when the job starts, and tells gpuq the expected time only after the job is submitted.',
    pause:
      'Slurm decides which nodes and GPUs get jobs. Drain the node on the cluster page, or with scontrol.',
    simulate: 'This gpuq uses Slurm, whose nodes cannot be simulated.',
    policy: 'has no effect, because Slurm decides: change it in the configuration of Slurm',
    budget: 'has no effect, because Slurm decides: limit the Slurm account of the user',
    shares: 'has no effect, because Slurm decides: limit the Slurm account or QOS of the project',
  },
}

/** A node that is down has no free GPUs. */
const away = /DOWN|DRAIN|FAIL|UNKNOWN|NOT_RESPONDING/

function hardwareOf({ nodes }: StoredSlurmCluster): Hardware[] {
  const kinds = new Map<string | null, Hardware>()
  for (const { gpus, states } of nodes) {
    const isAway = states.some((state) => away.test(state))
    for (const { type, count, used } of gpus) {
      const known = kinds.get(type) ?? {
        model: type,
        memory_mib: null,
        gpus: 0,
        free: 0,
        largest_node: 0,
        simulated: false,
      }
      kinds.set(type, {
        ...known,
        gpus: known.gpus + count,
        free: known.free + (isAway ? 0 : Math.max(0, count - used)),
        largest_node: Math.max(known.largest_node, count),
      })
    }
  }
  return [...kinds.values()].toSorted((a, b) => b.gpus - a.gpus)
}
