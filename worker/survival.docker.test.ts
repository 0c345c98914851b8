import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { Lab } from './testing/lab'
import { it } from './testing/lab-test'
import { expectAllTrue } from './testing/truth'

/** A tenth of a second each, in the first attempt's second half a whole one, and a checkpoint every second. */
const steps = 80
const training = `
import os, time, torch, torch.distributed as dist
rank = int(os.environ["NODE_RANK"])
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["WORLD_SIZE"]))
path = os.environ["GPUQ_CHECKPOINT_DIR"] + "/state.pt"
state = torch.load(path) if os.path.exists(path) else {"step": 0, "sum": torch.zeros(1)}
print("from", state["step"], flush=True)
saved = time.monotonic()
while state["step"] < ${steps}:
    gradient = torch.ones(1)
    dist.all_reduce(gradient)
    state = {"step": state["step"] + 1, "sum": state["sum"] + gradient}
    time.sleep(1 if os.environ["GPUQ_ATTEMPT"] == "1" and state["step"] >= ${steps / 2} else 0.1)
    if rank == 0:
        print("step", state["step"], flush=True)
        if time.monotonic() - saved >= 1:
            torch.save(state, path + ".part")
            os.replace(path + ".part", path)
            saved = time.monotonic()
dist.barrier()
print("sum", int(state["sum"]), flush=True)`

const spec = { run_name: 'base-2', instance_count: 2, gpu_count: 1, cpu: 0.4, memory_gb: 0.5 }
/** Steps that two seconds are enough for. */
const twoSeconds = 20

/** The steps that the first rank has said it made in one attempt. */
async function stepsOf(lab: Lab, job: string, attempt: number): Promise<number[]> {
  const { rows } = await lab.database.pool.query<{ records: Buffer }>(
    `SELECT c.records FROM log_chunks c JOIN tasks t ON t.id = c.task_id
      WHERE t.job_id = $1 AND t.attempt = $2 AND t.rank = 0 ORDER BY c.start`,
    [job, attempt],
  )
  const text = Buffer.concat(rows.map(({ records }) => records)).toString()
  return [...text.matchAll(/"step (\d+)/g)].map(([, step]) => Number(step))
}

const untilHalfway = (lab: Lab, job: string) =>
  lab.jobs.until(
    'half of the training is done',
    async () => ((await stepsOf(lab, job, 1)).at(-1) ?? 0) >= steps / 2,
  )

/** What the first attempt came to, once the second has begun. */
async function reached(lab: Lab, job: string): Promise<number> {
  await lab.jobs.until('it is tried again', async () => (await lab.jobs.row(job)).attempt === 2)
  return (await stepsOf(lab, job, 1)).at(-1) ?? 0
}

/** It completed on its second attempt, and made few of the first one's steps once more. */
async function expectGoneOn(lab: Lab, job: string, last: number): Promise<void> {
  expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
  const lines = await lab.jobs.lines(job)
  const from = Number(/^from (\d+)$/.exec(lines[0] ?? '')?.[1])
  expect(from).toBeGreaterThan(0)
  expect(last - from).toBeLessThanOrEqual(twoSeconds)
  // Every step counted once in what the checkpoints carried on, for two ranks.
  expect(lines.filter((line) => line.startsWith('sum'))).toEqual([`sum ${2 * steps}`, `sum ${2 * steps}`])
  await expectAllTrue(lab)
}

/** A machine that is lost takes its containers with it. */
async function loseContainers(lab: Lab, node: string): Promise<void> {
  const { rows } = await lab.database.pool.query<{ id: string }>('SELECT id FROM nodes WHERE name = $1', [
    node,
  ])
  const found = await lab.engine.containers(`gpuq.node=${rows[0]?.id}`)
  expect(found).toHaveLength(1)
  await Promise.all(found.map(({ id }) => lab.engine.remove(id)))
}

describe('a training on two nodes with checkpoints', () => {
  it('continues on another machine when one is lost', async ({ openLab }) => {
    const lab = await openLab()
    const variables = { GPUQ_CHECKPOINTS_DIR: join(lab.directory, 'checkpoints') }
    const workers = new Map<string, Awaited<ReturnType<Lab['startWorker']>>>()
    for (const node of ['a', 'b', 'c']) workers.set(node, await lab.startWorker({ node, variables }))
    const job = await lab.jobs.submit(training, { spec })
    await untilHalfway(lab, job)
    const { rows } = await lab.database.pool.query<{ node: string }>(
      'SELECT n.name AS node FROM tasks t JOIN nodes n ON n.id = t.node_id WHERE t.job_id = $1 AND t.rank = 1',
      [job],
    )
    const lost = rows[0]?.node ?? ''
    await workers.get(lost)?.kill()
    await loseContainers(lab, lost)
    await lab.expireLease(lost)
    const last = await reached(lab, job)
    workers.get(lost)?.start()
    await expectGoneOn(lab, job, last)
  })

  it('continues after it was preempted', async ({ openLab }) => {
    const lab = await openLab()
    const variables = { GPUQ_CHECKPOINTS_DIR: join(lab.directory, 'checkpoints') }
    for (const node of ['a', 'b']) await lab.startWorker({ node, variables })
    const job = await lab.jobs.submit(training, { spec: { ...spec, pool: 'best-effort' } })
    await untilHalfway(lab, job)
    const urgent = await lab.jobs.submit('print("first")', {
      spec: { gpu_count: 1, cpu: 0.2, memory_gb: 0.25 },
    })
    expect(await lab.jobs.untilFinal(urgent)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectGoneOn(lab, job, await reached(lab, job))
  })

  it('continues when a node that was provisioned for it is removed', async ({ openProvisionedLab }) => {
    const provisioned = await openProvisionedLab()
    const { lab } = provisioned
    await provisioned.startLeader()
    const job = await lab.jobs.submit(training, { spec: { ...spec, fresh_nodes: true } })
    await untilHalfway(lab, job)
    await provisioned.killNode(job, 1)
    await loseContainers(lab, 'fresh-1')
    await expectGoneOn(lab, job, await reached(lab, job))
    expect(await provisioned.untilEnded(job)).toMatchObject({ round: 2, problem: null })
  })
})
