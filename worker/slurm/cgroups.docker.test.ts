import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { expectAllTrue } from '../testing/truth'
import { fourNodes } from './testing/slurm-cluster'
import { slurmTests } from './testing/slurm-lab'

const { it } = slurmTests({ nodes: fourNodes.slice(0, 1), cgroups: true })

const mounts = '/sys/fs/cgroup'
/** Takes 128 MiB when a signal says so: half of what the container itself may have. */
const grows = `import signal, sys, time
taken = []
signal.signal(signal.SIGUSR1, lambda *_: taken.append(bytearray(128 << 20)))
sys.stdout.write("started\\n")
while not taken: time.sleep(0.05)
sys.stdout.write("taken\\n")`

// Other machines have cgroup v2 only, where Slurm's own cgroups need systemd.
it.skipIf(!existsSync(join(mounts, 'memory')))(
  'the container of a Slurm job is below its cgroup, whose limits count, and leaves no cgroup behind',
  async ({ openSlurmLab }) => {
    const lab = await openSlurmLab()
    await lab.startWorker('n0')
    const submit = async () => {
      const job = await lab.jobs.submit(grows, { spec: { cpu: 1, memory_gb: 0.25 }, maxRetries: 0 })
      await lab.jobs.untilPrinted(job, /started/)
      const step = `/slurm_n0/uid_0/job_${await lab.untilSubmitted(job)}/step_batch`
      const [container] = await lab.lab.containers()
      if (!container) throw new Error('no container')
      return { job, step, container }
    }
    const grow = (id: string) => lab.lab.engine.signal(id, 'SIGUSR1')

    const first = await submit()
    const { Pid } = (await lab.lab.engine.inspect(first.container.id)).State
    const groups = (await readFile(`/proc/${Pid}/cgroup`, 'utf8')).trim().split('\n')
    const memory = groups.find((line) => line.includes(':memory:'))?.split(':')[2]
    expect(memory).toBe(`${first.step}/${first.container.id}`)
    await grow(first.container.id)
    expect(await lab.jobs.untilFinal(first.job)).toMatchObject({ status: 'completed' })

    const second = await submit()
    await writeFile(join(mounts, 'memory', second.step, 'memory.limit_in_bytes'), String(64 << 20))
    await grow(second.container.id)
    expect(await lab.jobs.untilFinal(second.job)).toMatchObject({ status: 'failed', reason: 'out_of_memory' })

    for (const { job, step } of [first, second]) {
      await lab.untilRow(job, 'its row ends', ({ ended }) => ended)
      const hierarchies = await readdir(mounts)
      await lab.jobs.until('its cgroups are gone', async () =>
        hierarchies.every((name) => !existsSync(join(mounts, name, step, '..'))),
      )
    }
    await expectAllTrue(lab.lab)
  },
)
