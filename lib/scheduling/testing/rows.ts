import type {
  GpuState,
  NodeState,
  Policy,
  ProjectShare,
  ResourceRequest,
  Snapshot,
  WaitingJob,
} from '../types'

/** Default parts of snapshots for tests. */

export const oneGpu: ResourceRequest = {
  gpuCount: 1,
  gpuMilli: 1000,
  gpuMemoryMib: null,
  cpuMilli: null,
  memoryMib: null,
  allowedGpus: null,
  gpuModel: null,
  instances: 1,
  pool: 'on-demand',
}

export function gpu(id: string, changes: Partial<GpuState> = {}): GpuState {
  const index = Number(id.split('/')[1] ?? 0)
  return { id, index, model: 'NVIDIA A100', memoryMib: 24_000, allocatedMilli: 0, blocked: null, ...changes }
}

export function node(id: string, gpus: number, changes: Partial<NodeState> = {}): NodeState {
  return {
    id,
    blocked: null,
    pool: 'on-demand',
    cpuMilli: 8000,
    memoryMib: 8000,
    usedCpuMilli: 0,
    usedMemoryMib: 0,
    gpus: Array.from({ length: gpus }, (_, index) => gpu(`${id}/${index}`)),
    ...changes,
  }
}

export function waitingJob(id: string, changes: Partial<WaitingJob> = {}): WaitingJob {
  return {
    id,
    projectId: 'p',
    userId: 'u',
    attempt: 0,
    priority: 0,
    submittedAt: 0,
    notBefore: null,
    expectedMs: 60_000,
    request: oneGpu,
    ...changes,
  }
}

export function projectShare(changes: Partial<ProjectShare> = {}): ProjectShare {
  const unused = { usage: 0, userUsage: [], userLimits: [] }
  return { id: 'p', weight: 1, quotaMilli: null, ...unused, ...changes }
}

export const policy: Policy = {
  name: 'priority',
  running: true,
  maxConcurrentJobs: null,
  backfill: true,
  ageingMs: 3_600_000,
  halfLifeMs: 86_400_000,
}

export function snapshot(changes: Partial<Snapshot> = {}): Snapshot {
  return { now: 0, policy, nodes: [], running: [], waiting: [], projects: [], workload: [], ...changes }
}
