import { expect } from 'vitest'
import type { Lab } from './lab'
import type { WorkerOptions, WorkerProcess } from './worker-process'

/** What a program of a warm container reads in /proc/1/cmdline. */
export const isWarm = 'print("/job/.start" in open("/proc/1/cmdline").read())'

/** The steps of a task that gets a warm container: the request to the engine, and where a gate holds it. */
export const warmSteps = [
  // The line that starts the program.
  ['named, before its program was to start', /^\n$/, 'before'],
  ['reserved, before it had its name', /POST \S*\/containers\/\w+\/rename/, 'before'],
  ['named, before the worker heard of it', /POST \S*\/containers\/\w+\/rename/, 'after'],
  ['started, before the worker heard of it', /^\n$/, 'after'],
  ['ended, before the worker asked how', /GET \S*\/containers\/\w+\/json/, 'before'],
  ['judged, before the container was removed', /DELETE \S*\/containers\//, 'before'],
] as const

/** Starts a worker that keeps warm containers, and waits until one waits for jobs without special requests. */
export async function startWarmWorker(
  lab: Lab,
  options: Partial<WorkerOptions> = {},
): Promise<WorkerProcess> {
  const variables = { GPUQ_WARM_CONTAINERS: '4', ...options.variables }
  const worker = await lab.startWorker({ node: 'a', ...options, variables })
  await warmUp(lab, 1)
  return worker
}

/** Runs a job that nothing waits for, then waits until so many containers are warm. */
export async function warmUp(lab: Lab, count: number): Promise<void> {
  const jobs = await Promise.all(Array.from({ length: count }, () => lab.jobs.submit('print("first")')))
  for (const job of jobs) expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed' })
  await untilWarm(lab, count)
}

/** Waits until at least so many containers wait, and returns their ids. */
export function untilWarm(lab: Lab, count = 1): Promise<string[]> {
  return lab.jobs.until(`${count} containers are warm`, async () => {
    const { rows } = await lab.database.pool.query<{ offered: number }>(
      'SELECT coalesce(sum(warm_containers), 0)::int AS offered FROM nodes',
    )
    if ((rows[0]?.offered ?? 0) < count) return false
    const running = (await lab.warmContainers()).filter(({ state }) => state === 'running')
    return running.length >= count && running.map(({ id }) => id)
  })
}
