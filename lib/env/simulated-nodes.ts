import type { Env } from '../env'

/**
 * Whether a start creates simulated nodes on a cluster without GPUs: the environment asks for a cluster, and sets no number
 * of GPUs. Slurm has nodes of its own.
 */
export function startsSimulatedNodes(
  settings: Pick<
    Env,
    'RESEARCH_AGENT_GPU_ORCHESTRATION_ENABLED' | 'GPUQ_SIMULATED_GPUS' | 'GPUQ_GPUS' | 'GPUQ_ENGINE'
  >,
): boolean {
  const { RESEARCH_AGENT_GPU_ORCHESTRATION_ENABLED: enabled, GPUQ_SIMULATED_GPUS, GPUQ_GPUS } = settings
  return (
    settings.GPUQ_ENGINE === 'builtin' &&
    enabled === true &&
    GPUQ_SIMULATED_GPUS === undefined &&
    GPUQ_GPUS === undefined
  )
}
