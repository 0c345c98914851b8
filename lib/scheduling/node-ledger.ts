import { type Capacity, capacityOf } from './capacity'
import type { GpuState, NodeState, TaskPlacement } from './types'

type Task = Omit<TaskPlacement, 'rank'>

interface Occupant {
  task: Task
  endsAt: number
  preemptible: boolean
  terminating: boolean
  startedAt: number
}

/** The free capacity of a node from a time on. */
export interface CapacityAt {
  at: number
  capacity: Capacity
}

/** The state of a node during a pass. Placements apply immediately. */
export class NodeLedger implements NodeState {
  readonly id: string
  readonly name?: string
  readonly pool: NodeState['pool']
  readonly dedicatedTo: string | null
  readonly cpuMilli: number
  readonly memoryMib: number
  readonly blocked: NodeState['blocked']
  usedCpuMilli: number
  usedMemoryMib: number
  readonly gpus: GpuState[]
  readonly absentGpus: readonly GpuState[]
  /** Index in `gpus` by GPU id. */
  readonly #gpuPositions: ReadonlyMap<string, number>
  /** The jobs on the node. Used resources without a job are never freed. */
  readonly occupants = new Map<string, Occupant>()
  /** The earliest end of its jobs. Minus infinity if a job is being preempted, because it may end at any moment. */
  nextEnd = Number.POSITIVE_INFINITY
  /** Counts its changes. */
  changes = 0
  #capacityByTime: readonly CapacityAt[] | null = null
  #capacity: Readonly<Capacity> | null = null
  /** A measure of its current state that the caller computes; null after a change. */
  fragmentation: number | null = null

  constructor(
    state: NodeState,
    /** Its position in the list of nodes. */
    readonly position: number,
    /** Equal for nodes that differ only in what is allocated on them. */
    readonly kind: string,
    private readonly onChange: (node: NodeLedger) => void,
  ) {
    this.id = state.id
    if (state.name !== undefined) this.name = state.name
    this.pool = state.pool
    this.dedicatedTo = state.dedicatedTo ?? null
    this.cpuMilli = state.cpuMilli
    this.memoryMib = state.memoryMib
    this.blocked = state.blocked
    this.usedCpuMilli = state.usedCpuMilli
    this.usedMemoryMib = state.usedMemoryMib
    this.gpus = state.gpus.map((gpu) => ({ ...gpu }))
    this.absentGpus = state.absentGpus ?? []
    this.#gpuPositions = new Map(this.gpus.map(({ id }, position) => [id, position]))
  }

  /** Adds a job whose resources the snapshot already counts as used. */
  adopt(jobId: string, occupant: Occupant): void {
    this.occupants.set(jobId, occupant)
    this.nextEnd = Math.min(this.nextEnd, endOf(occupant))
    this.#change()
  }

  /** Adds a job and counts its resources as used. */
  allocate(jobId: string, occupant: Occupant): void {
    this.adopt(jobId, occupant)
    this.#addUsage(occupant.task, 1)
  }

  release(jobId: string): void {
    const occupant = this.occupants.get(jobId)
    if (!occupant) return
    this.occupants.delete(jobId)
    this.nextEnd = Number.POSITIVE_INFINITY
    for (const other of this.occupants.values()) this.nextEnd = Math.min(this.nextEnd, endOf(other))
    this.#addUsage(occupant.task, -1)
    this.#change()
  }

  /** Marks a job as being preempted. */
  evict(jobId: string): void {
    const occupant = this.occupants.get(jobId)
    if (!occupant) return
    occupant.terminating = true
    this.nextEnd = endOf(occupant)
    this.#change()
  }

  /**
   * Returns its free capacity without the jobs that are being preempted, at minus infinity, and after each expected end
   * of the others, in the order of time. Cached until the node changes, because many request classes ask for it.
   */
  capacityByTime(): readonly CapacityAt[] {
    if (this.#capacityByTime) return this.#capacityByTime
    const capacity = this.capacityWithout(({ terminating }) => terminating)
    const steps = [{ at: Number.NEGATIVE_INFINITY, capacity: copyOf(capacity) }]
    const staying = [...this.occupants.values()].filter(({ terminating }) => !terminating)
    for (const { task, endsAt } of staying.sort((a, b) => a.endsAt - b.endsAt)) {
      this.addTask(capacity, task)
      steps.push({ at: endsAt, capacity: copyOf(capacity) })
    }
    this.#capacityByTime = steps
    return steps
  }

  /** Returns its free capacity at a time, without the jobs that are expected to end by then or are being preempted. */
  capacityAt(time: number): Capacity {
    const steps = this.capacityByTime()
    let last = 0
    while ((steps[last + 1]?.at ?? Number.POSITIVE_INFINITY) <= time) last += 1
    const step = steps[last]
    return step ? copyOf(step.capacity) : capacityOf(this)
  }

  /** Returns its free capacity if some of its jobs were gone. */
  capacityWithout(isGone: (occupant: Occupant) => boolean): Capacity {
    const capacity = capacityOf(this)
    for (const occupant of this.occupants.values())
      if (isGone(occupant)) this.addTask(capacity, occupant.task)
    return capacity
  }

  /** Adds the resources of a task to a capacity of this node, or subtracts them if `sign` is -1. */
  addTask(capacity: Capacity, { gpus, cpuMilli, memoryMib }: Task, sign: 1 | -1 = 1): void {
    capacity.cpuMilli += sign * cpuMilli
    capacity.memoryMib += sign * memoryMib
    for (const { id, milli } of gpus) {
      const position = this.#gpuPositions.get(id) ?? -1
      if (this.gpus[position]?.blocked === null)
        capacity.gpus[position] = (capacity.gpus[position] ?? 0) + sign * milli
    }
  }

  /** Its free capacity. Cached until it changes, because every request class asks for it. */
  get capacity(): Readonly<Capacity> {
    this.#capacity ??= capacityOf(this)
    return this.#capacity
  }

  #change(): void {
    this.changes += 1
    this.#capacityByTime = null
    this.#capacity = null
    this.fragmentation = null
    this.onChange(this)
  }

  #addUsage({ gpus, cpuMilli, memoryMib }: Task, sign: 1 | -1): void {
    this.usedCpuMilli += sign * cpuMilli
    this.usedMemoryMib += sign * memoryMib
    for (const { id, milli } of gpus) {
      const gpu = this.gpus[this.#gpuPositions.get(id) ?? -1]
      if (gpu) gpu.allocatedMilli += sign * milli
    }
  }
}

function copyOf({ cpuMilli, memoryMib, gpus }: Capacity): Capacity {
  return { cpuMilli, memoryMib, gpus: [...gpus] }
}

function endOf({ terminating, endsAt }: Occupant): number {
  return terminating ? Number.NEGATIVE_INFINITY : endsAt
}
