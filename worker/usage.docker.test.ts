import { expect } from 'vitest'
import { cancel } from './testing/cancel'
import type { Lab } from './testing/lab'
import { it } from './testing/lab-test'
import { expectAllTrue } from './testing/truth'

interface Used {
  cpu: number | null
  seconds: number | null
  peak: number | null
}

async function used(lab: Lab, job: string): Promise<Used | undefined> {
  const { rows } = await lab.database.pool.query<Used>(
    'SELECT cpu_seconds AS cpu, sampled_seconds AS seconds, memory_peak_mib AS peak FROM tasks WHERE job_id = $1',
    [job],
  )
  return rows[0]
}

const code = `
import time
held = bytearray(b"x") * (200 * 1024 * 1024)
while time.process_time() < 2: pass
print("done")
time.sleep(100)`

it('a job that uses 200 MiB and two CPU seconds reports about these amounts, also from an adopted container', async ({
  openLab,
}) => {
  const lab = await openLab()
  const worker = await lab.startWorker({ node: 'a' })
  const job = await lab.jobs.submit(code)
  await lab.jobs.untilPrinted(job, /done/)
  const computed = async () => ((await used(lab, job))?.cpu ?? 0) >= 2
  await lab.jobs.until('its CPU time is written', computed)
  const before = await used(lab, job)
  expect(before?.cpu).toBeLessThan(10)
  expect(before?.peak).toBeGreaterThanOrEqual(200)
  expect(before?.peak).toBeLessThan(400)

  await worker.kill()
  worker.start()
  const later = async () => ((await used(lab, job))?.seconds ?? 0) > (before?.seconds ?? 0)
  await lab.jobs.until('it is measured again', later)
  expect((await used(lab, job))?.peak).toBeGreaterThanOrEqual(before?.peak ?? 0)

  await cancel(lab, job)
  await lab.jobs.untilFinal(job)
  await expectAllTrue(lab)
})
