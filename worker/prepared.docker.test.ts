import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import { testImage } from './runtime/testing/runtime-bench'
import type { Lab } from './testing/lab'
import { it } from './testing/lab-test'
import { expectAllTrue } from './testing/truth'
import { isWarm, startWarmWorker } from './testing/warm'

/** The argument of a job is in the command line of its process only if Python started for it. */
const isPrepared = 'print("x" not in open("/proc/self/cmdline").read().split("\\0"))'
const withArgument = { spec: { args: ['x'] } }

async function prepare(lab: Lab, modules: string[]): Promise<void> {
  await lab.database.pool.query(
    `INSERT INTO environments (id, name, image, is_default, prepare) VALUES ($1, 'python', $2, true, $3)
         ON CONFLICT (name) DO UPDATE SET prepare = excluded.prepare`,
    [randomUUID(), testImage, modules],
  )
}

/** Waits until a container has made its imports. Its memory is measured then. Torch takes more than 50 MiB. */
function untilPrepared(lab: Lab, leastMib = 50): Promise<boolean> {
  return lab.jobs.until('a warm container is measured', async () => {
    const { rows } = await lab.database.pool.query<{ memory: number }>(
      'SELECT coalesce(sum(warm_memory_mib), 0)::int AS memory FROM nodes',
    )
    return (rows[0]?.memory ?? 0) >= leastMib
  })
}

const problemOf = async (lab: Lab): Promise<string | null> => {
  const { rows } = await lab.database.pool.query<{ problem: string | null }>(
    'SELECT prepare_problem AS problem FROM environments ORDER BY prepare_problem_at DESC NULLS LAST LIMIT 1',
  )
  return rows[0]?.problem ?? null
}

describe('a warm container with prepared imports', () => {
  it('runs a job as a cold one does', async ({ openLab }) => {
    const lab = await openLab()
    const cold = await lab.startWorker({ node: 'a' })
    const code = `import os, sys, torch, signal, multiprocessing, traceback
left_out = {"GPUQ_JOB_ID"}
def double(value): return float(value * 2)
if __name__ == "__main__":
    print([sys.argv, sys.orig_argv, sys.path, sorted((k, v) for k, v in os.environ.items() if k not in left_out), os.getcwd()])
    print([torch.__version__, torch.get_num_threads(), torch.cuda.is_initialized(), float((torch.ones(64, 64) @ torch.ones(64, 64)).sum())])
    print([sorted(os.listdir("/proc/self/fd")), os.readlink("/proc/self/fd/0"), sys.stdin.read(), sorted(os.listdir("/results")), os.getppid()])
    print([str(signal.getsignal(number)) for number in signal.valid_signals()])
    loader = torch.utils.data.DataLoader(torch.arange(8.0), batch_size=4, num_workers=2)
    print([batch.tolist() for batch in loader])
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool: print(pool.map(double, [torch.tensor(1.5)] * 2))
    ${isPrepared}
    torch.zeros(2) @ torch.zeros(3)`
    const submit = async () => {
      const job = await lab.jobs.submit(code, { spec: { args: ['x'], env: { WORD: "it's" } } })
      expect(await lab.jobs.untilFinal(job)).toMatchObject({ reason: 'exit_code', exitCode: 1 })
      const lines = await lab.jobs.lines(job)
      return { lines: lines.slice(0, -1), prepared: lines.at(-1), errors: await lab.jobs.stderr(job) }
    }
    const expected = await submit()
    expect(expected).toMatchObject({ prepared: 'False', errors: expect.stringContaining('RuntimeError') })
    cold.signal('SIGTERM')
    await cold.ended()

    await prepare(lab, ['torch'])
    await startWarmWorker(lab)
    await untilPrepared(lab)
    expect(await submit()).toEqual({ ...expected, prepared: 'True' })
    await expectAllTrue(lab)
  })

  it('runs other jobs without the imports, and continues when its worker is killed', async ({ openLab }) => {
    const lab = await openLab()
    await prepare(lab, ['numpy', 'torch'])
    const worker = await startWarmWorker(lab)
    await untilPrepared(lab)
    const none = await lab.jobs.submit(
      `import sys\nprint("torch" in sys.modules)\n${isPrepared}`,
      withArgument,
    )
    expect(await lab.jobs.untilFinal(none)).toMatchObject({ status: 'completed' })
    expect(await lab.jobs.lines(none)).toEqual(['False', 'False'])

    await untilPrepared(lab)
    const code = `import numpy, torch, time\n${isPrepared}\nfor i in range(60):\n  print(i)\n  time.sleep(0.1)`
    const job = await lab.jobs.submit(code, withArgument)
    await lab.jobs.untilPrinted(job, /True\n0\n/)
    await worker.kill()
    worker.start()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    expect(await lab.jobs.lines(job)).toEqual(['True', ...Array.from({ length: 60 }, (_, i) => String(i))])
    await expectAllTrue(lab)
  })

  it('waits without them if they fail, and admins see why', async ({ openLab }) => {
    const lab = await openLab()
    await prepare(lab, ['torch', 'no_such_module'])
    await startWarmWorker(lab)
    await lab.jobs.until('the problem is stored', async () => (await problemOf(lab)) !== null)
    expect(await problemOf(lab)).toMatch(/^a: import no_such_module failed: ModuleNotFoundError/)
    await untilPrepared(lab, 1)
    const job = await lab.jobs.submit(`import torch\n${isPrepared}\n${isWarm}`, withArgument)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed' })
    expect(await lab.jobs.lines(job)).toEqual(['False', 'True'])
    await expectAllTrue(lab)
  })
})
