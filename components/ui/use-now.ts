import { useSyncExternalStore } from 'react'

/*
 * One timer for all times on the page, so that a list of 200 jobs does not need 200 timers and all rows change together.
 */
const readers = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now = 0
let offset = 0

/**
 * Sets how many milliseconds the server's clock is ahead of this browser's. Times come from the server, so "10 minutes ago" and run
 * times follow its clock.
 */
export function setClockOffset(ms: number): void {
  if (ms === offset) return
  offset = ms
  now = readClock()
  for (const reader of readers) reader()
}

const readClock = () => Date.now() + offset

function subscribe(reader: () => void): () => void {
  readers.add(reader)
  if (timer === undefined) {
    now = readClock()
    timer = setInterval(() => {
      now = readClock()
      for (const reader of readers) reader()
    }, 1000)
  }
  return () => {
    readers.delete(reader)
    if (readers.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function toSecond(): number {
  if (timer === undefined) now = readClock()
  return Math.floor(now / 1000) * 1000
}

const unknown = () => null

/**
 * The current time in milliseconds, rounded down to `stepMs`. Renders again when it changes. It is null on the server and
 * during hydration, because the clocks of server and browser differ.
 */
export function useNow(stepMs = 1000): number | null {
  return useSyncExternalStore<number | null>(
    subscribe,
    () => Math.floor(toSecond() / stepMs) * stepMs,
    unknown,
  )
}

const noSubscription = () => () => {}

/** The current time while something runs. Otherwise null, without a timer. */
export function useNowWhile(running: boolean): number | null {
  return useSyncExternalStore<number | null>(
    running ? subscribe : noSubscription,
    () => (running ? toSecond() : null),
    unknown,
  )
}
