import { type Capacity, capacityOf } from './capacity'
import type { GpuState, NodeState, TaskPlacement } from './types'

type Task = Omit<TaskPlacement, 'rank'>

/** A job on a node. */
interface Occupant {
  task: Task
  /** When it is expected to end. */
  endsAt: number
  /** Gives way when asked. */
  preemptible: boolean
  leaving: boolean
  startedAt: number
}

/** A node as the scheduler goes along: what is placed is on it at once. */
export class NodeLedger implements NodeState {
  readonly id: string
  readonly pool: NodeState['pool']
  readonly dedicatedTo: string | null
  readonly cpuMilli: number
  readonly memoryMib: number
  readonly blocked: NodeState['blocked']
  usedCpuMilli: number
  usedMemoryMib: number
  readonly gpus: GpuState[]
  /** Where in `gpus` each is. */
  readonly #places: ReadonlyMap<string, number>
  /** The jobs on it. What holds room without being one of them stays for ever. */
  readonly occupants = new Map<string, Occupant>()
  /** When the first of its jobs ends. One that was told to go may at any moment. */
  nextEnd = Number.POSITIVE_INFINITY

  constructor(
    state: NodeState,
    /** Its position in the list of nodes. */
    readonly position: number,
    private readonly noteChange: (node: NodeLedger) => void,
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
    this.#places = new Map(this.gpus.map(({ id }, place) => [id, place]))
  }

  /** Notes a job that the snapshot counted already. */
  house(jobId: string, tenant: Occupant): void {
    this.occupants.set(jobId, tenant)
    this.nextEnd = Math.min(this.nextEnd, endOf(tenant))
    this.noteChange(this)
  }

  /** Puts a job on it. */
  allocate(jobId: string, tenant: Occupant): void {
    this.house(jobId, tenant)
    this.#book(tenant.task, 1)
  }

  release(jobId: string): void {
    const tenant = this.occupants.get(jobId)
    if (!tenant) return
    this.occupants.delete(jobId)
    this.nextEnd = Math.min(...[...this.occupants.values()].map(endOf))
    this.#book(tenant.task, -1)
    this.noteChange(this)
  }

  /** Notes that a job was told to go. */
  evict(jobId: string): void {
    const tenant = this.occupants.get(jobId)
    if (!tenant) return
    tenant.leaving = true
    this.nextEnd = endOf(tenant)
    this.noteChange(this)
  }

  /** Its jobs in the order in which they end, without those that were told to go. */
  inOrderOfEnds(): Occupant[] {
    return [...this.occupants.values()].filter(({ leaving }) => !leaving).sort((a, b) => a.endsAt - b.endsAt)
  }

  /** Its room as it will be without some of its jobs. */
  roomWithout(isGone: (tenant: Occupant) => boolean): Capacity {
    const room = capacityOf(this)
    for (const tenant of this.occupants.values()) if (isGone(tenant)) this.give(room, tenant.task)
    return room
  }

  /** Adds what a task holds to a room of this node; takes it away where `sign` is -1. */
  give(room: Capacity, { gpus, cpuMilli, memoryMib }: Task, sign: 1 | -1 = 1): void {
    room.cpuMilli += sign * cpuMilli
    room.memoryMib += sign * memoryMib
    for (const { id, milli } of gpus) {
      const place = this.#places.get(id) ?? -1
      if (this.gpus[place]?.blocked === null) room.gpus[place] = (room.gpus[place] ?? 0) + sign * milli
    }
  }

  #book({ gpus, cpuMilli, memoryMib }: Task, sign: 1 | -1): void {
    this.usedCpuMilli += sign * cpuMilli
    this.usedMemoryMib += sign * memoryMib
    for (const { id, milli } of gpus) {
      const gpu = this.gpus[this.#places.get(id) ?? -1]
      if (gpu) gpu.allocatedMilli += sign * milli
    }
  }
}

function endOf({ leaving, endsAt }: Occupant): number {
  return leaving ? Number.NEGATIVE_INFINITY : endsAt
}
