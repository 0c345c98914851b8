import type { EngineName } from '@/lib/contract/cluster/engine'
import type { Env } from '@/lib/env'
import { builtinEngine } from './engine/builtin'
import type { Engine } from './engine/engine'
import { slurmEngine } from './slurm/engine'

/** The engines of which the admin chooses one for the whole system (`GPUQ_ENGINE`). */
export const engines = {
  builtin: () => builtinEngine,
  slurm: slurmEngine,
} satisfies Record<EngineName, (settings: Env) => Engine>
