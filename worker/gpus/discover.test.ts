import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type DiscoveryOptions, discoverGpus } from './discover'

const realPath = process.env.PATH
let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-gpus-'))
  process.env.PATH = directory
})

afterEach(async () => {
  process.env.PATH = realPath
  await rm(directory, { recursive: true })
})

/** Puts a fake nvidia-smi on the PATH, which contains nothing else. */
async function standIn(script: string): Promise<void> {
  const path = join(directory, 'nvidia-smi')
  await writeFile(path, `#!/bin/sh\n${script}\n`)
  await chmod(path, 0o755)
}

const prints = (...lines: string[]) => standIn(lines.map((line) => `echo '${line}'`).join('\n'))

/** Generous, because programs start slowly on a busy machine. */
const discover = (options: DiscoveryOptions) => discoverGpus({ timeoutMs: 60_000, ...options })

describe('discoverGpus', () => {
  it('finds the GPUs that nvidia-smi lists', async () => {
    await prints(
      '0, GPU-5d1c7d2e-0c6c-9c2b-1111-0123456789ab, NVIDIA H200, 143771, 0, 0, 28, 76.61, Disabled',
      '1, GPU-5d1c7d2e-0c6c-9c2b-2222-0123456789ab, Quadro, made up, 8192, 3, 0, 40, [N/A], [N/A]',
    )
    expect(await discover({ node: 'n' })).toEqual({
      source: 'nvidia-smi',
      gpus: [
        {
          index: 0,
          uuid: 'GPU-5d1c7d2e-0c6c-9c2b-1111-0123456789ab',
          model: 'NVIDIA H200',
          memoryMib: 143_771,
          simulated: false,
        },
        expect.objectContaining({ index: 1, model: 'Quadro, made up', memoryMib: 8192 }),
      ],
    })
  })

  it('serves the healthy GPUs beside a faulty one, and reports the fault', async () => {
    await prints(
      '0, GPU-aaaa, NVIDIA H200, 143771',
      '1, GPU-bbbb, NVIDIA H200, [N/A]',
      '2, ERR!, ERR!, ERR!',
      '3, [GPU requires reset], , ',
      'Unable to determine the device handle for GPU 0000:41:00.0: Unknown Error',
    )
    const { gpus, problem } = await discover({ node: 'n' })
    expect(gpus.map(({ index }) => index)).toEqual([0])
    for (const part of ['GPU-bbbb', 'ERR!', 'requires reset', 'Unable to determine'])
      expect(problem).toContain(part)
  })

  it('never simulates GPUs if the real ones do not respond', async () => {
    await standIn('echo "Failed to initialize NVML: Driver/library version mismatch"; exit 18')
    expect(await discover({ node: 'n' })).toEqual({
      gpus: [],
      source: 'nvidia-smi',
      problem: expect.stringContaining('Driver/library version mismatch'),
    })
    await standIn('echo "NVIDIA-SMI has failed because it could not reach the driver."; exit 9')
    expect((await discover({ node: 'n' })).problem).toBe(
      'nvidia-smi failed: NVIDIA-SMI has failed because it could not reach the driver. GPUs that do not respond are not allocated.',
    )
    await standIn('echo "permission denied" >&2; exit 1')
    expect((await discover({ node: 'n' })).problem).toContain('permission denied')
    await standIn('exec /bin/sleep 60')
    expect((await discover({ node: 'n', timeoutMs: 300 })).problem).toContain('no answer within 0.3 s')
    // Starts no other one before the hanging one has ended.
    await prints('0, GPU-aaaa, NVIDIA H200, 143771')
    await expect.poll(async () => (await discover({ node: 'n' })).gpus).toHaveLength(1)
  })

  it('does not replace real GPUs without a driver by simulated ones, unless configured', async () => {
    expect(await discover({ node: 'n', hadGpus: true })).toEqual({
      gpus: [],
      source: 'nvidia-smi',
      problem: expect.stringMatching(/nvidia-smi is not installed.*GPUQ_SIMULATED_GPUS/),
    })
    expect(await discover({ node: 'n', hadGpus: true, simulated: 1 })).toMatchObject({
      source: 'simulated',
      gpus: [{ simulated: true }],
    })
  })

  it('simulates GPUs without a driver or if configured, with stable UUIDs', async () => {
    const found = await discover({ node: 'lab-1' })
    expect(found.source).toBe('simulated')
    expect(found.gpus.length).toBeGreaterThan(0)
    expect(found).toEqual(await discover({ node: 'lab-1' }))
    await prints('0, GPU-aaaa, NVIDIA H200, 143771')
    const told = await discover({ node: 'lab-1', simulated: 3 })
    expect(told.gpus.map(({ uuid }) => uuid)).toEqual([
      'GPU-sim-lab-1-0',
      'GPU-sim-lab-1-1',
      'GPU-sim-lab-1-2',
    ])
    expect(told.gpus.every(({ simulated, model }) => simulated && model === 'Simulated GPU')).toBe(true)
  })

  it('serves the configured number of GPUs, simulated if there are none', async () => {
    const none = await discover({ node: 'lab-1', maxGpus: 3 })
    expect(none).toMatchObject({ source: 'simulated', gpus: [{ index: 0 }, { index: 1 }, { index: 2 }] })
    await prints('0, GPU-aaaa, NVIDIA H200, 143771', '1, GPU-bbbb, NVIDIA H200, 143771')
    const first = await discover({ node: 'lab-1', maxGpus: 1 })
    expect(first).toMatchObject({ source: 'nvidia-smi', gpus: [{ uuid: 'GPU-aaaa' }] })
    expect((await discover({ node: 'lab-1', maxGpus: 8 })).gpus).toHaveLength(2)
  })
})
