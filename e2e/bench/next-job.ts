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

/** A job, and when it began and ended by its own clock, in milliseconds since 1970. */
interface TimedJob {
  id: string
  beganMs: number
  endedMs: number
}

/** Measures the time from the last line of a job to the first line of the next one on the same GPU, by their own clocks. */
export async function benchNextJob(system: System, rounds: number): Promise<Figures> {
  const jobs = await runInTurn(system, rounds)
  return figuresOf(jobs.slice(1).map(({ beganMs }, index) => beganMs - (jobs[index]?.endedMs ?? Number.NaN)))
}

/** Runs one more than `rounds` jobs on the only GPU of the system, when one is warm. Returns them in the order of their starts. */
export async function runInTurn(system: System, rounds: number): Promise<TimedJob[]> {
  await run(system, 1)
  await untilWarm(system)
  return (await run(system, rounds + 1)).sort((a, b) => a.beganMs - b.beganMs)
}

/** Submits jobs at once. */
async function run(system: System, count: number): Promise<TimedJob[]> {
  const ids: string[] = []
  for (let job = 0; job < count; job++) {
    const { status, body } = await call(...upload(system, script))
    if (status !== 202) throw new Error(`submit answered ${status}: ${body}`)
    ids.push((JSON.parse(body) as { job_id: string }).job_id)
  }
  const jobs: TimedJob[] = []
  for (const id of ids) jobs.push(await readTimes(system, id))
  return jobs
}

async function readTimes(system: System, id: string): Promise<TimedJob> {
  for (;;) {
    const headers = bearer(system)
    const { body } = await call(`${system.url}/api/status/${id}`, { headers })
    const { status, result_file } = JSON.parse(body) as { status: string; result_file: string | null }
    if (status === 'failed') throw new Error(`the job failed: ${body}`)
    if (status === 'completed' && result_file !== null) {
      const printed = await call(`${system.url}/api/results/${id}?format=text`, { headers })
      const [began, ended] = printed.body.trim().split('\n').map(Number)
      if (began === undefined || ended === undefined) throw new Error(`the job printed ${printed.body}`)
      return { id, beganMs: began * 1000, endedMs: ended * 1000 }
    }
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
