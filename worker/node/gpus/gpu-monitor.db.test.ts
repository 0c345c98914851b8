import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { GpuReading } from '@/lib/cluster/gpus/gpu-reading'
import { deleteOldSamples } from '@/lib/cluster/gpus/gpu-samples'
import { hadRealGpus, type Lease, registerNode } from '@/lib/cluster/nodes/nodes'
import { placeManually } from '@/lib/cluster/testing/placed'
import { makeJob } from '@/lib/cluster/testing/rows'
import { testDatabase } from '@/lib/database/testing/test-database'
import { discoverGpus } from '../../gpus/discover'
import { readGpus } from '../../gpus/read-gpus'
import { FakeNvidiaSmi } from '../../gpus/testing/fake-nvidia-smi'
import { GpuMonitor } from './gpu-monitor'

const db = testDatabase()
const realPath = process.env.PATH
/** Generous, because programs start slowly on a busy machine. */
const patient = 60_000
let standIn: FakeNvidiaSmi

beforeAll(async () => {
  standIn = await FakeNvidiaSmi.make()
})
beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users CASCADE')
})
afterEach(() => {
  vi.useRealTimers()
})
afterAll(() => standIn.remove())

const idle = ['GPU-aaaa, NVIDIA H100 80GB HBM3, 81920, 4, 0', 'GPU-bbbb, NVIDIA H100 80GB HBM3, 81920, 4, 0']
const busy = 'GPU-bbbb, NVIDIA H100 80GB HBM3, 81920, 71680, 95'
const busyReason = 'Other processes use it: 70 of 80 GiB of memory, 95 % load.'

/** Runs with only the fake nvidia-smi on the PATH, which now lists these GPUs. */
async function withGpus<T>(gpus: string[] | string, work: () => Promise<T>): Promise<T> {
  if (typeof gpus === 'string') await standIn.runs(gpus)
  else
    await standIn.prints(gpus.map((gpu) => `${gpu.startsWith('GPU-b') ? 1 : 0}, ${gpu}, 40, 120.5, Disabled`))
  process.env.PATH = standIn.directory
  try {
    return await work()
  } finally {
    process.env.PATH = realPath
  }
}

interface Seen {
  lease: Lease
  watch: GpuMonitor
  /** Timeout for nvidia-smi. */
  patience: { ms: number }
  samples: ReadonlyMap<string, GpuReading>[]
}

/** Registers a node like its worker. */
async function serve(): Promise<Seen> {
  const patience = { ms: patient }
  const found = await withGpus(idle, () => discoverGpus({ node: 'lab', timeoutMs: patient }))
  const machine = { name: 'lab', engineId: 'engine', engineVersion: '29', cpuMilli: 8000, memoryMib: 16_000 }
  const lease = await registerNode({ ...machine, warnings: ['old engine'], gpus: found.gpus })
  const samples: Seen['samples'] = []
  return {
    lease,
    patience,
    samples,
    watch: new GpuMonitor(
      lease,
      () => readGpus(patience.ms),
      (sample) => samples.push(sample),
    ),
  }
}

const look = (watch: GpuMonitor, gpus: string[] | string) => withGpus(gpus, () => watch.sample())

/** Waits until the hanging process has been killed, because only one runs at a time. */
async function untilKilled(): Promise<void> {
  await expect.poll(() => withGpus(idle, () => readGpus(patient))).toMatchObject({ faults: [] })
}

async function stored() {
  const { rows } = await db.pool.query<{ uuid: string; missing: boolean; reason: string | null }>(
    'SELECT uuid, missing, busy_reason AS reason FROM gpus ORDER BY uuid',
  )
  return Object.fromEntries(rows.map(({ uuid, missing, reason }) => [uuid, missing ? 'missing' : reason]))
}

async function warnings(): Promise<string[]> {
  const { rows } = await db.pool.query<{ warnings: string[] }>('SELECT warnings FROM nodes')
  return rows[0]?.warnings ?? []
}

