import type { System } from '../system/start-system'
import { bearer, call, upload } from './client'
import { untilWarm } from './first-output'
import { type Figures, figuresOf } from './measure'

/** Prints when it began and when it ended, in seconds, and runs long enough that the next container can be prepared. */
const script = `
import time
print(time.time())
time.sleep(1.5)
print(time.time())
`

/** Measures the time from the last line of a job to the first line of the next one on the same GPU, by their own clocks. */
export async function benchNextJob(system: System, rounds: number): Promise<Figures> {
  await run(system, 1)
  await untilWarm(system)
  const times = (await run(system, rounds + 1)).sort(([a], [b]) => a - b)
  return figuresOf(times.slice(1).map(([began], index) => (began - (times[index]?.[1] ?? Number.NaN)) * 1000))
}

/** Submits jobs at once, and returns when each began and ended. */
async function run(system: System, count: number): Promise<[began: number, ended: number][]> {
  const ids: string[] = []
  for (let job = 0; job < count; job++) {
    const { status, body } = await call(...upload(system, script))
    if (status !== 202) throw new Error(`submit answered ${status}: ${body}`)
    ids.push((JSON.parse(body) as { job_id: string }).job_id)
  }
  const times: [number, number][] = []
  for (const id of ids) times.push(await timesOf(system, id))
  return times
}

async function timesOf(system: System, id: string): Promise<[number, number]> {
  for (;;) {
    const headers = bearer(system)
    const { body } = await call(`${system.url}/api/status/${id}`, { headers })
    const { status, result_file } = JSON.parse(body) as { status: string; result_file: string | null }
    if (status === 'failed') throw new Error(`the job failed: ${body}`)
    if (status === 'completed' && result_file !== null) {
      const printed = await call(`${system.url}/api/results/${id}?format=text`, { headers })
      const [began, ended] = printed.body.trim().split('\n').map(Number)
      if (began === undefined || ended === undefined) throw new Error(`the job printed ${printed.body}`)
      return [began, ended]
    }
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
