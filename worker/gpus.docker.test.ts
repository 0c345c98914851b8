import { describe, expect } from 'vitest'
import { FakeNvidiaSmi } from './gpus/testing/fake-nvidia-smi'
import { cancel } from './testing/cancel'
import type { Lab } from './testing/lab'
import { it, type LabFixtures } from './testing/lab-test'
import { expectAllTrue } from './testing/truth'

const idle = (index: number, uuid: string) =>
  `${index}, ${uuid}, NVIDIA A100-SXM4-80GB, 81920, 4, 0, 31, 61.02, Disabled`
const busy = (index: number, uuid: string) =>
  `${index}, ${uuid}, NVIDIA A100-SXM4-80GB, 81920, 76800, 99, 71, 390.55, Disabled`

/** A lab with one worker, whose engine takes requests for GPUs and whose nvidia-smi is a stand-in. */
async function openGpuLab(
  { openLab, startEngine }: Pick<LabFixtures, 'openLab' | 'startEngine'>,
  gpus: string[],
) {
  const standIn = await FakeNvidiaSmi.make()
  await standIn.prints(gpus)
  const own = await startEngine({ liveRestore: false, pretendsGpus: true })
  const lab = await openLab({ engine: own.engine })
  lab.afterwards(() => standIn.remove())
  await lab.startWorker({ node: 'a', nvidiaSmi: standIn.directory, engineSocket: own.socketPath })
  return { lab, standIn }
}

const code = (seconds: number) => `
import os, time
print(os.environ["NVIDIA_VISIBLE_DEVICES"])
time.sleep(${seconds})`

async function shownGpus(lab: Lab) {
  const { rows } = await lab.database.pool.query(
    `SELECT index, model, simulated, load, temperature_c AS temperature, busy_reason AS reason FROM gpus ORDER BY index`,
  )
  return rows
}

describe('a worker on a machine with GPUs', () => {
  it('stops a job that does not use them for the time of the policy', async ({ openLab, startEngine }) => {
    const { lab } = await openGpuLab({ openLab, startEngine }, [idle(0, 'GPU-aaaa')])
    const { pool } = lab.database
    await pool.query('UPDATE policies SET idle_gpu_minutes = 60')
    const job = await lab.jobs.submit(code(1000))
    await lab.jobs.until('its GPU was sampled without a load', async () => {
      const query = 'SELECT 1 FROM tasks WHERE job_id = $1 AND gpu_idle_since IS NOT NULL'
      return (await pool.query(query, [job])).rowCount === 1
    })
    await pool.query("UPDATE tasks SET gpu_idle_since = gpu_idle_since - interval '60 minutes'")
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'failed', reason: 'idle_gpu' })
    await expectAllTrue(lab)
  })

  it('lets a program with a GPU name its threads, without which CUDA does not start', async ({
    openLab,
    startEngine,
  }) => {
    const { lab } = await openGpuLab({ openLab, startEngine }, [idle(0, 'GPU-aaaa')])
    const naming = `
import threading
def name(own):
    try:
        with open("/proc/self/task/%d/comm" % own, "w") as file:
            file.write("cuda-event")
        return open("/proc/self/task/%d/comm" % own).read().strip()
    except OSError as error:
        return error.strerror
thread = threading.Thread(target=lambda: print(name(threading.get_native_id())))
thread.start()
thread.join()
try:
    open("/proc/sys/kernel/core_pattern", "w")
except OSError as error:
    print(error.strerror)`
    const withGpu = await lab.jobs.submit(naming)
    await lab.jobs.untilFinal(withGpu)
    expect(await lab.jobs.stdout(withGpu)).toBe('cuda-event\nRead-only file system\n')
    await expectAllTrue(lab)
  })

  it('shows them, allocates free ones by UUID, and records their use', async ({ openLab, startEngine }) => {
    const { lab, standIn } = await openGpuLab({ openLab, startEngine }, [
      idle(0, 'GPU-aaaa'),
      busy(1, 'GPU-bbbb'),
    ])
    const first = await lab.jobs.submit(code(1000))
    expect(await lab.jobs.untilPrinted(first, /\n/)).toBe('GPU-aaaa\n')
    const shown = { model: 'NVIDIA A100-SXM4-80GB', simulated: false }
    expect(await shownGpus(lab)).toEqual([
      { ...shown, index: 0, load: 0, temperature: 31, reason: null },
      {
        ...shown,
        index: 1,
        load: 0.99,
        temperature: 71,
        reason: 'Other processes use it: 75 of 80 GiB of memory, 99 % load.',
      },
    ])
    const second = await lab.jobs.submit(code(0))
    await lab.jobs.until('it is told why it waits', async () => (await lab.jobs.row(second)).reason !== null)
    expect(await lab.jobs.row(second)).toMatchObject({ status: 'pending' })

    await standIn.prints([busy(0, 'GPU-aaaa'), idle(1, 'GPU-bbbb')])
    await lab.jobs.untilFinal(second)
    expect(await lab.jobs.stdout(second)).toBe('GPU-bbbb\n')

    await cancel(lab, first)
    await lab.jobs.untilFinal(first)
    const metrics = (await lab.jobs.records(first)).filter(({ type }) => type === 'metric')
    expect(metrics.at(0)).toMatchObject({ gpus: [{ index: 0 }] })
    expect(metrics).toContainEqual(
      expect.objectContaining({ gpus: [{ index: 0, load: 0.99, memory_used_mib: 76_800 }] }),
    )
    const { rows } = await lab.database.pool.query<{ samples: number; peak: number }>(
      'SELECT gpu_samples AS samples, gpu_memory_peak_mib AS peak FROM tasks WHERE job_id = $1',
      [first],
    )
    expect(rows).toEqual([{ samples: expect.any(Number), peak: 76_800 }])
    await expectAllTrue(lab)
  })
})
