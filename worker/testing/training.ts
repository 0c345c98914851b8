import { expect } from 'vitest'
import type { Lab } from './lab'
import { expectAllTrue } from './truth'

/** A tenth of a second each, in the first attempt's second half a whole one, and a checkpoint every second. */
const steps = 80
export const training = `
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

export const spec = { run_name: 'base-2', instance_count: 2, gpu_count: 1, cpu: 0.4, memory_gb: 0.5 }
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

/** Waits until half of the training is done. */
export const untilHalfway = (lab: Lab, job: string) =>
  lab.jobs.until(
    'half of the training is done',
    async () => ((await stepsOf(lab, job, 1)).at(-1) ?? 0) >= steps / 2,
  )

/** What the first attempt came to, once the second has begun. */
export async function reached(lab: Lab, job: string): Promise<number> {
  await lab.jobs.until('it is tried again', async () => (await lab.jobs.row(job)).attempt === 2)
  return (await stepsOf(lab, job, 1)).at(-1) ?? 0
}

/** It completed on its second attempt, and made few of the first one's steps once more. */
export async function expectGoneOn(lab: Lab, job: string, last: number): Promise<void> {
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
export async function loseContainers(lab: Lab, node: string): Promise<void> {
  const { rows } = await lab.database.pool.query<{ id: string }>('SELECT id FROM nodes WHERE name = $1', [
    node,
  ])
  const found = await lab.engine.containers(`gpuq.node=${rows[0]?.id}`)
  expect(found).toHaveLength(1)
  await Promise.all(found.map(({ id }) => lab.engine.remove(id)))
}
