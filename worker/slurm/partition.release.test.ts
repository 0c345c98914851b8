import { afterAll, describe, expect } from 'vitest'
import { DatabaseGate } from '../testing/database-gate'
import { NetworkNamespace } from '../testing/network-namespace'
import { expectAllTrue } from '../testing/truth'
import { Watch } from '../testing/watch'
import { type SlurmLab, slurmTests } from './testing/slurm-lab'

const spec = { cpu: 1, memory_gb: 0.25 }
/** Only the first attempt runs until somebody stops it. */
const secondEnds = `import os, time
print("attempt", os.environ["GPUQ_ATTEMPT"], flush=True)
while os.environ["GPUQ_ATTEMPT"] == "1": time.sleep(0.1)`

/**
 * Tests on a cluster whose node n1 is in a network of its own: its slurmd, its batch scripts and its worker reach slurmctld
 * and the database over one cable. Only the container engine is shared, over its socket.
 * @param lines of slurm.conf
 */
function partitionTests(lines: readonly string[]) {
  let namespace: NetworkNamespace | undefined
  const network = () => {
    if (!namespace) throw new Error('The network was not made.')
    return namespace
  }
  // The cluster ends before its network.
  afterAll(() => namespace?.remove())
  const { it, cluster } = slurmTests(async () => {
    namespace = await NetworkNamespace.create()
    const size = { gpus: 8, shards: 0 }
    return {
      nodes: [
        { name: 'n0', ...size },
        { name: 'n1', ...size, namespace },
      ],
      lines,
    }
  })

  /** Starts both workers, n0 leads, and a job on n1. */
  async function start(lab: SlurmLab, code: string, leaseS: string) {
    const gate = await DatabaseGate.open(lab.lab.database.url, network().machine)
    lab.lab.afterwards(async () => gate.close())
    lab.lab.afterwards(() => network().restore())
    const variables = { GPUQ_NODE_LEASE_S: leaseS }
    const leader = await lab.startWorker('n0', { variables })
    await lab.jobs.until('n0 leads', async () => leader.log.includes('leading the scheduler'))
    await lab.startWorker('n1', { variables, databaseUrl: gate.through, namespace: network().name })
    await lab.lab.untilReady(2)
    return submitTo(lab, 'n1', code)
  }

  /** Submits a job while the other node is drained, and waits until it has printed something. */
  async function submitTo(lab: SlurmLab, node: string, code: string): Promise<string> {
    const other = node === 'n0' ? 'n1' : 'n0'
    await cluster().run('scontrol', ['update', `NodeName=${other}`, 'State=DRAIN', 'Reason=test'])
    const job = await lab.jobs.submit(code, { spec })
    await lab.jobs.untilPrinted(job, /\n/)
    expect((await lab.jobs.task(job))?.node).toBe(node)
    await cluster().run('scontrol', ['update', `NodeName=${other}`, 'State=RESUME'])
    return job
  }

  return { it, cluster, network, start, submitTo }
}

async function expectSafe(watch: Watch): Promise<void> {
  expect(await watch.stop()).toMatchObject({ jobsTwice: [], gpusTwice: [], falseBooks: [] })
}

describe('a node loses its network until Slurm and gpuq give it up', () => {
  const { it, cluster, network, start, submitTo } = partitionTests([])

  it('a node loses its network until Slurm and gpuq give it up and its job runs again elsewhere, never twice at a time; then the node serves again', async ({
    openSlurmLab,
  }) => {
    const lab = await openSlurmLab()
    const job = await start(lab, secondEnds, '15')
    const watch = new Watch(lab.lab)
    await network().drop()
    // gpuq or Slurm gives the node up first: the next attempt is in a new Slurm job, or in the same.
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    expect(await lab.jobs.lines(job)).toEqual(['attempt 2'])
    expect((await lab.jobs.task(job))?.node).toBe('n0')
    await network().restore()
    await cluster().idle()
    await lab.lab.untilReady(2)
    const after = await submitTo(lab, 'n1', 'print("again")')
    expect(await lab.jobs.untilFinal(after)).toMatchObject({ status: 'completed', attempt: 1 })
    for (const id of [job, after]) await lab.untilRow(id, 'its row ends', ({ ended }) => ended)
    await expectSafe(watch)
    await expectAllTrue(lab.lab)
  })
})

describe('a node loses its network for less time', () => {
  const { it, network, start } = partitionTests(['SlurmdTimeout=600'])

  it('a node loses its network for less time and its job, which ends meanwhile, has run once with all its output', async ({
    openSlurmLab,
  }) => {
    const lab = await openSlurmLab()
    const code = 'import time\nprint("started", flush=True)\ntime.sleep(8)\nprint("ended")'
    const job = await start(lab, code, '600')
    const watch = new Watch(lab.lab)
    await network().drop()
    await lab.jobs.until('its container has ended', async () =>
      (await lab.lab.containers()).every(({ state }) => state !== 'running'),
    )
    expect((await lab.jobs.row(job)).status).toBe('running')
    await network().restore()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    expect(await lab.jobs.lines(job)).toEqual(['started', 'ended'])
    const row = await lab.untilRow(job, 'its row ends', ({ ended }) => ended)
    expect(row).toMatchObject({ state: 'COMPLETED', restarts: 0 })
    await expectSafe(watch)
    await expectAllTrue(lab.lab)
  })
})
