import type { Env } from '../env'
import { CommandClient } from './commands'
import type { SlurmClient } from './slurm-client'

/** The transport that the admin chose. */
export function slurmClient(settings: Pick<Env, 'GPUQ_SLURM_URL'>): SlurmClient {
  if (settings.GPUQ_SLURM_URL !== undefined)
    throw new Error('This version of gpuq reaches Slurm only by its commands. Unset GPUQ_SLURM_URL.')
  return new CommandClient()
}
