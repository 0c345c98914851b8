'use client'

import { useSyncExternalStore } from 'react'

/*
 * One timer for every time on the page, so that a list of two hundred jobs does not wake two hundred times a second
 * and all its rows change together.
 */
const readers = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now = 0

function subscribe(reader: () => void): () => void {
  readers.add(reader)
  if (timer === undefined) {
    now = Date.now()
    timer = setInterval(() => {
      now = Date.now()
      for (const wake of readers) wake()
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
  if (timer === undefined) now = Date.now()
  return Math.floor(now / 1000) * 1000
}

const unknown = () => null

/**
 * The present time in milliseconds, rounded down to `stepMs`; renders again when that changes. On the server, and
 * while the page takes over what the server sent, it is null: the two clocks never meet.
 */
export function useNow(stepMs = 1000): number | null {
  return useSyncExternalStore<number | null>(
    subscribe,
    () => Math.floor(toSecond() / stepMs) * stepMs,
    unknown,
  )
}

const never = () => () => {}

/** For what stands still: subscribes to nothing and is null. */
export function useNowWhile(running: boolean): number | null {
  return useSyncExternalStore<number | null>(
    running ? subscribe : never,
    () => (running ? toSecond() : null),
    unknown,
  )
}
