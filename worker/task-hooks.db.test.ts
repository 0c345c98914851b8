import { describe, expect, it } from 'vitest'
import { TaskFault } from './node/task/task-fault'
import type { MakeTaskHook, TaskStart } from './node/task/task-hook'
import { latch } from './runtime/testing/latch'
import { cancel } from './testing/cancel'
import { FakeLab } from './testing/fake-lab'
import { expectAllTrue } from './testing/truth'

type Prepare = (start: TaskStart) => Promise<object>

/** A hook that writes its calls to a list, in every life of the worker. */
function recording(calls: string[], prepare: Prepare): MakeTaskHook {
  return () => ({
    prestart: async (start) => {
      calls.push('prestart')
      void start.opened.then((container) => calls.push(container ? 'opened' : 'not opened'))
      return prepare(start)
    },
    started: () => {
      calls.push('started')
      return {
        finish: async ({ reason }) => {
          calls.push(`finish: ${reason}`)
          return null
        },
        close: () => calls.push('close'),
      }
    },
    exited: async ({ outcome }) => {
      calls.push(`exited: ${outcome.reason}`)
      return null
    },
    clear: async () => void calls.push('clear'),
  })
}

async function openLab(prepare: Prepare = async () => ({})) {
  const lab = await FakeLab.open()
  const calls: string[] = []
  const worker = lab.startWorker({ node: 'a', hooks: [recording(calls, prepare)] })
  await lab.untilReady(1)
  const untilCleared = () => lab.jobs.until('the task is cleared', async () => calls.includes('clear'))
  return { lab, worker, calls, untilCleared }
}

describe('a hook of a task', () => {
  it('is called at each step of its life, and cleared once', async () => {
    const { lab, calls, untilCleared } = await openLab()
    const job = await lab.submit(async () => 0)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed' })
    await untilCleared()
    const steps = ['prestart', 'opened', 'started', 'finish: finished', 'exited: finished', 'clear']
    expect(calls).toEqual(steps)
    await expectAllTrue(lab)
  })

  it('a hook that was prepared by a killed worker is continued by the next one, not prepared again, and cleared once', async () => {
    const { lab, worker, calls, untilCleared } = await openLab()
    const end = latch()
    const job = await lab.submit(async ({ print }) => {
      await print('begun\n')
      await end.opened
      return 0
    })
    await lab.jobs.untilPrinted(job, /begun/)
    await worker.kill()
    calls.push('killed')
    worker.start()
    await lab.jobs.until('the task is adopted', async () => calls.at(-1) === 'started')
    end.open()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await untilCleared()
    const again = ['started', 'finish: finished', 'exited: finished', 'clear']
    expect(calls).toEqual(['prestart', 'opened', 'started', 'killed', ...again])
    await expectAllTrue(lab)
  })

  it('a hook that cannot prepare ends the job with its reason, and is cleared once', async () => {
    const message = 'There is no directory for this job.'
    const fault = new TaskFault('out_of_memory', message)
    const { lab, calls, untilCleared } = await openLab(() => Promise.reject(fault))
    const job = await lab.submit(async () => 0)
    const row = await lab.jobs.untilFinal(job)
    expect(row).toMatchObject({ status: 'failed', reason: 'out_of_memory', reasonDetail: message })
    await untilCleared()
    expect(calls).toEqual(['prestart', 'not opened', 'clear'])
    expect(await lab.taskDirectories()).toEqual([])
    await expectAllTrue(lab)
  })

  it('a hook without a directory that a killed worker has not cleared is cleared by the next one', async () => {
    const lab = await FakeLab.open()
    const clearing = latch()
    const cleared: string[] = []
    let killed = false
    const hook: MakeTaskHook = () => ({
      clear: async (taskId) => {
        clearing.open()
        if (!killed) await new Promise(() => {})
        cleared.push(taskId)
      },
    })
    const worker = lab.startWorker({ node: 'a', hooks: [hook] })
    const job = await lab.submit(async () => 0)
    await clearing.opened
    await worker.kill()
    killed = true
    worker.start()
    await lab.jobs.until('the hook is cleared', async () => cleared.length > 0)
    expect(cleared).toEqual([(await lab.jobs.task(job))?.id])
    await expectAllTrue(lab)
  })

  it('is not told by a worker without its lease that a task has ended, which the next worker prepares again', async () => {
    const lab = await FakeLab.open()
    const preparing = latch()
    const calls: string[] = []
    const interrupted = recording(calls, ({ stopping }) => {
      preparing.open()
      return new Promise((_, reject) => {
        stopping.addEventListener('abort', () => reject(stopping.reason))
      })
    })
    const first = lab.startWorker({ node: 'a', hooks: [interrupted] })
    const job = await lab.submit(async () => 0)
    await preparing.opened
    const next: string[] = []
    lab.startWorker({ node: 'a', hooks: [recording(next, async () => ({}))] })
    expect((await first.ended())?.message).toContain('took over')
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await lab.jobs.until('the task is cleared', async () => next.includes('clear'))
    expect(next.slice(0, 2)).toEqual(['prestart', 'opened'])
    expect(calls).toEqual(['prestart', 'not opened'])
    await expectAllTrue(lab)
  })

  it('is told to stop preparing a cancelled job, which is then cleared', async () => {
    const preparing = latch()
    const { lab, calls, untilCleared } = await openLab(({ stopping }) => {
      preparing.open()
      return new Promise((_, reject) => {
        stopping.addEventListener('abort', () => reject(stopping.reason))
      })
    })
    const job = await lab.submit(async () => 0)
    await preparing.opened
    await cancel(lab, job)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'cancelled' })
    await untilCleared()
    expect(calls).toEqual(['prestart', 'not opened', 'exited: cancelled_by_user', 'clear'])
    await expectAllTrue(lab)
  })
})
