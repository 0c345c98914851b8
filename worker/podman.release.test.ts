import { afterAll, beforeAll, describe, expect } from 'vitest'
import { counting } from './testing/adoption'
import { cancel } from './testing/cancel'
import { it, type LabFixtures } from './testing/lab-test'
import { PodmanService } from './testing/podman-service'
import { expectAllTrue } from './testing/truth'

let podman: PodmanService
beforeAll(async () => {
  podman = await PodmanService.start()
})
afterAll(() => podman?.remove())

/** A lab whose one worker runs on Podman. */
async function openPodmanLab(openLab: LabFixtures['openLab']) {
  const lab = await openLab({ engine: podman.engine })
  const worker = await lab.startWorker({ node: 'a', gpus: 2, engineSocket: podman.socketPath })
  return { lab, worker }
}

describe('a worker on Podman', () => {
  it('runs a job to its end, with all of its output', async ({ openLab }) => {
    const { lab } = await openPodmanLab(openLab)
    const job = await lab.jobs.submit(counting(100, 1))
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1, exitCode: 0 })
    const lines = await lab.jobs.lines(job)
    expect(lines.slice(1, -1)).toEqual(Array.from({ length: 100 }, (_, i) => `line ${i}`))
    expect(await lab.jobs.stderr(job)).toBe(Array.from({ length: 100 }, (_, i) => `error ${i}\n`).join(''))
    const failing = await lab.jobs.submit('b = []\nwhile True: b.append(bytearray(8 << 20))')
    expect(await lab.jobs.untilFinal(failing)).toMatchObject({ status: 'failed', reason: 'out_of_memory' })
    await expectAllTrue(lab)
    expect(await lab.containers()).toEqual([])
  })

  it('continues a job after it was killed, without missing or repeated lines', async ({ openLab }) => {
    const { lab, worker } = await openPodmanLab(openLab)
    const job = await lab.jobs.submit(counting(400, 10))
    await lab.jobs.untilPrinted(job, /line 10\n/)
    await worker.kill()
    worker.start()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    const lines = await lab.jobs.lines(job)
    expect(lines.slice(1, -1)).toEqual(Array.from({ length: 400 }, (_, i) => `line ${i}`))
    await expectAllTrue(lab)
  })

  it('gives a job a terminal, also after it was killed', async ({ openLab }) => {
    const { lab, worker } = await openPodmanLab(openLab)
    const code = 'while (line := input("say> ")) != "go":\n    print("heard", line)'
    const job = await lab.jobs.submit(code, { spec: { tty: true } })
    const type = (bytes: string) =>
      lab.database.pool.query(
        `WITH typed AS (INSERT INTO terminal_inputs (task_id, bytes) SELECT id, $2 FROM tasks WHERE job_id = $1 RETURNING task_id)
         SELECT pg_notify('gpuq_terminal', task_id::text) FROM typed`,
        [job, Buffer.from(bytes)],
      )
    await lab.jobs.untilPrinted(job, /say> $/)
    await type('one\r')
    await lab.jobs.untilPrinted(job, /heard one\r\nsay> $/)
    await worker.kill()
    worker.start()
    await type('two\r')
    expect(await lab.jobs.untilPrinted(job, /heard two\r\nsay> $/)).toBe(
      'say> one\r\nheard one\r\nsay> two\r\nheard two\r\nsay> ',
    )
    await type('go\r')
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', exitCode: 0 })
    await expectAllTrue(lab)
  })

  it('cancels a running job', async ({ openLab }) => {
    const { lab } = await openPodmanLab(openLab)
    const job = await lab.jobs.submit('import time\nprint("up")\ntime.sleep(600)')
    await lab.jobs.untilPrinted(job, /up\n/)
    await cancel(lab, job)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'cancelled' })
    await expectAllTrue(lab)
  })
})
