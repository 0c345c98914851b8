import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { readJsonLines } from './json-lines'

/** What happened to a container besides ending. */
export interface ContainerNotes {
  /** The kernel killed a process in it for memory. */
  outOfMemory: boolean
  /** Signals sent through the engine by somebody, by number. */
  signals: Set<number>
  /** This process asked for its end. */
  stopping: boolean
  /** The engine went away while it ran, and it has not been seen running since. */
  interrupted: boolean
}

const eventSchema = z.object({
  Action: z.string(),
  Actor: z.object({ ID: z.string(), Attributes: z.record(z.string(), z.string()).nullish() }),
  timeNano: z.number().optional(),
})

/** Times as the engine reads them, in seconds. Without an end, the events are followed as they come. */
interface EventQuery {
  since: string
  until?: string
  /** Only this container's. */
  container?: string
}

const reconnectMs = 1000
const lookEveryMs = 10

/**
 * Follows the engine's events about the containers of this process, because the container's final state does not
 * tell the whole truth: not every out-of-memory kill of a child is in it, nor who sent the signal that ended it.
 */
export class EngineEvents {
  private readonly notes = new Map<string, ContainerNotes>()
  private following = false
  private since = ''

  /** `open` asks the engine for `oom`, `kill` and `die` events. */
  constructor(private readonly open: (query: EventQuery) => Promise<AsyncIterable<Uint8Array | string>>) {}

  /** What is known about a container; from the first call on it is watched. */
  of(id: string): ContainerNotes {
    const known = this.notes.get(id)
    if (known !== undefined) return known
    const fresh = { outOfMemory: false, signals: new Set<number>(), stopping: false, interrupted: false }
    this.notes.set(id, fresh)
    if (!this.following) void this.follow()
    return fresh
  }

  /** Waits for the event that explains a container's end by a signal, for so long at most. */
  async explained(id: string, signal: number, ms: number): Promise<void> {
    const notes = this.of(id)
    for (let left = ms; left > 0 && !notes.outOfMemory && !notes.signals.has(signal); left -= lookEveryMs)
      await sleep(lookEveryMs)
  }

  forget(id: string): void {
    this.notes.delete(id)
  }

  /** Follows until the connection ends with nothing left to watch, and again from there after a broken one. */
  private async follow(): Promise<void> {
    this.following = true
    this.since = secondsOf((Date.now() - 1) * 1_000_000)
    while (this.notes.size > 0) {
      try {
        for await (const { time } of this.read({ since: this.since })) this.since = time ?? this.since
      } catch {
        // An engine that is away is reported by the calls that need it; here it only means to ask again.
      }
      await sleep(reconnectMs, undefined, { ref: false })
    }
    this.following = false
  }

  /**
   * Whether the engine that answers now was there when a container ended. An engine keeps its last events in memory
   * alone: one that remembers the end has not been restarted since, and its log of the container is whole.
   */
  async sawEnd(id: string): Promise<boolean> {
    let seen = false
    const until = secondsOf((Date.now() + 10) * 1_000_000)
    for await (const { action } of this.read({ since: '0', until, container: id })) seen ||= action === 'die'
    return seen
  }

  /** Reads events, and notes what they say of the containers that are watched. */
  private async *read(query: EventQuery): AsyncGenerator<{ action: string; time: string | undefined }> {
    for await (const value of readJsonLines(await this.open(query))) {
      const event = eventSchema.safeParse(value).data
      if (event === undefined) continue
      const { Action: action, Actor, timeNano } = event
      const notes = this.notes.get(Actor.ID)
      if (notes && action === 'oom') notes.outOfMemory = true
      if (notes && action === 'kill') notes.signals.add(Number(Actor.Attributes?.signal ?? 0))
      // A millisecond early: an event seen twice says nothing new, a missed one is lost.
      yield { action, time: timeNano === undefined ? undefined : secondsOf(timeNano - 1_000_000) }
    }
  }
}

/** The engine's form of a time. */
function secondsOf(nanoseconds: number): string {
  return (nanoseconds / 1_000_000_000).toFixed(6)
}
