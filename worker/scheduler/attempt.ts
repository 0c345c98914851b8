import { logger } from '@/lib/logger'

/** Runs one step of a leader's loop. A failure is logged, because the loop repeats the step. */
export async function attempt(what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    logger.error({ err: error }, `the scheduler could not ${what}, retrying in a second`)
  }
}
