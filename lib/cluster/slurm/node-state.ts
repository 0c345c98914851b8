import type { SlurmNodeView } from '../../contract/cluster/slurm'
import type { SlurmNodeState } from '../../slurm/slurm-client'

/** Slurm's words for a node that does not work. */
const broken = ['DOWN', 'ERROR', 'FAIL', 'UNKNOWN', 'NOT_RESPONDING', 'FUTURE']
const busy = ['ALLOCATED', 'MIXED', 'COMPLETING']

/** Summarizes Slurm's states of a node in one word. */
export function slurmNodeStateOf(
  node: Pick<SlurmNodeState, 'states' | 'cpus' | 'usedCpus' | 'gpus'>,
): SlurmNodeView['state'] {
  const has = (words: readonly string[]) => words.some((word) => node.states.includes(word))
  if (has(broken)) return 'down'
  if (has(['DRAIN', 'DRAINING', 'DRAINED'])) return has(busy) || node.usedCpus > 0 ? 'draining' : 'drained'
  const count = node.gpus.reduce((sum, gpus) => sum + gpus.count, 0)
  const used = node.gpus.reduce((sum, gpus) => sum + gpus.used, 0)
  if (node.usedCpus >= node.cpus || (count > 0 && used >= count)) return 'full'
  return used > 0 || node.usedCpus > 0 ? 'mixed' : 'free'
}
