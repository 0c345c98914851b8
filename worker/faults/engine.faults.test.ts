import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { counting, expectCounted } from '../testing/adoption'
import { cancel } from '../testing/cancel'
import { EngineGate } from '../testing/engine-gate'
import type { Lab } from '../testing/lab'
import type { LabFixtures } from '../testing/lab-test'
import type { PrivateEngine, PrivateEngineOptions } from '../testing/private-engine'
import { expectBooksMatchContainers, readBooks } from '../testing/truth'
import { makeEnvironment, upload } from '../testing/upload'
import { testFault } from './fault'
import type { Moment } from './moment'
import { firstAttempt, idle, resting } from './programs'

const run = promisify(execFile)
const small = { cpu: 0.1, memory_gb: 0.1, max_retries: 5 }

async function openPlain({ openLab }: Pick<LabFixtures, 'openLab'>) {
  const lab = await openLab()
  const worker = await lab.startWorker({ node: 'a', gpus: 3 })
  await lab.untilReady(1)
  return { lab, worker }
}

/** The job completed, in whichever attempt, and its output is that of one whole attempt. */
async function expectCompleted(lab: Lab, job: string, lines: number): Promise<number> {
  const ended = await lab.jobs.untilFinal(job)
  expect(ended, await lab.jobs.describe(job)).toMatchObject({ status: 'completed' })
  await expectCounted(lab, job, lines)
  return ended.attempt
}

/** No attempt ended for any other reason, and the node was not blamed. */
async function expectOnlyReason(lab: Lab, reason: string): Promise<void> {
  const { rows } = await lab.database.pool.query(
    `SELECT DISTINCT reason FROM tasks WHERE reason NOT IN ('finished', 'cancelled_by_user', $1)`,
    [reason],
  )
  expect(rows).toEqual([])
  const nodes = await lab.database.pool.query('SELECT quarantined_at FROM nodes')
  expect(nodes.rows).toEqual([{ quarantined_at: null }])
}

/** Restarts the engine: as a package update does, or as nobody should. */
async function restart(own: PrivateEngine, signal: 'SIGTERM' | 'SIGKILL', moment: Moment): Promise<void> {
  moment.strike()
  await own.end(signal)
  await moment.wait(1_000)
  await own.startAgain()
}

async function openOwn(
  { openLab, startEngine }: Pick<LabFixtures, 'openLab' | 'startEngine'>,
  options: PrivateEngineOptions,
) {
  const own = await startEngine(options)
  const lab = await openLab({ engine: own.engine })
  await lab.startWorker({ node: 'a', gpus: 3, engineSocket: own.socketPath })
  await lab.untilReady(1)
  return { lab, own }
}

testFault({
  name: 'dockerd is restarted without live-restore',
  checked:
    'each job completes with the exact output of one attempt; only engine_restarted ends an attempt; the node stays open',
  note: 'With SIGTERM and with SIGKILL.',
  places: 2,
  open: (fixtures) => openOwn(fixtures, { liveRestore: false }),
  async happen({ lab, own }, moment) {
    const lines = moment.between(1, 60)
    const jobs: string[] = []
    for (let i = 0; i < 3; i++) jobs.push(await upload(lab, counting(lines, 20), small))
    await moment.wait(2_500)
    await restart(own, moment.pick(['SIGTERM', 'SIGKILL']), moment)
    for (const job of jobs) await expectCompleted(lab, job, lines)
    await expectOnlyReason(lab, 'engine_restarted')
  },
})

