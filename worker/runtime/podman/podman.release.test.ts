import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { PodmanService } from '../../testing/podman-service'
import type { JobNetwork } from '../runtime'
import { askEngine } from '../testing/engine-probe'
import { collect } from '../testing/runtime-bench'
import { TaskBench } from '../testing/task-bench'

/** A directory in which Podman looks for devices. Others are in /etc. */
const deviceDirectory = '/var/run/cdi'

let podman: PodmanService
let bench: TaskBench
let options: { socketPath: string; directory: string }

beforeAll(async () => {
  podman = await PodmanService.start()
  options = { socketPath: podman.socketPath, directory: podman.filesDirectory }
  bench = new TaskBench(options)
})
afterAll(async () => {
  await bench?.cleanUp()
  await podman?.remove()
})

describe('GPUs', () => {
  const source = `
import os
print(os.environ.get("SIMULATED"), os.path.exists("/dev/gpuq-simulated"), os.environ["NVIDIA_VISIBLE_DEVICES"])`

  /** Describes a simulated GPU as the NVIDIA container toolkit describes real ones. */
  async function describeGpu(uuid: string): Promise<() => Promise<void>> {
    const path = join(deviceDirectory, `${uuid}.json`)
    const containerEdits = {
      env: [`SIMULATED=${uuid}`],
      deviceNodes: [{ path: '/dev/gpuq-simulated', hostPath: '/dev/null' }],
    }
    const devices = [{ name: uuid, containerEdits }]
    await mkdir(deviceDirectory, { recursive: true })
    await writeFile(path, JSON.stringify({ cdiVersion: '0.4.0', kind: 'nvidia.com/gpu', devices }))
    return () => rm(path)
  }

  it('are given by their CDI names; here a simulated one', async () => {
    const uuid = `GPU-${randomUUID()}`
    const undo = await describeGpu(uuid)
    try {
      const { stdout } = await bench.run(source, { gpuUuids: [uuid], simulated: false })
      expect(stdout).toBe(`${uuid} True ${uuid}\n`)
      expect((await bench.run(source)).stdout).toBe('None False void\n')
    } finally {
      await undo()
    }
  })

  it('GPUs without a description are refused with advice', async () => {
    const container = await bench.runtime.create(
      await bench.task(source, { gpuUuids: [`GPU-${randomUUID()}`], simulated: false }),
    )
    await expect(bench.runtime.start(container)).rejects.toMatchObject({
      code: 'engine_error',
      message: expect.stringContaining('nvidia-ctk cdi generate'),
    })
  })
})

it('refuses networks that it cannot isolate, and another OCI runtime', async () => {
  await expect(bench.runtime.create(await bench.task('', { network: 'internet' }))).rejects.toMatchObject({
    code: 'internet_unavailable',
    message: expect.stringContaining('Podman'),
  })
  const peers = ['10.254.254.2', '10.254.254.3'].map((address) => ({ address, processes: 1, machine: null }))
  const network: JobNetwork = { subnet: '10.254.254.0/28', vni: 1, peers, internet: false }
  await expect(bench.runtime.create(await bench.task('', { network }))).rejects.toMatchObject({
    code: 'engine_error',
    message: expect.stringContaining('several instances'),
  })
  const other = new TaskBench({ ...options, ociRuntime: 'runsc' })
  await expect(other.runtime.create(await bench.task(''))).rejects.toMatchObject({
    code: 'engine_error',
    message: expect.stringContaining('GPUQ_CONTAINER_RUNTIME'),
  })
  await other.cleanUp()
})

it('mounts what a task can write without set-user-id, devices, or programs outside /work and /tmp', async () => {
  const { stdout } = await bench.run(`
for line in open("/proc/mounts"):
    _, path, kind, options, *_ = line.split()
    if path in ("/work", "/tmp", "/dev/shm"):
        print(path, kind, [flag in options.split(",") for flag in ("nosuid", "nodev", "noexec")])`)
  expect(stdout.trim().split('\n').sort()).toEqual([
    '/dev/shm tmpfs [True, True, True]',
    '/tmp tmpfs [True, True, False]',
    '/work tmpfs [True, True, False]',
  ])
})

it('is recognized, and keeps its id', async () => {
  const info = await bench.runtime.facts.info()
  expect(info.properties.product).toBe('Podman')
  expect(info.id).toMatch(/^podman-/)
  expect((await bench.runtime.facts.info()).id).toBe(info.id)
  expect(info.warnings).toContainEqual(expect.stringContaining('internet access cannot start'))
})

it('continues a container while its service is killed and started again, and keeps all of its output', async () => {
  const source = `
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
print("before")
signal.sigwait([signal.SIGUSR1])
print("after", end="")
raise SystemExit(7)`
  const container = await bench.runtime.create(await bench.task(source))
  const output = (await bench.runtime.start(container))[Symbol.asyncIterator]()
  let printed = ''
  while (printed !== 'before\n') {
    const { value, done } = await output.next()
    if (done) throw new Error(`It ended after ${printed}.`)
    printed += value.bytes.toString()
  }
  const { bytes } = await askEngine('GET', `/containers/${container.id}/json`, undefined, podman.socketPath)
  const inspected = z.object({ State: z.object({ Pid: z.number().min(2) }) }).parse(JSON.parse(`${bytes}`))
  await podman.end('SIGKILL')
  await expect(output.next()).rejects.toMatchObject({ code: 'engine_unreachable' })
  process.kill(inspected.State.Pid, 'SIGUSR1')
  await podman.startAgain()
  expect((await collect(await bench.runtime.replay(container))).stdout.toString()).toBe('before\nafter')
  expect(await bench.runtime.wait(container)).toMatchObject({ exitCode: 7, outOfMemory: false })
})

it('has no volume left after its containers were removed', async () => {
  await bench.run('print(1)')
  await Promise.all(
    (await bench.runtime.list(bench.nodeId)).map((container) => bench.runtime.remove(container)),
  )
  const { bytes } = await askEngine('GET', '/volumes', undefined, podman.socketPath)
  expect(JSON.parse(bytes.toString())).toMatchObject({ Volumes: [] })
})
