import { randomNumbers } from '../../scheduling/testing/simulate'
import { decide, type Rung, rungsOf, type StopRule } from '../stopping/stop-rules'

const rule: StopRule = { rule: 'asha', reduction: 3, min_step: 10, resume: false }
const objective = { metric: 'loss', mode: 'min' } as const

/**
 * Runs asha on simulated curves: losses that fall to a limit of their own, with noise. No recorded ones are here.
 * @returns the share of all steps that ran, and the best loss of a member that ran to its end, divided by the best of all.
 */
export function simulateAsha(members: number, steps: number, seed: number): { share: number; best: number } {
  const random = randomNumbers(seed)
  const curves = Array.from({ length: members }, () => {
    const [limit, speed] = [0.1 + random(), 0.02 + 0.2 * random()]
    return Float64Array.from(
      { length: steps },
      (_, step) => limit + Math.exp(-speed * step) + 0.01 * random(),
    )
  })
  const numbers = Float64Array.from({ length: steps }, (_, index) => index + 1)
  const reached: Rung[][] = []
  const ends: number[] = []
  let used = 0
  for (const values of curves) {
    const last = rungsOf({ steps: numbers, values }, rule, objective.mode).find((one) => {
      const others = reached[one.rung] ?? []
      reached[one.rung] = [...others, one]
      return decide(rule, objective, one, others) !== null
    })
    used += last?.step ?? steps
    if (!last) ends.push(values.at(-1) ?? Number.NaN)
  }
  const best = Math.min(...curves.map((values) => values.at(-1) ?? Number.NaN))
  return { share: used / (members * steps), best: Math.min(...ends) / best }
}