testFault({
  name: 'dockerd is restarted with live-restore',
  checked: 'a job that runs keeps its attempt and all its lines; the node stays open',
  note: 'With SIGTERM while the jobs print. With SIGKILL while they rest: an engine that is killed loses what it has read and not handed on.',
  places: 2,
  open: (fixtures) => openOwn(fixtures, { liveRestore: true }),
  async happen({ lab, own }, moment) {
    const rests = moment.number % 2 === 1
    const lines = 120
    const jobs: string[] = []
    for (let i = 0; i < 3; i++) {
      jobs.push(await upload(lab, rests ? resting(lines) : counting(lines, 40), small))
    }
    const last = rests ? new RegExp(`line ${lines >> 1}\\n`) : /line 1\n/
    for (const job of jobs) await lab.jobs.untilPrinted(job, last)
    await moment.wait(1_000)
    const containers = rests ? await lab.containers() : []
    const states = await Promise.all(containers.map(({ id }) => own.engine.inspect(id)))
    await restart(own, rests ? 'SIGKILL' : 'SIGTERM', moment)
    for (const { State } of states) process.kill(State.Pid, 'SIGUSR1')
    for (const job of jobs) expect(await expectCompleted(lab, job, lines)).toBe(1)
    await expectOnlyReason(lab, 'engine_restarted')
  },
})

/** Rank 1 asks rank 0 by its name, each time over a new connection. */
const asking = (lines: number) => `
import os, socket, time
if os.environ["NODE_RANK"] == "0":
    server = socket.create_server(("", 7000))
    for i in range(${lines}):
        peer, _ = server.accept()
        peer.sendall(b"answer %d" % i)
        peer.close()
else:
    for i in range(${lines}):
        while True:
            try:
                with socket.create_connection(("rank-0", 7000), 5) as peer: print(peer.recv(99).decode(), flush=True)
                break
            except ConnectionRefusedError: time.sleep(0.1)
        time.sleep(0.02)`

testFault({
  name: 'dockerd is restarted while the ranks of a job use their network',
  checked: 'the ranks reach each other by name during the restart and after it, in one attempt',
  note: 'With SIGTERM, under live-restore.',
  places: 2,
  async open(fixtures) {
    // It outlives the engine, as the network of a machine does.
    const namespace = `gpuq-${randomUUID().slice(0, 8)}`
    await run('ip', ['netns', 'add', namespace])
    const place = await openOwn(fixtures, { liveRestore: true, namespace })
    place.lab.afterwards(() => run('ip', ['netns', 'delete', namespace]))
    await place.lab.startWorker({ node: 'b', gpus: 3, engineSocket: place.own.socketPath })
    await place.lab.untilReady(2)
    return place
  },
  async happen({ lab, own }, moment) {
    const lines = moment.between(300, 400)
    const spec = { ...small, gpu_count: 1, instance_count: 2 }
    const job = await lab.jobs.submit(asking(lines), { spec })
    await lab.jobs.untilPrinted(job, /answer 5\n/)
    await moment.wait(2_000)
    await restart(own, 'SIGTERM', moment)
    const ended = await lab.jobs.untilFinal(job)
    expect(ended, await lab.jobs.describe(job)).toMatchObject({ status: 'completed', attempt: 1 })
    expect(await lab.jobs.lines(job)).toEqual(Array.from({ length: lines }, (_, line) => `answer ${line}`))
  },
})

testFault({
  name: 'A container is removed by hand (docker rm -f)',
  checked: 'the job completes in a later attempt with the exact output of that attempt',
  places: 4,
  open: openPlain,
  async happen({ lab }, moment) {
    const lines = moment.between(1, 40)
    const job = await upload(lab, firstAttempt(counting(1_000_000, 20), counting(lines, 5)), small)
    const [container] = await lab.jobs.until('there is a container', async () => {
      const found = await lab.containers()
      return found.length > 0 && found
    })
    await moment.wait(2_000)
    moment.strike()
    if (container) await lab.engine.remove(container.id)
    expect(await expectCompleted(lab, job, lines)).toBe(2)
  },
})

