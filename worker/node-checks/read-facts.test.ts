import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { FakeNvidiaSmi } from '../gpus/testing/fake-nvidia-smi'
import { countPciGpus, readDisk, readSmi } from './read-facts'

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'gpuq-facts-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  return directory
}

it("counts NVIDIA's graphics devices on the PCI bus", async () => {
  const bus = await temporaryDirectory()
  const devices = [
    ['gpu', '0x10de', '0x030200'],
    ['its-audio', '0x10de', '0x040300'],
    ['other', '0x8086', '0x030000'],
  ] as const
  for (const [name, vendor, kind] of devices) {
    await mkdir(join(bus, name))
    await writeFile(join(bus, name, 'vendor'), `${vendor}\n`)
    await writeFile(join(bus, name, 'class'), `${kind}\n`)
  }
  expect(await countPciGpus(bus)).toBe(1)
  expect(await countPciGpus(join(bus, 'nothing'))).toBe(0)
})

it('reads no disk of a directory that does not exist', async () => {
  const directory = await temporaryDirectory()
  expect(await readDisk(directory)).toMatchObject({ path: directory, freeBytes: expect.any(Number) })
  expect(await readDisk(join(directory, 'nothing'))).toBeNull()
})

it('reads GPUs, faults and the driver from nvidia-smi', async () => {
  const fake = await FakeNvidiaSmi.make()
  onTestFinished(() => fake.remove())
  vi.stubEnv('PATH', `${fake.directory}:${process.env.PATH}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  await fake.runs(`case "$1" in
    --query-gpu=driver_version) echo 570.86.15 ;;
    *) echo '0, GPU-aaaa, NVIDIA A100, 81920, 4, 0, 31, 61.02, Disabled'
       echo '1, GPU-bbbb, NVIDIA A100, 81920, 76800, 99, 71, 390.55, Disabled'
       echo '2, GPU-cccc, NVIDIA A100, 81920, [GPU is lost], 0, 31, 61.02, Disabled' ;;
  esac`)
  const gpu = { model: 'NVIDIA A100' }
  expect(await readSmi(undefined)).toEqual({
    kind: 'listed',
    driver: '570.86.15',
    gpus: [
      { ...gpu, index: 0, uuid: 'GPU-aaaa', idle: true },
      { ...gpu, index: 1, uuid: 'GPU-bbbb', idle: false },
      { ...gpu, index: 2, uuid: 'GPU-cccc', idle: true },
    ],
    faults: ['GPU 2: nvidia-smi reports a fault: its memory.used is [GPU is lost].'],
  })
  await fake.runs('echo "Failed to initialize NVML: Driver/library version mismatch"; exit 18')
  expect(await readSmi(undefined)).toEqual({
    kind: 'failed',
    message: 'Failed to initialize NVML: Driver/library version mismatch',
  })
})
