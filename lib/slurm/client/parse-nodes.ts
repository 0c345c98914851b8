import { parseNodeGpus } from './gres'
import { parseDuration, textOrNull } from './parse-jobs'
import type { SlurmNodeState, SlurmPartition } from './slurm-client'

const nodeFields = ['NodeList', 'StateComplete', 'Partition', 'CPUsState', 'Memory', 'AllocMem'] as const
const gresFields = ['Gres', 'GresUsed'] as const

/** The format for `sinfo --Format`. Admins write reasons, which may contain any character. */
export function nodeFormat(separator: string): string {
  const fields = [...nodeFields, ...gresFields].map((field) => `${field}:|`)
  return [...fields, `Reason:${separator}`].join(',')
}

/** The nodes in the output of `sinfo --Node`, which has a record for each partition of a node. */
export function parseNodes(output: string, separator: string): SlurmNodeState[] {
  const nodes = new Map<string, SlurmNodeState>()
  for (const record of output.split(separator).slice(0, -1)) {
    const node = parseNode(record.replace(/^\n/, ''))
    const known = nodes.get(node.name)
    if (known === undefined) nodes.set(node.name, node)
    else known.partitions.push(...node.partitions)
  }
  // sinfo prints the partitions of a node in any order.
  for (const { partitions } of nodes.values()) partitions.sort()
  return [...nodes.values()]
}

function parseNode(record: string): SlurmNodeState {
  const [name, state = '', partition = '', cpuStates = '', memory, allocated, gres, used, ...reason] =
    record.split('|')
  // Allocated, idle, other, total.
  const cpus = /^(\d+)\/\d+\/\d+\/(\d+)$/.exec(cpuStates)
  if (!name || used === undefined || cpus === null)
    throw new Error(`sinfo printed an unknown record: ${record.slice(0, 200)}`)
  return {
    name,
    states: state.toUpperCase().split('+'),
    reason: textOrNull(reason.join('|')),
    partitions: partition === '' ? [] : [partition.replace(/\*$/, '')],
    cpus: Number(cpus[2]),
    usedCpus: Number(cpus[1]),
    memoryMib: Number(memory),
    usedMemoryMib: Number(allocated) || 0,
    gpus: parseNodeGpus(gres ?? '', used),
  }
}

/** The partitions in the output of `scontrol show partition --oneliner`. Admins choose their names. */
export function parsePartitions(output: string): SlurmPartition[] {
  return output.split('\n').flatMap((line) => {
    const values = new Map([...line.matchAll(/(\w+)=(\S*)/g)].map(([, key, value]) => [key, value ?? '']))
    const name = values.get('PartitionName')
    if (name === undefined) return []
    return [
      {
        name,
        isDefault: values.get('Default') === 'YES',
        state: values.get('State') ?? '',
        nodes: Number(values.get('TotalNodes')) || 0,
        maxNodes: parseMaximum(values.get('MaxNodes') ?? ''),
        maxTimeS: parseDuration(values.get('MaxTime') ?? ''),
      },
    ]
  })
}

/** Null: UNLIMITED. */
function parseMaximum(text: string): number | null {
  return /^\d+$/.test(text) ? Number(text) : null
}
