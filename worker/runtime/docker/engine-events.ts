import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { readJsonLines } from './json-lines'

/** What happened to a container besides ending. */
export interface ContainerNotes {
  /** The kernel killed one of its processes for memory. */
  outOfMemory: boolean
  /** Numbers of the signals that somebody sent through the engine. */
  signals: Set<number>
  /** This process requested its end. */
  stopping: boolean
  /** The engine was unavailable while it ran, and the container has not been seen running since. */
  interrupted: boolean
}

const eventSchema = z.object({
  Action: z.string(),
  Actor: z.object({ ID: z.string(), Attributes: z.record(z.string(), z.string()).nullish() }),
  timeNano: z.number().optional(),
})

/** Times in seconds, in the engine's format. Without an end, the stream follows new events. */
export interface EventQuery {
  since: string
  until?: string
  /** Restricts the events to this container. */
  container?: string
}

const reconnectMs = 1000
const pollIntervalMs = 10

/**
 * Follows the engine's events about this process's containers, because the final state of a container is incomplete:
 * it lacks some out-of-memory kills of child processes, and who sent the signal that ended it.
 */
export class EngineEvents {
  private readonly notes = new Map<string, ContainerNotes>()
  private following = false
  private since = ''

  /**
   * @param open requests `oom`, `kill` and `die` events from the engine.
   * @param onBroken called when the stream of events ends, which only happens if the engine does.
   */
  constructor(
    private readonly open: (query: EventQuery) => Promise<AsyncIterable<Uint8Array | string>>,
    private readonly onBroken: () => void = () => {},
  ) {}

  /** Returns what is known about a container, and watches it from the first call on. */
  of(id: string): ContainerNotes {
    const known = this.notes.get(id)
    if (known !== undefined) return known
    const fresh = { outOfMemory: false, signals: new Set<number>(), stopping: false, interrupted: false }
    this.notes.set(id, fresh)
    if (!this.following) void this.follow()
    return fresh
  }

  /** Waits at most `ms` for the event that explains a container's end by a signal. */
  async explained(id: string, signal: number, ms: number): Promise<void> {
    const notes = this.of(id)
    for (let left = ms; left > 0 && !notes.outOfMemory && !notes.signals.has(signal); left -= pollIntervalMs)
      await sleep(pollIntervalMs)
  }

  forget(id: string): void {
    this.notes.delete(id)
  }

  /** Follows events until nothing is left to watch, and reconnects after a broken connection. */
  private async follow(): Promise<void> {
    this.following = true
    this.since = secondsOf((Date.now() - 1) * 1_000_000)
    while (this.notes.size > 0) {
      try {
        for await (const { time } of this.read({ since: this.since })) this.since = time ?? this.since
      } catch {
        // The calls that need the engine report that it is unavailable; this loop only retries.
      }
      this.onBroken()
      await sleep(reconnectMs, undefined, { ref: false })
    }
    this.following = false
  }

  /**
   * Returns whether the current engine instance was running when a container ended. An engine keeps recent events
   * only in memory: if it remembers the end, it has not restarted since, and its log of the container is complete.
   */
  async sawEnd(id: string): Promise<boolean> {
    let seen = false
    const until = secondsOf((Date.now() + 10) * 1_000_000)
    for await (const { action } of this.read({ since: '0', until, container: id })) seen ||= action === 'die'
    return seen
  }

  /** Reads events, and records those of the watched containers. */
  private async *read(query: EventQuery): AsyncGenerator<{ action: string; time: string | undefined }> {
    for await (const value of readJsonLines(await this.open(query))) {
      const event = eventSchema.safeParse(value).data
      if (event === undefined) continue
      const { Action: action, Actor, timeNano } = event
      const notes = this.notes.get(Actor.ID)
      if (notes && action === 'oom') notes.outOfMemory = true
      if (notes && action === 'kill') notes.signals.add(Number(Actor.Attributes?.signal ?? 0))
      // Starts a millisecond early: a repeated event is harmless, a missed one is lost.
      yield { action, time: timeNano === undefined ? undefined : secondsOf(timeNano - 1_000_000) }
    }
  }
}

/** Formats a time for the engine. */
function secondsOf(nanoseconds: number): string {
  return (nanoseconds / 1_000_000_000).toFixed(6)
}
