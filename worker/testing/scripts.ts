import { expect } from 'vitest'
import type { Script } from '../runtime/testing/fake-container'
import type { FakeLab } from './fake-lab'

/** Does not resolve. */
export const forever = new Promise<never>(() => {})

/** Says that it runs, and ends only by a signal. */
export const endless: Script = async ({ print }) => {
  await print('in\n')
  return forever
}

/** Says which attempt it is. The first one ends only by a signal, a later one at once. */
export const onceMore: Script = async ({ attempt, print }) => {
  await print(`attempt ${attempt}\n`)
  return attempt === 1 ? forever : 0
}

/** Prints a line and ends. */
export const short: Script = async ({ print }) => {
  await print('short\n')
  return 0
}

/**
 * Prints numbered lines on both streams.
 * @param middle what it waits for in the middle of a line, when it has printed half of them.
 */
export function counting(lines: number, middle: Promise<unknown> = Promise.resolve()): Script {
  return async ({ print, printError }) => {
    for (let i = 0; i < lines; i++) {
      await print('line ')
      if (i === Math.floor(lines / 2)) await middle
      await print(`${i}\n`)
      await printError(`error ${i}\n`)
    }
    return 0
  }
}

/** The result of a job has all that {@link counting} prints, once. */
export async function expectCounted({ jobs }: FakeLab, job: string, lines: number): Promise<void> {
  const numbers = Array.from({ length: lines }, (_, i) => i)
  expect(await jobs.lines(job)).toEqual(numbers.map((i) => `line ${i}`))
  expect(await jobs.stderr(job)).toBe(numbers.map((i) => `error ${i}\n`).join(''))
}
