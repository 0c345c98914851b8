import type { Env } from '@/lib/env'
import { builtinEngine } from './builtin'
import type { Engine } from './engine'
import { slurmEngine } from './slurm/slurm'

/** The engine that the admin chose for the whole system. */
export function chooseEngine(settings: Env): Engine {
  return settings.GPUQ_ENGINE === 'slurm' ? slurmEngine(settings) : builtinEngine
}