testFault({
  name: 'The image is removed',
  checked:
    'a job that has its container goes on; one that has none waits, and completes once the image is back',
  places: 4,
  open: openPlain,
  async happen({ lab }, moment) {
    const image = await lab.tagImage()
    const environment = await makeEnvironment(lab, image)
    const lines = moment.between(1, 60)
    const job = await upload(lab, counting(lines, 10), { ...small, environment })
    await moment.wait(1_500)
    moment.strike()
    await lab.engine.untag(image)
    await lab.jobs.until('the job ended or was tried', async () => {
      const { status, reason } = await lab.jobs.row(job)
      return status === 'completed' || reason === 'backing_off'
    })
    await lab.tagImage(image)
    await expectCompleted(lab, job, lines)
    await expectOnlyReason(lab, 'image_unavailable')
  },
})

testFault({
  name: "Containers of other programs and of an older database have gpuq's labels",
  checked:
    'they are left alone; one of this node without a task is removed; the jobs complete in their first attempt',
  places: 4,
  open: openPlain,
  async happen({ lab }, moment) {
    const { rows } = await lab.database.pool.query<{ id: string }>('SELECT id FROM nodes')
    const nodeId = rows[0]?.id ?? ''
    const labels = (node: string) => ({
      'gpuq.job': randomUUID(),
      'gpuq.task': randomUUID(),
      'gpuq.attempt': '1',
      'gpuq.rank': '0',
      'gpuq.node': node,
    })
    const lines = moment.between(1, 60)
    const job = await upload(lab, counting(lines, 20), small)
    await moment.wait(2_000)
    moment.strike()
    const suffix = randomUUID()
    const beside = async (name: string, given: Record<string, string>) => {
      const id = await lab.engine.run(`${name}-${suffix}`, given, idle)
      lab.afterwards(() => lab.engine.remove(id))
      return id
    }
    const foreign = [
      await beside('foreign', {}),
      await beside('older', labels(randomUUID())),
      await beside('half', { 'gpuq.node': nodeId }),
    ]
    const orphan = await beside('orphan', labels(nodeId))
    await lab.jobs.until('the container without a task is removed', () =>
      lab.engine.inspect(orphan).then(
        () => false,
        () => true,
      ),
    )
    expect(await expectCompleted(lab, job, lines)).toBe(1)
    for (const id of foreign) {
      expect((await lab.engine.inspect(id)).State.Status).toBe('running')
      await lab.engine.remove(id)
    }
  },
})

testFault({
  name: 'A kill does not work',
  checked:
    'the node accepts no jobs and the GPU stays held while the container runs; the GPU is freed when it is gone',
  note: 'The gate in front of the engine answers that it killed the container.',
  places: 5,
  async open({ openLab }) {
    const lab = await openLab()
    const gate = await EngineGate.open()
    lab.afterwards(() => gate.close())
    const worker = await lab.startWorker({ node: 'a', engineSocket: gate.socketPath })
    return { lab, gate, worker }
  },
  async happen({ lab, gate, worker }, moment) {
    await lab.untilReady(1)
    const job = await upload(lab, idle, small)
    await lab.jobs.untilPrinted(job, /in/)
    await moment.wait(1_000)
    moment.strike()
    const stopLying = gate.lie(/POST \S*\/containers\/\w+\/kill/, 'HTTP/1.1 204 No Content\r\n\r\n')
    await cancel(lab, job)
    const ended = await lab.jobs.untilFinal(job)
    expect(ended).toMatchObject({ status: 'cancelled', reason: 'cancelled_by_user' })
    await expectBooksMatchContainers(lab)
    expect(await readBooks(lab)).toHaveLength(1)
    const { rows } = await lab.database.pool.query('SELECT status FROM nodes')
    expect(rows).toEqual([{ status: 'draining' }])
    if (moment.pick([true, false])) {
      await worker.kill()
      worker.start()
    }
    await moment.wait(3_000)
    expect(await readBooks(lab)).toHaveLength(1)
    stopLying()
    await lab.jobs.until('the GPU is free', async () => (await readBooks(lab)).length === 0)
    // A worker that starts opens its node again.
    await worker.kill()
    worker.start()
  },
})
