import { logger } from '@/lib/logger'

/** Far longer than a pass on a busy machine. A Slurm command is killed after 30 s. */
const slowMs = 60_000

/** A part of a pass, such as `list the jobs of Slurm`. */
export type EnterStep = (name: string) => void

/**
 * Runs one pass of a leader's loop. If it takes longer than a minute, logs that once, with the step that it is in: a loop that
 * waits for something that never comes would otherwise be silent.
 * @param pass what the log names it.
 * @param work calls `enter` before each of its steps.
 */
export async function watchPass<T>(pass: string, work: (enter: EnterStep) => Promise<T>): Promise<T> {
  const beganMs = performance.now()
  let step = 'begin'
  let enteredMs = beganMs
  let slow = false
  const times = () => ({
    step,
    stepSeconds: secondsSince(enteredMs),
    seconds: secondsSince(beganMs),
  })
  const timer = setTimeout(() => {
    slow = true
    logger.error(times(), `the leader's ${pass} takes long, and no other begins until it has ended`)
  }, slowMs)
  try {
    return await work((name) => {
      step = name
      enteredMs = performance.now()
    })
  } finally {
    clearTimeout(timer)
    if (slow) logger.warn(times(), `the leader's slow ${pass} has ended`)
  }
}

const secondsSince = (ms: number) => Math.round((performance.now() - ms) / 1000)
