import type { ResourceRequest } from '@/lib/scheduling/types'
import { fillCluster } from './allocation'
import type { Trace } from './trace'

/** GPU models of openb, to which some requests of the mix `model-bound` are bound. */
const models = ['V100M16|V100M32', 'T4', 'G2', 'G3|P100'] as const

/** Mixes of the kinds of requests, made from those of a trace by repeating some of them. */
const mixes: Record<string, (requests: readonly ResourceRequest[]) => ResourceRequest[]> = {
  'CPU-only × 2': (requests) => repeat(requests, 2, ({ gpuCount }) => gpuCount === 0),
  'CPU-only × 4': (requests) => repeat(requests, 4, ({ gpuCount }) => gpuCount === 0),
  'CPU-only × 8': (requests) => repeat(requests, 8, ({ gpuCount }) => gpuCount === 0),
  'fractional × 2': (requests) => repeat(requests, 2, ({ gpuMilli }) => gpuMilli < 1000),
  'multi-GPU × 3': (requests) => repeat(requests, 3, ({ gpuCount }) => gpuCount > 1),
  'model-bound': (requests) =>
    requests.map((request, i) =>
      request.gpuCount > 0 && i % 3 === 0 ? { ...request, gpuModel: models[i % 4] ?? null } : request,
    ),
}

interface MixAllocation {
  mix: string
  /** Mean allocation in percent over the seeds. */
  fgd: number
  gpuq: number
}

/** Fills the cluster of a trace with each mix, by FGD's published measure alone and by gpuq's. */
export function* benchMixes({ nodes, requests }: Trace, seeds: number): Generator<MixAllocation> {
  for (const [mix, make] of Object.entries(mixes)) {
    const trace = { nodes, requests: make(requests) }
    const mean = (withSecondPart: boolean) => {
      const runs = Array.from({ length: seeds }, (_, i) => fillCluster(trace, 42 + i, withSecondPart))
      return runs.reduce((sum, { percent }) => sum + percent, 0) / seeds
    }
    yield { mix, fgd: mean(false), gpuq: mean(true) }
  }
}

function repeat(
  requests: readonly ResourceRequest[],
  times: number,
  isRepeated: (request: ResourceRequest) => boolean,
): ResourceRequest[] {
  const repeated = requests.filter(isRepeated)
  return [...requests, ...Array.from({ length: times - 1 }, () => repeated).flat()]
}
