import { expect } from 'vitest'
import { counting, expectCounted } from '../testing/adoption'
import { killWorker } from '../testing/chaos'
import { DatabaseGate } from '../testing/database-gate'
import { EngineGate } from '../testing/engine-gate'
import type { Lab } from '../testing/lab'
import { upload } from '../testing/upload'
import { untilWarm, warmSteps } from '../testing/warm'
import { testFault } from './fault'
import type { Moment } from './moment'

const done = { status: 'completed', attempt: 1 }
const small = { cpu: 0.1, memory_gb: 0.1, max_retries: 0 }

/** A lab whose one worker reaches the engine and the database through gates. */
async function openGated(openLab: () => Promise<Lab>) {
  const lab = await openLab()
  const engine = await EngineGate.open()
  lab.afterwards(() => engine.close())
  const database = await DatabaseGate.open(lab.database.url)
  lab.afterwards(async () => database.close())
  const worker = await lab.startWorker({
    node: 'a',
    gpus: 3,
    engineSocket: engine.socketPath,
    databaseUrl: database.through,
  })
  return { lab, gate: engine, database, worker }
}
type Gated = Awaited<ReturnType<typeof openGated>>

/** Some jobs of random lengths, and how many lines each prints. */
async function startJobs(lab: Lab, moment: Moment): Promise<Map<string, number>> {
  const jobs = new Map<string, number>()
  for (let i = 0; i < 3; i++) {
    const lines = moment.between(1, 60)
    jobs.set(await upload(lab, counting(lines, moment.between(1, 30)), small), lines)
  }
  return jobs
}

async function expectUnharmed(lab: Lab, jobs: Map<string, number>): Promise<void> {
  for (const [job, lines] of jobs) {
    expect(await lab.jobs.untilFinal(job), await lab.jobs.describe(job)).toMatchObject(done)
    await expectCounted(lab, job, lines)
  }
}

const unharmed = 'no attempt lost; both streams complete and exact'

const atAnyTime: [string, (place: Gated, moment: Moment) => Promise<void>][] = [
  [
    'A worker is killed at any moment',
    async (place, moment) => {
      for (let kills = moment.between(1, 3); kills > 0; kills--) {
        await moment.wait(1_500)
        moment.strike()
        await killWorker(place, moment.between(0, 1_000))
      }
    },
  ],
  [
    'A worker is stopped (SIGSTOP) within its lease and continued',
    async ({ worker }, moment) => {
      await moment.wait(2_000)
      moment.strike()
      worker.signal('SIGSTOP')
      await moment.wait(4_000)
      worker.signal('SIGCONT')
    },
  ],
  [
    'All connections to the engine break',
    async ({ gate }, moment) => {
      for (let breaks = moment.between(1, 4); breaks > 0; breaks--) {
        await moment.wait(1_000)
        moment.strike()
        gate.breakAll()
      }
    },
  ],
]
for (const [name, disturb] of atAnyTime) {
  testFault({
    name,
    checked: unharmed,
    places: 4,
    open: ({ openLab }) => openGated(openLab),
    async happen(place, moment) {
      const jobs = await startJobs(place.lab, moment)
      await disturb(place, moment)
      await expectUnharmed(place.lab, jobs)
    },
  })
}

const held =
  (request: RegExp, step: 'before' | 'after') =>
  async ({ gate }: Gated) => {
    const { reached, release } = gate.hold(request, step)
    return { reached, release }
  }
const heldCommit =
  (transaction: RegExp, step: 'before' | 'after') =>
  async ({ database }: Gated) => ({ reached: database.holdCommit(transaction, step), release: () => {} })

const verdict = /finish-task/
const steps = [
  ['claimed its task', held(/POST \S*\/containers\/create/, 'before')],
  ['created the container', held(/POST \S*\/containers\/create/, 'after')],
  ['is about to start the container', held(/POST \S*\/containers\/\w+\/start/, 'before')],
  ['started the container', held(/POST \S*\/containers\/\w+\/start/, 'after')],
  [
    'has not heard that the program exited',
    held(/POST \S*\/containers\/\w+\/wait\?condition=not-running/, 'after'),
  ],
  ['is about to ask how the program exited', held(/GET \S*\/containers\/\w+\/json/, 'before')],
  ['wrote all output, before the commit of the final status', heldCommit(verdict, 'before')],
  ['committed the final status, and has not heard of it', heldCommit(verdict, 'after')],
  ['is about to remove the container', held(/DELETE \S*\/containers\//, 'before')],
] as const

/** The steps of a task that starts a container, and of one that gets a warm one. */
const allSteps = [
  ...steps.map(([step, hold]) => ({
    name: `A worker is killed when it ${step}`,
    hold,
    warm: 'never' as const,
  })),
  ...warmSteps.map(([step, request, where]) => ({
    name: `A worker is killed when a task with a warm container was ${step}`,
    hold: held(request, where),
    warm: 'always' as const,
  })),
]

for (const { name, hold, warm } of allSteps) {
  testFault({
    name,
    checked: unharmed,
    places: 4,
    warm,
    open: ({ openLab }) => openGated(openLab),
    async happen(place, moment) {
      const { lab } = place
      const others = await startJobs(lab, moment)
      await moment.wait(1_000)
      if (warm === 'always') await untilWarm(lab)
      const { reached, release } = await hold(place)
      const lines = moment.between(1, 40)
      const job = await upload(lab, counting(lines, 1), small)
      await reached
      await moment.wait(200)
      moment.strike()
      await place.worker.kill()
      release()
      await moment.wait(500)
      place.worker.start()
      await expectUnharmed(lab, new Map([...others, [job, lines]]))
    },
  })
}
