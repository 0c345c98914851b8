import { sleep } from '@/lib/async/sleep'
import { enforceBudgets } from '@/lib/budgets/enforce-budgets'
import { attempt } from '../scheduler/attempt'

/** Between two calls, also if the budgets could not be read. */
const shortestMs = 250

/** Keeps jobs within their budgets, until `signal` is aborted. */
export async function keepBudgets(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const began = performance.now()
    let intervalMs = 0
    await attempt('enforce the budgets', async () => {
      intervalMs = await enforceBudgets()
    })
    await sleep(Math.max(shortestMs, intervalMs - (performance.now() - began)), signal)
  }
}