describe('a node with real GPUs', () => {
  it('stores the last sample of each GPU, and every third in its history', async () => {
    const { watch } = await serve()
    await db.pool.query(
      `INSERT INTO gpu_samples (gpu_id, at) SELECT id, now() - interval '61 minutes' FROM gpus`,
    )
    for (let i = 0; i < 4; i++) await look(watch, [...idle.slice(0, 1), busy])
    const { rows } = await db.pool.query(
      'SELECT load, memory_used_mib, temperature_c, power_w, sampled_at IS NOT NULL AS sampled FROM gpus ORDER BY uuid',
    )
    expect(rows).toEqual([
      { load: 0, memory_used_mib: 4, temperature_c: 40, power_w: 120.5, sampled: true },
      { load: 0.95, memory_used_mib: 71_680, temperature_c: 40, power_w: 120.5, sampled: true },
    ])
    await deleteOldSamples()
    const kept = await db.pool.query('SELECT load FROM gpu_samples ORDER BY load')
    expect(kept.rows).toEqual([{ load: 0 }, { load: 0 }, { load: 0.95 }, { load: 0.95 }])
  })

  it('blocks a GPU with foreign use until two quiet readings', async () => {
    const { watch } = await serve()
    await look(watch, [...idle.slice(0, 1), busy])
    expect(await stored()).toEqual({ 'GPU-aaaa': null, 'GPU-bbbb': busyReason })
    await look(watch, idle)
    expect(await stored()).toMatchObject({ 'GPU-bbbb': busyReason })
    await look(watch, idle)
    expect(await stored()).toMatchObject({ 'GPU-bbbb': null })
  })

  it('blocks a GPU by the thresholds of the policy, of memory and of load', async () => {
    const { watch } = await serve()
    const used = [
      'GPU-aaaa, NVIDIA H100 80GB HBM3, 81920, 49152, 10',
      'GPU-bbbb, NVIDIA H100 80GB HBM3, 81920, 4, 60',
    ]
    const blocked = async (memory: number, load: number) => {
      await db.pool.query('UPDATE policies SET memory_threshold = $1, load_threshold = $2', [memory, load])
      for (let reading = 0; reading < 2; reading++) await look(watch, used)
      return Object.entries(await stored()).flatMap(([uuid, reason]) => (reason === null ? [] : [uuid]))
    }
    expect(await blocked(0.8, 0.8)).toEqual([])
    expect(await blocked(0.5, 0.8)).toEqual(['GPU-aaaa'])
    expect(await blocked(0.8, 0.5)).toEqual(['GPU-bbbb'])
    expect(await blocked(0.8, 0.8)).toEqual([])
  })

  it('does not count its own jobs as foreign use, or what remains shortly after them', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const { lease, watch } = await serve()
    const task = await placeManually(lease.nodeId, await makeJob(), { indices: [1], milli: 500 })
    await look(watch, [...idle.slice(0, 1), busy])
    expect(await stored()).toMatchObject({ 'GPU-bbbb': null })
    watch.markAllocated(['GPU-bbbb'])
    await db.pool.query('UPDATE allocations SET released_at = now() WHERE task_id = $1', [task])
    await db.pool.query('UPDATE gpus SET allocated_milli = 0')
    await look(watch, [...idle.slice(0, 1), busy])
    expect(await stored()).toMatchObject({ 'GPU-bbbb': null })
    vi.advanceTimersByTime(10_000)
    await look(watch, [...idle.slice(0, 1), busy])
    expect(await stored()).toMatchObject({ 'GPU-bbbb': busyReason })
  })

  it('blocks a faulty or missing GPU until it recovers, and adds a new one', async () => {
    const { watch } = await serve()
    await look(watch, ['GPU-aaaa, NVIDIA H100 80GB HBM3, 81920, ERR!, ERR!'])
    expect(await stored()).toEqual({
      'GPU-aaaa': 'nvidia-smi reports a fault: its memory.used is ERR!.',
      'GPU-bbbb': 'missing',
    })
    await look(watch, [
      'GPU-aaaa, NVIDIA H100 80GB HBM3, [N/A], [N/A], [N/A]',
      'GPU-bcbc, Tesla T4, 15360, 0, 0',
    ])
    const state = await stored()
    expect(state['GPU-aaaa']).toContain('nvidia-smi reports only')
    expect(state).toMatchObject({ 'GPU-bcbc': null, 'GPU-bbbb': 'missing' })
    expect(await warnings()).toEqual(['old engine', expect.stringContaining('[N/A]')])
    await look(watch, idle)
    await look(watch, idle)
    expect(await stored()).toEqual({ 'GPU-aaaa': null, 'GPU-bbbb': null, 'GPU-bcbc': 'missing' })
    expect(await warnings()).toEqual(['old engine'])
  })

  it('warns once if nvidia-smi fails or hangs, and blocks all GPUs after the third failure', async () => {
    const { watch, samples, patience } = await serve()
    await look(watch, 'echo "Failed to initialize NVML: Driver/library version mismatch"; exit 18')
    patience.ms = 2_000
    await look(watch, 'exec /bin/sleep 60')
    expect(await stored()).toEqual({ 'GPU-aaaa': null, 'GPU-bbbb': null })
    expect(await warnings()).toEqual(['old engine', expect.stringContaining('no answer within 2 s')])
    await untilKilled()
    await look(watch, 'exec /bin/sleep 60')
    const silent = 'nvidia-smi failed: no answer within 2 s.'
    expect(await stored()).toEqual({ 'GPU-aaaa': silent, 'GPU-bbbb': silent })
    expect(samples).toEqual([])
    await untilKilled()
    patience.ms = patient
    await look(watch, idle)
    await look(watch, idle)
    expect(await stored()).toEqual({ 'GPU-aaaa': null, 'GPU-bbbb': null })
    expect(await warnings()).toEqual(['old engine'])
  })

  it('keeps its GPUs if its worker starts without a driver', async () => {
    expect(await hadRealGpus('lab')).toBe(false)
    await serve()
    expect(await hadRealGpus('lab')).toBe(true)
    expect(await hadRealGpus('another')).toBe(false)
  })

  it('writes nothing after another worker has acquired the lease', async () => {
    const { watch } = await serve()
    await serve()
    await look(watch, [...idle.slice(0, 1), busy])
    await look(watch, idle.slice(0, 1))
    expect(await stored()).toEqual({ 'GPU-aaaa': null, 'GPU-bbbb': null })
    expect((await db.pool.query('SELECT 1 FROM gpu_samples')).rowCount).toBe(0)
    expect(await warnings()).toEqual(['old engine'])
  })
})
