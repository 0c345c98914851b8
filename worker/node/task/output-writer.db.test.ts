import { beforeEach, describe, expect, it } from 'vitest'
import type { GpuReading } from '@/lib/cluster/gpus/gpu-reading'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import { type ClaimedTask, unfinishedTasks } from '@/lib/cluster/tasks/tasks'
import { placeManually } from '@/lib/cluster/testing/placed'
import { makeJob, makeNode } from '@/lib/cluster/testing/rows'
import { testDatabase } from '@/lib/database/testing/test-database'
import { collectOutput, readRecords } from '@/lib/results/decode'
import { tailOffsets } from '@/lib/results/reading/read-chunks'
import { UsageRecorder } from '../gpus/usage-recorder'
import { OutputWriter } from './output-writer'

const db = testDatabase()

beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users CASCADE')
})

async function claim(lease: Lease): Promise<ClaimedTask> {
  const [task] = await unfinishedTasks(lease)
  if (!task) throw new Error('The task does not exist.')
  return task
}

async function runningTask(): Promise<{ lease: Lease; task: ClaimedTask }> {
  const lease = await makeNode()
  await placeManually(lease.nodeId, await makeJob())
  return { lease, task: await claim(lease) }
}

function readings(task: ClaimedTask, load: number | null, memoryUsedMib: number | null) {
  const figures = { load, memoryUsedMib, temperatureC: 50, powerW: 300 }
  const all = task.gpus.map(({ uuid, index }): [string, GpuReading] => [
    uuid,
    { uuid, index, model: 'NVIDIA H100 80GB HBM3', memoryMib: 81_920, fault: null, ...figures },
  ])
  return new Map(all)
}

/** Far longer than necessary. */
const patience = { timeout: 20_000 }

const print = (text: string) => ({ stream: 'stdout' as const, bytes: Buffer.from(text) })

async function chunks(): Promise<Buffer> {
  const { rows } = await db.pool.query<{ records: Buffer }>('SELECT records FROM log_chunks ORDER BY start')
  return Buffer.concat(rows.map(({ records }) => records))
}

async function types(): Promise<string[]> {
  const found = []
  for await (const { type } of readRecords([await chunks()])) found.push(type)
  return found
}

describe('GPU usage records of a task', () => {
  it('are written between the lines of its output, at most every ten seconds, and never after its end', async () => {
    const { lease, task } = await runningTask()
    const store = new OutputWriter(lease, task, 1 << 20, new AbortController().signal)
    const use = new UsageRecorder(lease, task)
    use.addSample(readings(task, 1, 100))
    use.recordTo(store)
    await store.write(print('one\n'))
    use.addSample(readings(task, 0.5, 40_000))
    use.addSample(readings(task, 0.5, 40_000))
    await store.write(print('two\n'))
    await store.end()
    store.addMetric([])
    expect(await types()).toEqual(['stdout', 'metric', 'stdout'])
    expect((await collectOutput([await chunks()], { maxBytes: 1000 })).stdout).toBe('one\ntwo\n')
    expect((await claim(lease)).stdoutConsumed).toBe(8)
  })

  it('do not shift the output for a worker that continues it', async () => {
    const { lease, task } = await runningTask()
    const first = new OutputWriter(lease, task, 1 << 20, new AbortController().signal)
    await first.write(print('one\ntw'))
    first.addMetric([])
    await expect.poll(types, patience).toContain('metric')
    const adopted = await claim(lease)
    const second = new OutputWriter(lease, adopted, 1 << 20, new AbortController().signal)
    await second.write(print('one\ntwo\n'))
    await second.end()
    expect((await collectOutput([await chunks()], { maxBytes: 1000 })).stdout).toBe('one\ntwo\n')
  })

  it('are summarized in its row: mean load and peak memory, if nvidia-smi reports them', async () => {
    const { lease, task } = await runningTask()
    const use = new UsageRecorder(lease, task)
    use.recordTo(new OutputWriter(lease, task, 1 << 20, new AbortController().signal))
    const summary = async () => {
      const { rows } = await db.pool.query(
        'SELECT gpu_samples AS samples, gpu_load_mean AS load, gpu_memory_peak_mib AS peak FROM tasks',
      )
      return rows[0]
    }
    use.addSample(readings(task, null, 500))
    await expect.poll(summary, patience).toEqual({ samples: 0, load: null, peak: 500 })
    use.addSample(readings(task, 1, 70_000))
    await expect.poll(summary, patience).toEqual({ samples: 1, load: 1, peak: 70_000 })
    use.addSample(readings(task, 0.5, 10))
    await expect.poll(summary, patience).toEqual({ samples: 2, load: 0.75, peak: 70_000 })
  })
})

