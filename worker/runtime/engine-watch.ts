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

const reconnectMs = 1000

/**
 * Follows the engine's events about the containers of this process, because the container's final state does not
 * tell the whole truth: not every out-of-memory kill of a child is in it, nor who sent the signal that ended it.
 */
export class EngineWatch {
  private readonly notes = new Map<string, ContainerNotes>()
  private following = false
  private since = ''

  /** `open` asks the engine for `oom` and `kill` events from a time on. */
  constructor(private readonly open: (since: string) => Promise<AsyncIterable<Uint8Array | string>>) {}

  /** What is known about a container; from the first call on it is watched. */
  of(id: string): ContainerNotes {
    const known = this.notes.get(id)
    if (known !== undefined) return known
    const fresh = { outOfMemory: false, signals: new Set<number>(), stopping: false, interrupted: false }
    this.notes.set(id, fresh)
    if (!this.following) void this.follow()
    return fresh
  }

  forget(id: string): void {
    this.notes.delete(id)
  }

  /** Follows until the connection ends with nothing left to watch, and again from there after a broken one. */
  private async follow(): Promise<void> {
    this.following = true
    this.since = secondsOf(Date.now() * 1_000_000)
    while (this.notes.size > 0) {
      try {
        for await (const value of readJsonLines(await this.open(this.since))) this.record(value)
      } catch {
        // An engine that is away is reported by the calls that need it; here it only means to ask again.
      }
      await sleep(reconnectMs, undefined, { ref: false })
    }
    this.following = false
  }

  private record(value: unknown): void {
    const event = eventSchema.safeParse(value).data
    if (event === undefined) return
    if (event.timeNano !== undefined) this.since = secondsOf(event.timeNano)
    const notes = this.notes.get(event.Actor.ID)
    if (notes === undefined) return
    if (event.Action === 'oom') notes.outOfMemory = true
    if (event.Action === 'kill') notes.signals.add(Number(event.Actor.Attributes?.signal ?? 0))
  }
}

/** The engine's form of a time, a millisecond early: an event seen twice says nothing new, a missed one is lost. */
function secondsOf(nanoseconds: number): string {
  return (nanoseconds / 1_000_000_000 - 0.001).toFixed(6)
}
