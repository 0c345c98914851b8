import type { SlurmNodeState } from '../client/slurm-client'

/** Slurm's names of the models of GPUs in the cluster, sorted. */
export function gpuTypesOf(nodes: readonly Pick<SlurmNodeState, 'gpus'>[]): string[] {
  const types = nodes.flatMap(({ gpus }) => gpus.flatMap(({ type }) => (type === null ? [] : [type])))
  return [...new Set(types)].sort()
}

/**
 * Finds Slurm's type for a model: the longest one that the model's name contains, or the reverse. Case, spaces and dashes
 * do not count, so `A100 80GB` finds `a100`. Null: none matches.
 */
export function findGpuType(model: string, types: readonly string[]): string | null {
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')
  const wanted = plain(model)
  const matching = types.filter((type) => wanted.includes(plain(type)) || plain(type).includes(wanted))
  const [best = null] = matching.toSorted((a, b) => b.length - a.length)
  return best
}
