import { expect } from 'vitest'
import { GpuqError } from '@/lib/contract/errors'
import { isFinal } from '@/lib/contract/status'
import { cancel } from '../testing/cancel'
import { EngineGate } from '../testing/engine-gate'
import type { Lab } from '../testing/lab'
import { upload } from '../testing/upload'
import { testFault } from './fault'
import type { Moment } from './moment'
import { idle } from './programs'

const small = { cpu: 0.1, memory_gb: 0.1, max_retries: 0 }
const byOwner = { status: 'cancelled', reason: 'cancelled_by_user' }

/** Cancels a job that may have ended meanwhile. Returns whether the cancel was accepted. */
async function tryCancel(lab: Lab, job: string): Promise<boolean> {
  try {
    await cancel(lab, job)
    return true
  } catch (error) {
    if (error instanceof GpuqError && isFinal((await lab.jobs.row(job)).status)) return false
    throw error
  }
}

/** The job was cancelled, or had ended before its worker heard of that. */
async function expectOneEnd(lab: Lab, job: string, accepted: boolean): Promise<void> {
  const end = await lab.jobs.untilFinal(job)
  if (accepted && end.status === 'cancelled') expect(end).toMatchObject(byOwner)
  else expect(end).toMatchObject({ status: 'completed', reason: 'finished', attempt: 1 })
}

async function openGated({ openLab }: { openLab: () => Promise<Lab> }) {
  const lab = await openLab()
  const gate = await EngineGate.open()
  lab.afterwards(() => gate.close())
  await lab.startWorker({ node: 'a', engineSocket: gate.socketPath })
  await lab.untilReady(1)
  return { lab, gate }
}

const checked = 'one end: cancelled by its owner, or completed if the program ended first'

const steps = [
  ['its image is looked for', /GET \S*\/images\/\S+\/json/, 'before'],
  ['its container is created', /POST \S*\/containers\/create/, 'after'],
  ['its container starts', /POST \S*\/containers\/\w+\/start/, 'after'],
  ['its program has exited', /POST \S*\/containers\/\w+\/wait\?condition=not-running/, 'after'],
  ['its end is examined', /GET \S*\/containers\/\w+\/json/, 'before'],
  ['its container is being removed', /DELETE \S*\/containers\//, 'before'],
] as const

for (const [step, request, hold] of steps) {
  testFault({
    name: `A job is cancelled while ${step}`,
    checked,
    places: 4,
    warm: 'never',
    open: openGated,
    async happen({ lab, gate }, moment) {
      const held = gate.hold(request, hold)
      const job = await upload(lab, 'print("short")', small)
      await held.reached
      await moment.wait(500)
      moment.strike()
      const accepted = await tryCancel(lab, job)
      await moment.wait(1_500)
      held.release()
      await expectOneEnd(lab, job, accepted)
    },
  })
}

const others: [string, string, (lab: Lab, job: string, moment: Moment) => Promise<void>][] = [
  ['it waits or is placed', 'print("short")', async (_lab, _job, moment) => moment.wait(200)],
  [
    'it runs',
    idle,
    async (lab, job, moment) => {
      await lab.jobs.untilPrinted(job, /in/)
      await moment.wait(1_000)
    },
  ],
]
for (const [step, code, untilThen] of others) {
  testFault({
    name: `A job is cancelled while ${step}`,
    checked,
    places: 4,
    open: openGated,
    async happen({ lab }, moment) {
      const job = await upload(lab, code, small)
      await untilThen(lab, job, moment)
      moment.strike()
      await expectOneEnd(lab, job, await tryCancel(lab, job))
    },
  })
}
