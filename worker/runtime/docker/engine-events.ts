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
  /** The engine reported the end. All events before it are known then. */
  ended: boolean
  /**
   * When the engine was first found unavailable while the container ran, in milliseconds since 1970. Null if it never was, or if
   * the container has been seen running since.
   */
  interruptedMs: number | null
}

/** A signal whose number the engine does not tell, such as Podman. */
export const unknownSignal = 0

const eventSchema = z.object({
  Action: z.string(),
  Actor: z.object({ ID: z.string(), Attributes: z.record(z.string(), z.string()).nullish() }),
  timeNano: z.number().optional(),
})

/** Times in seconds, in the engine's format. Without an end, the stream follows new events. */
export interface EventQuery {
  since: string
  until?: string
}

/** What the events of an engine need from it. */
interface EngineHooks {
  /** Called when the stream of events ends, which only happens if the engine does. */
  onBroken(): void
  /** Whether containers continue while the engine restarts. */
  usesLiveRestore(): Promise<boolean>
  /** How long the engine may take to return the recorded events, in milliseconds; default 10. */
  historyMs?(): Promise<number>
}

interface ContainerEvent {
  /** The container's id. */
  id: string
  action: string
  /** Nanoseconds since 1970; undefined if the engine does not say. */
  timeNs: number | undefined
}

/** Somebody ends a container with one of these. Podman reports only the request, and Docker also the signal. */
const endActions = new Set(['kill', 'stop', 'remove'])

const reconnectMs = 1000

/**
 * Follows the engine's events about this process's containers, because the final state of a container is incomplete:
 * it lacks some out-of-memory kills of child processes, and who sent the signal that ended it.
 */
export class EngineEvents {
  private readonly notes = new Map<string, ContainerNotes>()
  /** Called after each event of a watched container. */
  private readonly waiting = new Set<() => void>()
  private following = false
  private since = ''
  /** When the engine began to send events over the present connection, in milliseconds since 1970. Null: there is none. */
  private answersSinceMs: number | null = null

  /** @param open requests `start`, `oom`, `kill` and `die` events from the engine, and from Podman those of requests. */
  constructor(
    private readonly open: (query: EventQuery) => Promise<AsyncIterable<Uint8Array | string>>,
    private readonly engine: EngineHooks,
  ) {}

  /** Returns what is known about a container, and watches it from the first call on. */
  of(id: string): ContainerNotes {
    const known = this.notes.get(id)
    if (known !== undefined) return known
    const fresh: ContainerNotes = {
      outOfMemory: false,
      signals: new Set<number>(),
      stopping: false,
      ended: false,
      interruptedMs: null,
    }
    this.notes.set(id, fresh)
    if (!this.following) void this.follow()
    return fresh
  }

  /** Waits at most `ms` for the event that explains a container's end by a signal. */
  async explained(id: string, signal: number, ms: number): Promise<void> {
    const notes = this.of(id)
    const { signals } = notes
    await this.until(() => notes.outOfMemory || signals.has(signal) || signals.has(unknownSignal), ms)
  }

  /** Waits at most `ms` for the event of a container's end. */
  async reported(id: string, ms: number): Promise<void> {
    const notes = this.of(id)
    await this.until(() => notes.ended, ms)
  }

  private async until(condition: () => boolean, ms: number): Promise<void> {
    if (condition()) return
    await new Promise<void>((resolve) => {
      const finish = () => {
        clearTimeout(timer)
        this.waiting.delete(check)
        resolve()
      }
      const check = () => {
        if (condition()) finish()
      }
      const timer = setTimeout(finish, ms)
      this.waiting.add(check)
    })
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
        const opened = () => {
          this.answersSinceMs = Date.now()
        }
        for await (const { timeNs } of this.read({ since: this.since }, opened)) {
          // Starts a millisecond early: a repeated event is harmless, a missed one is lost.
          if (timeNs !== undefined) this.since = secondsOf(timeNs - 1_000_000)
        }
      } catch {
        // The calls that need the engine report that it is unavailable; this loop only retries.
      }
      this.answersSinceMs = null
      this.engine.onBroken()
      // The engine may send signals to containers while it stops, and nothing reports them.
      for (const [id, { ended }] of this.notes) if (!ended) this.interrupt(id)
      await sleep(reconnectMs, undefined, { ref: false })
    }
    this.following = false
  }

  /** Notes that the engine was unavailable while the container ran. */
  interrupt(id: string): void {
    this.of(id).interruptedMs ??= Date.now()
  }

  /**
   * Returns whether the engine that answers now saw the end of a container with all of its output, and did not cause the end. An
   * engine keeps recent events only in memory. One that remembers an event from before the interruption has not restarted
   * since. One that has restarted ended the container itself, unless live-restore is on. With live-restore, an engine that
   * is still starting reports the end of a container, too, but loses the output in its pipes (seen with 20.10): so the end
   * must be later than the engine's first answer.
   */
  async sawEnd(id: string): Promise<boolean> {
    const { interruptedMs } = this.of(id)
    let isSame = interruptedMs === null
    let endedNs: number | undefined
    const historyMs = (await this.engine.historyMs?.()) ?? 10
    const until = secondsOf((Date.now() + historyMs) * 1_000_000)
    for await (const event of this.read({ since: '0', until })) {
      if (event.action === 'die' && event.id === id) endedNs = event.timeNs ?? 0
      isSame ||= event.timeNs !== undefined && event.timeNs < (interruptedMs ?? 0) * 1_000_000
    }
    if (endedNs === undefined) return false
    if (isSame) return true
    const { answersSinceMs } = this
    const endedAfterStart = answersSinceMs !== null && endedNs > answersSinceMs * 1_000_000
    return endedAfterStart && (await this.engine.usesLiveRestore())
  }

  /** Reads events, and records those of the watched containers. */
  private async *read(query: EventQuery, onOpen = () => {}): AsyncGenerator<ContainerEvent> {
    const stream = await this.open(query)
    onOpen()
    for await (const value of readJsonLines(stream)) {
      const event = eventSchema.safeParse(value).data
      if (event === undefined) continue
      const { Action: action, Actor, timeNano } = event
      const notes = this.notes.get(Actor.ID)
      if (notes && action === 'oom') notes.outOfMemory = true
      if (notes && action === 'die') notes.ended = true
      if (notes && endActions.has(action))
        notes.signals.add(Number(Actor.Attributes?.signal ?? unknownSignal))
      if (notes) for (const check of [...this.waiting]) check()
      yield { id: Actor.ID, action, timeNs: timeNano }
    }
  }
}

/** Formats a time for the engine. */
function secondsOf(nanoseconds: number): string {
  return (nanoseconds / 1_000_000_000).toFixed(6)
}
