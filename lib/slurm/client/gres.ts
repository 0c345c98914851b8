/** GPUs of one type; `type` is null where Slurm has none. */
export interface GpuCount {
  type: string | null
  count: number
}

/**
 * The GPUs in Slurm's list of generic resources, such as `gpu:a100:2(S:0),shard:8`, `gres/gpu:2` or `cpu=4,gres/gpu=2`.
 * Anything else in the list is ignored.
 */
export function parseGpus(text: string): GpuCount[] {
  // Indexes and sockets in parentheses may contain commas.
  const parts = text.replace(/\([^)]*\)/g, '').split(',')
  return parts.flatMap((part) => {
    const match = /^(?:gres[:/])?gpu(?:[:=]([^:=]*?))?(?:[:=](\d+))?$/.exec(part.trim())
    if (match === null) return []
    const [, first, second] = match
    if (second !== undefined) return [{ type: first || null, count: Number(second) }]
    if (first === undefined) return [{ type: null, count: 1 }]
    return /^\d+$/.test(first) ? [{ type: null, count: Number(first) }] : [{ type: first, count: 1 }]
  })
}

/** What a job asks for, in Slurm's words. */
export interface GpuRequest {
  /** Allocated or expected resources. They have GPUs only if AccountingStorageTRES names gres/gpu. */
  tres: string
  perNode: string
  perJob: string
  perTask: string
  nodes: number
  tasks: number
}

/** The GPUs of a job on all its nodes. */
export function countJobGpus({ tres, perNode, perJob, perTask, nodes, tasks }: GpuRequest): number {
  const total = parseGpus(tres).find(({ type }) => type === null)
  if (total !== undefined) return total.count
  return sum(perNode) * nodes || sum(perJob) || sum(perTask) * tasks
}

function sum(text: string): number {
  return parseGpus(text).reduce((total, { count }) => total + count, 0)
}

/** GPUs of a node by type, with those in use. */
export function parseNodeGpus(
  all: string,
  used: string,
): { type: string | null; count: number; used: number }[] {
  const inUse = parseGpus(used)
  return parseGpus(all).map(({ type, count }) => ({
    type,
    count,
    used: inUse.filter((gpus) => gpus.type === type).reduce((total, gpus) => total + gpus.count, 0),
  }))
}
