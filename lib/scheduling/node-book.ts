import type { GpuState, NodeState, TaskPlacement } from './types'

type Task = Omit<TaskPlacement, 'rank'>

/** A job on a node. */
export interface Tenant {
  task: Task
  /** When it is expected to end. */
  endsAt: number
  /** Gives way when asked. */
  preemptible: boolean
  leaving: boolean
  startedAt: number
}

/** Which nodes changed, in order: who keeps what it found out about nodes looks again only at these. */
export class Changes {
  #nodes: NodeBook[] = []
  /** Raised when older changes are forgotten. */
  #era = 0

  note(node: NodeBook): void {
    if (this.#nodes.length >= mostChanges) {
      this.#nodes = []
      this.#era += 1
    }
    this.#nodes.push(node)
  }

  /** The nodes that changed since a mark; null when that is not known any more. */
  since(mark: Mark): readonly NodeBook[] | null {
    return mark.era === this.#era ? this.#nodes.slice(mark.length) : null
  }

  get mark(): Mark {
    return { era: this.#era, length: this.#nodes.length }
  }
}

export interface Mark {
  era: number
  length: number
}

const mostChanges = 65_536

/** A node as the scheduler goes along: what is placed is on it at once. */
export class NodeBook implements NodeState {
  readonly id: string
  readonly pool: NodeState['pool']
  readonly dedicatedTo: string | null
  readonly cpuMilli: number
  readonly memoryMib: number
  readonly blocked: NodeState['blocked']
  usedCpuMilli: number
  usedMemoryMib: number
  readonly gpus: GpuState[]
  /** The jobs on it. What holds room without being one of them stays for ever. */
  readonly tenants = new Map<string, Tenant>()
  /** When the first of its jobs ends. One that was told to go may at any moment. */
  nextEnd = Number.POSITIVE_INFINITY

  constructor(
    state: NodeState,
    /** Its position in the list of nodes. */
    readonly position: number,
    private readonly changes?: Changes,
  ) {
    this.id = state.id
    this.pool = state.pool
    this.dedicatedTo = state.dedicatedTo ?? null
    this.cpuMilli = state.cpuMilli
    this.memoryMib = state.memoryMib
    this.blocked = state.blocked
    this.usedCpuMilli = state.usedCpuMilli
    this.usedMemoryMib = state.usedMemoryMib
    this.gpus = state.gpus.map((gpu) => ({ ...gpu }))
  }

  /** Notes a job that the snapshot counted already. */
  house(jobId: string, tenant: Tenant): void {
    this.tenants.set(jobId, tenant)
    this.nextEnd = Math.min(this.nextEnd, endOf(tenant))
  }

  /** Puts a job on it. */
  seat(jobId: string, tenant: Tenant): void {
    this.house(jobId, tenant)
    this.#book(tenant.task, 1)
  }

  release(jobId: string): void {
    const tenant = this.tenants.get(jobId)
    if (!tenant) return
    this.tenants.delete(jobId)
    this.nextEnd = Math.min(...[...this.tenants.values()].map(endOf))
    this.#book(tenant.task, -1)
  }

  /** Notes that a job was told to go. */
  evict(jobId: string): void {
    const tenant = this.tenants.get(jobId)
    if (!tenant) return
    tenant.leaving = true
    this.nextEnd = endOf(tenant)
  }

  /** The node as it will stand without some of its jobs. */
  without(isGone: (tenant: Tenant) => boolean): NodeBook {
    const copy = new NodeBook(this, this.position)
    for (const tenant of this.tenants.values()) if (isGone(tenant)) copy.#book(tenant.task, -1)
    return copy
  }

  /** Takes a job's room back, whoever notes it. */
  vacate({ task }: Tenant): void {
    this.#book(task, -1)
  }

  #book({ gpus, cpuMilli, memoryMib }: Task, sign: 1 | -1): void {
    this.usedCpuMilli += sign * cpuMilli
    this.usedMemoryMib += sign * memoryMib
    for (const { id, milli } of gpus) {
      const gpu = this.gpus.find((each) => each.id === id)
      if (gpu) gpu.allocatedMilli += sign * milli
    }
    this.changes?.note(this)
  }
}

function endOf({ leaving, endsAt }: Tenant): number {
  return leaving ? Number.NEGATIVE_INFINITY : endsAt
}