describe('a traceback', () => {
  const printError = (text: string) => ({ stream: 'stderr' as const, bytes: Buffer.from(text) })
  const texts = async () => {
    const found = []
    for await (const record of readRecords([await chunks()])) if ('text' in record) found.push(record.text)
    return found
  }

  it('is stored in one piece, after what arrives on stdout within it', async () => {
    const { lease, task } = await runningTask()
    const store = new OutputWriter(lease, task, 1 << 20, new AbortController().signal)
    await store.write(printError('Traceback (most recent call last):\n'))
    await store.write(print('flushed before\n'))
    await store.write(printError('ValueError: x\n'))
    // The program continues.
    await expect
      .poll(texts, patience)
      .toEqual(['flushed before', 'Traceback (most recent call last):', 'ValueError: x'])
    await store.end()
  })

  it('is stored before a message of gpuq about the end', async () => {
    const { lease, task } = await runningTask()
    const store = new OutputWriter(lease, task, 1 << 20, new AbortController().signal)
    await store.write(printError('Traceback (most recent call last):\nKeyboardInterrupt\n'))
    store.addNote('The job was stopped.')
    await store.end()
    expect(await texts()).toEqual([
      'Traceback (most recent call last):',
      'KeyboardInterrupt',
      expect.stringContaining('The job was stopped.'),
    ])
  })
})

describe('a result that is larger than a row', () => {
  it('continues in the next rows, and a reader of the end begins with a whole record', async () => {
    const { lease, task } = await runningTask()
    const store = new OutputWriter(lease, task, 64 << 20, new AbortController().signal)
    const line = `{"values":"${'x'.repeat(5 << 19)}"}`
    await store.write(print('first\n'))
    await expect.poll(types, patience).toEqual(['stdout'])
    await store.write(print(`${line}\n`))
    await store.end()
    const { rows } = await db.pool.query<{ start: number; bytes: number }>(
      'SELECT start::int, octet_length(records) AS bytes FROM log_chunks ORDER BY start',
    )
    expect(rows).toHaveLength(4)
    for (const [index, { start, bytes }] of rows.entries()) {
      expect(bytes).toBeLessThanOrEqual(1 << 20)
      expect(rows[index + 1]?.start ?? start + bytes).toBe(start + bytes)
    }
    const { results, stdout } = await collectOutput([await chunks()], { maxBytes: 8 << 20 })
    expect(results).toEqual([line])
    expect(stdout === `first\n${line}\n`).toBe(true)
    expect(await tailOffsets(task.jobId, task.attempt, 100)).toEqual([rows[1]?.start])
    const cut = await collectOutput([await chunks()], { maxBytes: 1000 })
    expect(cut).toMatchObject({ stdout: `first\n${line}`.slice(0, 1000), results: [], truncated: true })
  })
})

describe('the metrics of a task', () => {
  it('are in its row with the output, and continue in another worker', async () => {
    const { lease, task } = await runningTask()
    const first = new OutputWriter(lease, task, 1 << 20, new AbortController().signal)
    await first.write(print('{"step":1,"loss":0.5}\n'))
    await expect.poll(async () => (await claim(lease)).metrics, patience).toEqual({ step: 1, loss: 0.5 })
    await first.write(print('no numbers\n'))
    await expect.poll(types, patience).toEqual(['result', 'stdout'])
    expect((await claim(lease)).metrics).toEqual({ step: 1, loss: 0.5 })
    const second = new OutputWriter(lease, await claim(lease), 1 << 20, new AbortController().signal)
    await second.write(print('{"step":1,"loss":0.5}\nno numbers\n{"step":2}\n'))
    await second.end()
    expect((await claim(lease)).metrics).toEqual({ step: 2, loss: 0.5 })
  })

  it('may have any name that a program can print', async () => {
    const { lease, task } = await runningTask()
    const store = new OutputWriter(lease, task, 1 << 20, new AbortController().signal)
    const names = [
      '\\u0000',
      '\\ud800',
      '',
      '\\u202e',
      'x'.repeat(129),
      '__proto__',
      'Größe [µs]',
      'x'.repeat(128),
    ]
    await store.write(
      print(`{${names.map((name) => `"${name}":1e308`).join(',')},"tiny":5e-324,"huge":1e999}\n`),
    )
    await store.end()
    const { metrics } = await claim(lease)
    expect(Object.keys(metrics).sort()).toEqual(
      ['Größe [µs]', '__proto__', 'huge', 'tiny', 'x'.repeat(128)].sort(),
    )
    // Its value is infinite.
    expect(metrics).toMatchObject({ 'Größe [µs]': 1e308, tiny: 5e-324, huge: null })
  })
})
