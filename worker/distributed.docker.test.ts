import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makePerson } from '@/lib/access/testing/people'
import { initializeSimulatedNodes } from '@/lib/cluster/simulated/simulated-nodes'
import { testDatabase } from '@/lib/database/testing/test-database'
import { testedValues } from '@/lib/env/testing/test-matrix'
import { cancel } from './testing/cancel'
import { Lab } from './testing/lab'
import { expectAllTrue } from './testing/truth'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

/** How many tasks reduce together. */
const sizes = testedValues([2], [8])
/** Two jobs on two nodes each run at the same time. */
const nodes = Math.max(4, ...sizes)
let lab: Lab
beforeAll(async () => {
  lab = await Lab.open({ url: db.url })
  const { actor: admin } = await makePerson('admin')
  await lab.startWorker({ node: 'host', gpus: 0 })
  await lab.untilReady(1)
  await initializeSimulatedNodes(admin, { nodeCount: nodes, gpusPerNode: 2 })
  await lab.untilReady(1 + nodes)
})
afterAll(() => lab.close())

const small = { cpu: 1, memory_gb: 0.75 }

/** One process for each task, as a program does that asks no launcher. */
const allReduce = `
import datetime, json, os
import torch, torch.distributed as dist
rank, world = int(os.environ["NODE_RANK"]), int(os.environ["WORLD_SIZE"])
dist.init_process_group("gloo", rank=rank, world_size=world, timeout=datetime.timedelta(minutes=8))
x = torch.full((4,), float(rank + 1))
dist.all_reduce(x)
print(json.dumps({"rank": rank, "world": world, "sum": x.tolist()}), flush=True)
dist.barrier()`

/** Two processes for each task, started by torchrun from what gpuq tells of the job. */
const byTorchrun = `
import json, os, sys
if "LOCAL_RANK" not in os.environ:
    e = os.environ
    os.execv(sys.executable, [sys.executable, "-m", "torch.distributed.run", "--nnodes", e["NNODES"], "--node_rank", e["NODE_RANK"],
        "--nproc_per_node", e["NPROC_PER_NODE"], "--master_addr", e["MASTER_ADDR"], "--master_port", e["MASTER_PORT"], __file__])
import torch, torch.distributed as dist
dist.init_process_group("gloo")
x = torch.tensor([float(dist.get_rank())])
dist.all_reduce(x)
hosts = open(os.environ["GPUQ_HOSTFILE"]).read().split()
print(json.dumps({"world": dist.get_world_size(), "sum": x.item(), "hosts": hosts}) + "\\n", end="", flush=True)
dist.barrier()`

/** Says where it is, and answers whoever comes. */
const listening = `
import os, socket
server = socket.create_server(("", 7000))
print("listening at " + os.environ["MASTER_ADDR"] + "\\n", end="", flush=True)
while True:
    peer, _ = server.accept()
    peer.sendall(b"rank-" + os.environ["NODE_RANK"].encode()); peer.close()`

const reaching = (address: string) => `
import socket
def ask(where):
    try:
        with socket.create_connection((where, 7000), 3) as s: return s.recv(9).decode()
    except OSError: return None
print("found", ask("${address}"), flush=True)`

async function resultsOf(job: string): Promise<{ rank: number | undefined; data: unknown }[]> {
  const records = await lab.jobs.records(job)
  return records.flatMap((record) =>
    record.type === 'result' ? [{ rank: record.rank, data: record.data }] : [],
  )
}

async function expectAllReduced(tasks: number): Promise<void> {
  const job = await lab.jobs.submit(allReduce, {
    spec: { ...small, gpu_count: 1, instance_count: tasks },
    timeLimitS: 600,
  })
  expect(await lab.jobs.untilFinal(job, 500_000), await lab.jobs.describe(job)).toMatchObject({
    status: 'completed',
    attempt: 1,
  })
  const sum = Array(4).fill((tasks * (tasks + 1)) / 2)
  expect(await resultsOf(job)).toEqual(
    Array.from({ length: tasks }, (_, rank) => ({ rank, data: { rank, world: tasks, sum } })),
  )
}

describe('torch.distributed', () => {
  it.each(sizes)('reduces over %d tasks, each on a node of its own', expectAllReduced, 560_000)

  it('is started by torchrun with a process for each GPU', async () => {
    const spec = { ...small, gpu_count: 2, instance_count: 2 }
    const job = await lab.jobs.submit(byTorchrun, { spec, timeLimitS: 600 })
    expect(await lab.jobs.untilFinal(job, 500_000), await lab.jobs.describe(job)).toMatchObject({
      status: 'completed',
    })
    const data = { world: 4, sum: 6, hosts: ['rank-0', 'slots=2', 'rank-1', 'slots=2'] }
    expect((await lab.jobs.lines(job)).map((line) => JSON.parse(line))).toEqual([data, data, data, data])
  }, 560_000)
})

describe('two jobs on several nodes', () => {
  it('run at the same time and cannot reach each other', async () => {
    const spec = { cpu: 0.2, memory_gb: 0.25, gpu_count: 1, instance_count: 2 }
    const first = await lab.jobs.submit(listening, { spec })
    // Both ranks: it is the first one that is asked.
    const said = await lab.jobs.untilPrinted(first, /(listening at .*\n){2}/)
    const [, address = ''] = /listening at (\S+)/.exec(said) ?? []
    const second = await lab.jobs.submit(reaching(address), { spec })
    expect(await lab.jobs.untilFinal(second)).toMatchObject({ status: 'completed' })
    expect(await lab.jobs.lines(second)).toEqual(['found None', 'found None'])
    await lab.jobs.until('the second network is gone', async () => (await lab.networks()).length === 1)
    await cancel(lab, first)
    expect(await lab.jobs.untilFinal(first)).toMatchObject({ status: 'cancelled' })
    await expectAllTrue(lab)
  })
})
