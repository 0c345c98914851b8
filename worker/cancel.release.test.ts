import { describe, expect } from 'vitest'
import { cancel } from './testing/cancel'
import type { Lab } from './testing/lab'
import { it } from './testing/lab-test'
import { expectAllTrue, expectBooksMatchContainers, readBooks } from './testing/truth'

const sleeping = 'import time\nprint("in")\ntime.sleep(1000)'
const byOwner = { status: 'cancelled', reason: 'cancelled_by_user' }

async function isBeingStopped(lab: Lab, job: string): Promise<boolean> {
  const { rowCount } = await lab.database.pool.query(
    'SELECT 1 FROM tasks WHERE job_id = $1 AND reason IS NOT NULL',
    [job],
  )
  return rowCount === 1
}

describe.concurrent('a job is cancelled', () => {
  it('a job is cancelled while it waits, while it is placed, and while it runs, by its owner and by an admin', async ({
    openLab,
  }) => {
    const lab = await openLab()
    const worker = await lab.startWorker({ node: 'a' })
    const running = await lab.jobs.submit(sleeping)
    await lab.jobs.untilPrinted(running, /in/)
    const waiting = await lab.jobs.submit(sleeping)
    await lab.jobs.until(
      'it waits for a GPU',
      async () => (await lab.jobs.row(waiting)).reason === 'no_free_gpu',
    )
    await cancel(lab, waiting, 'admin')
    expect(await lab.jobs.row(waiting)).toMatchObject({ status: 'cancelled', reason: 'cancelled_by_admin' })
    await cancel(lab, running)
    await cancel(lab, running)
    expect(await lab.jobs.untilFinal(running)).toMatchObject(byOwner)
    await expectAllTrue(lab)

    const leader = await lab.startWorker({ node: 'b', gpus: 0 })
    await lab.jobs.until('the other serves', async () => leader.log.includes('serving'))
    worker.signal('SIGSTOP')
    const placed = await lab.jobs.submit(sleeping)
    await lab.jobs.untilStatus(placed, 'scheduled')
    await cancel(lab, placed)
    expect(await lab.jobs.row(placed)).toMatchObject({ ...byOwner, attempt: 1 })
    worker.signal('SIGCONT')
    await expectAllTrue(lab)
  })

  const steps = [
    ['while its image is looked for', /GET \S*\/images\/\S+\/json/, 'before'],
    ['while its container is created', /POST \S*\/containers\/create/, 'after'],
    ['while its container starts', /POST \S*\/containers\/\w+\/start/, 'after'],
    [
      'when its container has ended, and nobody knows',
      /POST \S*\/containers\/\w+\/wait\?condition=not-running/,
      'after',
    ],
    ['when its end is being looked at', /GET \S*\/containers\/\w+\/json/, 'before'],
    ['when it has its verdict and its container is being removed', /DELETE \S*\/containers\//, 'before'],
  ] as const

  it.for(steps)('%s', async ([name, request, step], { openGatedLab }) => {
    const ended = /ended|end is/.test(name)
    const { lab, gate } = await openGatedLab()
    const hold = gate.hold(request, step)
    const job = await lab.jobs.submit('print("short")')
    await hold.reached
    const judged = (await lab.jobs.row(job)).status === 'completed'
    if (judged) await expect(cancel(lab, job)).rejects.toThrow('already ended')
    else await cancel(lab, job)
    // The program is short: by the time a worker that is slow hears of it, it may have ended by itself.
    if (!ended && !judged) await lab.jobs.until('its worker has heard of it', () => isBeingStopped(lab, job))
    hold.release()

    const end = await lab.jobs.untilFinal(job)
    // A program that has ended by itself may be judged by that before the worker hears of the cancel.
    if (judged || (ended && end.status === 'completed')) expect(end).toMatchObject({ reason: 'finished' })
    else expect(end).toMatchObject(byOwner)
    await expectAllTrue(lab)
  })

  it('a job is cancelled while its image is pulled, without waiting for the pull', async ({
    openGatedLab,
  }) => {
    const { lab, gate } = await openGatedLab()
    const hold = gate.hold(/POST \S*\/images\/create/, 'before')
    const job = await lab.jobs.submit(sleeping, { image: 'localhost:1/nowhere:1' })
    await hold.reached
    await cancel(lab, job)
    expect(await lab.jobs.untilFinal(job)).toMatchObject(byOwner)
    hold.release()
    await expectAllTrue(lab)
  })

  it('although its worker was killed after the request', async ({ openLab }) => {
    const lab = await openLab()
    const worker = await lab.startWorker({ node: 'a' })
    const job = await lab.jobs.submit(sleeping)
    await lab.jobs.untilPrinted(job, /in/)
    worker.signal('SIGSTOP')
    await cancel(lab, job)
    await worker.kill()
    worker.start()
    expect(await lab.jobs.untilFinal(job)).toMatchObject(byOwner)
    await expectAllTrue(lab)
  })
})

describe.concurrent('a container that cannot be killed', () => {
  const deafEngine = /POST \S*\/containers\/\w+\/kill/
  const killed = 'HTTP/1.1 204 No Content\r\n\r\n'

  it('drains the node and keeps the GPU until the container is gone', async ({ openGatedLab }) => {
    const { lab, gate, worker } = await openGatedLab()
    const job = await lab.jobs.submit(sleeping)
    await lab.jobs.untilPrinted(job, /in/)
    const stopLying = gate.lie(deafEngine, killed)
    await cancel(lab, job)

    expect(await lab.jobs.untilFinal(job)).toMatchObject(byOwner)
    await expectBooksMatchContainers(lab)
    expect(await readBooks(lab)).toHaveLength(1)
    const { rows } = await lab.database.pool.query<{ status: string; warnings: string[] }>(
      'SELECT status, warnings FROM nodes',
    )
    expect(rows).toEqual([
      {
        status: 'draining',
        warnings: expect.arrayContaining([expect.stringContaining('could not be killed')]),
      },
    ])
    const next = await lab.jobs.submit('print("next")')
    await lab.jobs.until(
      'it has to wait',
      async () => (await lab.jobs.row(next)).reason === 'node_unavailable',
    )

    // Nor does a new worker believe that the node is free.
    await worker.kill()
    const complaints = () => worker.log.split('could not be killed; the node accepts no new tasks').length
    const before = complaints()
    worker.start()
    await lab.jobs.until('it has tried to remove the container', async () => complaints() > before)
    // Its next two looks at the containers: the first may belong to that try, the second comes after all of it.
    for (let look = 0; look < 2; look++) {
      const next = gate.hold(/GET \S*\/containers\/json/, 'before')
      await next.reached
      next.release()
    }
    expect(await readBooks(lab)).toHaveLength(1)
    stopLying()
    await lab.jobs.until('the GPU is free', async () => (await readBooks(lab)).length === 0)
    await worker.kill()
    worker.start()
    expect(await lab.jobs.untilFinal(next)).toMatchObject({ status: 'completed' })
    await expectAllTrue(lab)
  })

  it('does not start a job again beside its own container', async ({ openGatedLab }) => {
    const { lab, gate } = await openGatedLab()
    const hold = gate.hold(/POST \S*\/containers\/\w+\/start/, 'after')
    const job = await lab.jobs.submit(sleeping, { maxRetries: 1 })
    await hold.reached
    await lab.jobs.until('the container runs', async () => (await lab.containers())[0]?.state === 'running')
    const stopLying = gate.lie(deafEngine, killed)
    hold.fail('HTTP/1.1 500 Internal Server Error\r\nContent-Length: 2\r\n\r\n{}')

    await lab.jobs.until('the node is out of service', async () => {
      const { rowCount } = await lab.database.pool.query(`SELECT 1 FROM nodes WHERE status = 'draining'`)
      return rowCount === 1
    })
    expect(await lab.jobs.row(job)).toMatchObject({ status: 'running', attempt: 1 })
    await expectBooksMatchContainers(lab)
    stopLying()
    await lab.jobs.until(
      'it goes back to the queue',
      async () => (await lab.jobs.row(job)).status === 'pending',
    )
    await lab.jobs.until('its container is gone', async () => (await lab.containers()).length === 0)
    await cancel(lab, job)
    await expectAllTrue(lab)
  })
})
