import type { SlurmClusterView, SlurmNodeView } from '@/lib/slurm/contract'

export function makeSlurmNode(changes: Partial<SlurmNodeView> = {}): SlurmNodeView {
  return {
    name: 'gpu01',
    state: 'mixed',
    slurm_states: ['MIXED'],
    reason: null,
    partitions: ['gpu'],
    cpus: 64,
    used_cpus: 24,
    memory_mib: 524_288,
    used_memory_mib: 131_072,
    gpus: [{ type: 'a100', count: 8, used: 5 }],
    worker: 'ready',
    request: null,
    ...changes,
  }
}

export function makeSlurm(changes: Partial<SlurmClusterView> = {}): SlurmClusterView {
  const nodes = changes.nodes ?? [makeSlurmNode()]
  return {
    version: '22.05.8',
    problem: null,
    read_at: '2026-11-22T10:00:00.000Z',
    accounting: true,
    may_drain: false,
    totals: {
      nodes: nodes.length,
      ready_nodes: nodes.length,
      gpus: 8,
      used_gpus: 5,
      free_gpus: 3,
      without_worker: [],
      nodes_without_worker: 0,
    },
    matching_nodes: nodes.length,
    nodes,
    partitions: [
      { name: 'gpu', is_default: true, state: 'UP', nodes: 1, max_time_s: 86_400, gpus: 8, used_gpus: 5 },
    ],
    other_jobs: { running: 0, waiting: 0, gpus: 0, largest: [] },
    ...changes,
  }
}
