import { randomNumbers } from '@/lib/scheduling/testing/simulate'
import { type MonthJob, normal } from './trace'

/** How users estimate the run times of their jobs. */
export const habits = ['exact', 'habitual', 'random'] as const
export type Habit = (typeof habits)[number]

/** Standard deviation of the logarithm of the noise on a habitual estimate. */
const noise = 0.2

/**
 * Returns the estimate of each job in milliseconds. `habitual`: the actual time, multiplied by a factor of the user
 * between 1.4 and 2, and by noise. `random`: the actual time, multiplied by a random factor between 1/2 and 10.
 */
export function estimate(jobs: readonly MonthJob[], habit: Habit, seed: number): Map<string, number> {
  const random = randomNumbers(seed + 7)
  const factors = new Map<string, number>()
  return new Map(
    jobs.map(({ id, userId, runsMs }) => {
      const factor = factors.get(userId) ?? 1.4 + 0.6 * random()
      factors.set(userId, factor)
      const byHabit = {
        exact: 1,
        habitual: factor * Math.exp(noise * normal(random)),
        random: 0.5 * 20 ** random(),
      }
      return [id, Math.round(runsMs * byHabit[habit])]
    }),
  )
}
