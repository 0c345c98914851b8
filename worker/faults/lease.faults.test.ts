import { expect } from 'vitest'
import { counting, expectCounted } from '../testing/adoption'
import { DatabaseGate } from '../testing/database-gate'
import type { Lab } from '../testing/lab'
import type { LabFixtures } from '../testing/lab-test'
import { NetworkNamespace } from '../testing/network-namespace'
import { upload } from '../testing/upload'
import type { WorkerProcess } from '../testing/worker-process'
import { testFault } from './fault'
import type { Moment } from './moment'
import { firstAttempt } from './programs'

/** A short lease, which every worker has to know: each may lead. */
const variables = { GPUQ_NODE_LEASE_S: '15' }
const small = { cpu: 0.1, memory_gb: 0.1 }
const lines = 30
/** Runs on without end, but for a later attempt. */
const endless = firstAttempt(counting(1_000_000, 50), counting(lines, 20))

/** Starts a job, waits for a random moment of its life, and returns the worker that runs it. */
async function startJob(lab: Lab, code: string, moment: Moment) {
  const job = await upload(lab, code, small)
  const { node } = await lab.jobs.until('it has a place', () => lab.jobs.task(job))
  await moment.wait(3_000)
  const worker = lab.workers.find((each) => each.node === node)
  if (!worker) throw new Error(`no worker of ${node}`)
  return { job, worker }
}

/** The first attempt was given up, and a later one completed on another node. */
async function expectMoved(lab: Lab, job: string, { node }: WorkerProcess): Promise<void> {
  const ended = await lab.jobs.untilFinal(job)
  expect(ended, await lab.jobs.describe(job)).toMatchObject({ status: 'completed', attempt: 2 })
  await expectCounted(lab, job, lines)
  expect((await lab.jobs.task(job))?.node).not.toBe(node)
}

/** Both nodes take jobs again. */
async function untilBothServe(lab: Lab): Promise<void> {
  await lab.jobs.until('both nodes serve', async () => {
    const { rowCount } = await lab.database.pool.query(
      `SELECT 1 FROM nodes WHERE status = 'ready' AND lease_expires_at > now()`,
    )
    return rowCount === 2
  })
}

testFault({
  name: 'A worker is stopped (SIGSTOP) past its lease and continued',
  checked: 'the job completes on another node with exact output; the worker serves again',
  places: 5,
  // A stopped worker cannot stop its container.
  overlaps: true,
  async open({ openLab }) {
    const lab = await openLab()
    for (const node of ['a', 'b']) await lab.startWorker({ node, variables })
    await lab.untilReady(2)
    return { lab }
  },
  async happen({ lab }, moment) {
    const { job, worker } = await startJob(lab, endless, moment)
    moment.strike()
    worker.signal('SIGSTOP')
    await lab.jobs.until('the job is tried again', async () => (await lab.jobs.row(job)).attempt === 2)
    await moment.wait(3_000)
    worker.signal('SIGCONT')
    await expectMoved(lab, job, worker)
    await untilBothServe(lab)
  },
})

/** A lab of two workers, each in a network namespace from which only the database can be reached. */
async function openCut(openLab: LabFixtures['openLab']) {
  const lab = await openLab()
  const namespaces = new Map<string, NetworkNamespace>()
  for (const node of ['a', 'b']) {
    const namespace = await NetworkNamespace.create()
    lab.afterwards(() => namespace.remove())
    namespaces.set(node, namespace)
    const gate = await DatabaseGate.open(lab.database.url, namespace.machine)
    lab.afterwards(async () => gate.close())
    const databaseUrl = gate.through
    await lab.startWorker({ node, variables, namespace: namespace.name, databaseUrl })
  }
  await lab.untilReady(2)
  return { lab, namespaces }
}

const cuts = [
  ['cut', (namespace: NetworkNamespace) => namespace.refuse()],
  ['cut silently', (namespace: NetworkNamespace) => namespace.drop()],
] as const

for (const [name, cut] of cuts) {
  testFault({
    name: `A worker's network to the database is ${name}`,
    checked:
      'two containers of a job never run at once; a short cut costs no attempt and no line; after a long one the job completes on another node, and the worker serves again',
    note: 'In a network namespace. Half of the cuts end within the lease.',
    places: 5,
    open: ({ openLab }) => openCut(openLab),
    async happen({ lab, namespaces }, moment) {
      const isShort = moment.number % 2 === 0
      const { job, worker } = await startJob(lab, isShort ? counting(120, 50) : endless, moment)
      const namespace = namespaces.get(worker.node)
      if (!namespace) throw new Error('no namespace')
      moment.strike()
      await cut(namespace)
      if (isShort) {
        await moment.wait(3_000)
        await namespace.restore()
        const ended = await lab.jobs.untilFinal(job)
        expect(ended, await lab.jobs.describe(job)).toMatchObject({ status: 'completed', attempt: 1 })
        await expectCounted(lab, job, 120)
      } else {
        await lab.jobs.until('the job is tried again', async () => (await lab.jobs.row(job)).attempt === 2)
        await moment.wait(3_000)
        await namespace.restore()
        await expectMoved(lab, job, worker)
      }
      await untilBothServe(lab)
    },
  })
}

testFault({
  name: "Two workers run under one node's name",
  checked: 'the later one takes over and the earlier one ends; no attempt lost; output exact',
  places: 4,
  async open({ openLab }) {
    const lab = await openLab()
    await lab.startWorker({ node: 'a', gpus: 2 })
    return { lab }
  },
  async happen({ lab }, moment) {
    const lines = moment.between(1, 60)
    const jobs = [0, 1].map(() => upload(lab, counting(lines, moment.between(1, 50)), small))
    await moment.wait(3_000)
    const earlier = lab.workers.at(-1)
    if (!earlier) throw new Error('no worker')
    moment.strike()
    await lab.startWorker({ node: 'a', gpus: 2 })
    expect(await earlier.ended()).toBe(1)
    expect(earlier.log).toContain('took over')
    for (const job of await Promise.all(jobs)) {
      const ended = await lab.jobs.untilFinal(job)
      expect(ended, await lab.jobs.describe(job)).toMatchObject({ status: 'completed', attempt: 1 })
      await expectCounted(lab, job, lines)
    }
  },
})
