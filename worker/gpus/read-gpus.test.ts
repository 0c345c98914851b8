import { mkdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readGpus } from './read-gpus'
import { FakeNvidiaSmi } from './testing/fake-nvidia-smi'

const realPath = process.env.PATH
let standIn: FakeNvidiaSmi

beforeEach(async () => {
  standIn = await FakeNvidiaSmi.make()
  process.env.PATH = standIn.directory
})

afterEach(async () => {
  process.env.PATH = realPath
  await standIn.remove()
})

/** Lines printed by the real program: idle and busy servers, an old card, a laptop, and one in MIG mode. */
const printed = {
  h100: '0, GPU-8f0e6f5c-55d2-2f0e-3c0a-51f0a3b1c001, NVIDIA H100 80GB HBM3, 81559, 71680, 95, 64, 612.48, Disabled',
  a100: '1, GPU-2b7a3d10-90c5-4a3e-8f43-0d6a7bb4c002, NVIDIA A100-SXM4-40GB, 40960, 0, 0, 29, 52.34, Disabled',
  t4: '2, GPU-6c1d9b8e-3a8d-4b0c-9a57-7e2f9d18c003, Tesla T4, 15360, 2, 0, 38, 9.55, [N/A]',
  rtx: '3, GPU-1e5f7a9c-7b1d-4d3f-b6a1-3c8e4f60c004, NVIDIA GeForce RTX 3050 Laptop GPU, 4096, 6, 0, 44, [Unknown Error], [N/A]',
  gtx: '4, GPU-0a9b8c7d-6e5f-4a3b-8c1d-9e8f7a6bc005, GeForce GTX 960M, 2004, 11, [Not Supported], 46, [Not Supported], [Not Supported]',
  mig: '5, GPU-9d4c2e7f-5b6a-4c8d-9e0f-1a2b3c4dc006, NVIDIA A100-SXM4-40GB, 40960, 45, [N/A], 33, 43.10, Enabled',
}

const migList = [
  'GPU 5: NVIDIA A100-SXM4-40GB (UUID: GPU-9d4c2e7f-5b6a-4c8d-9e0f-1a2b3c4dc006)',
  '  MIG 3g.20gb     Device  0: (UUID: MIG-6d1f0f3e-3d0b-5f64-a1c2-0e5a6b7cd001)',
  '  MIG 1g.5gb+me   Device  1: (UUID: MIG-7e2a1b4c-8c9d-5e0f-b3d4-1f6b7c8dd002)',
]

/** Generous, because programs start slowly on a busy machine. */
const read = (timeoutMs = 60_000) => readGpus(timeoutMs)

async function fault(timeoutMs?: number): Promise<unknown> {
  return read(timeoutMs).catch((error: unknown) => error)
}

describe('readGpus', () => {
  it('reads each value of each model, and null for missing ones', async () => {
    await standIn.prints([printed.h100, printed.a100, printed.t4, printed.rtx, printed.gtx])
    const { gpus, faults } = await read()
    expect(faults).toEqual([])
    expect(
      gpus.map(({ index, model, memoryMib, load, memoryUsedMib, temperatureC, powerW }) => {
        return [index, model, memoryMib, load, memoryUsedMib, temperatureC, powerW]
      }),
    ).toEqual([
      [0, 'NVIDIA H100 80GB HBM3', 81_559, 0.95, 71_680, 64, 612.48],
      [1, 'NVIDIA A100-SXM4-40GB', 40_960, 0, 0, 29, 52.34],
      [2, 'Tesla T4', 15_360, 0, 2, 38, 9.55],
      [3, 'NVIDIA GeForce RTX 3050 Laptop GPU', 4_096, 0, 6, 44, null],
      [4, 'GeForce GTX 960M', 2_004, null, 11, 46, null],
    ])
    expect(gpus.every(({ fault }) => fault === null)).toBe(true)
  })

  it('returns each MIG slice as a GPU with the memory of its profile', async () => {
    await standIn.prints([printed.a100.replace('1,', '0,'), printed.mig.replace('5,', '1,')], migList)
    const { gpus } = await read()
    expect(gpus.map(({ index, uuid, model, memoryMib }) => [index, uuid, model, memoryMib])).toEqual([
      [0, 'GPU-2b7a3d10-90c5-4a3e-8f43-0d6a7bb4c002', 'NVIDIA A100-SXM4-40GB', 40_960],
      [1, 'MIG-6d1f0f3e-3d0b-5f64-a1c2-0e5a6b7cd001', 'NVIDIA A100-SXM4-40GB MIG 3g.20gb', 20_480],
      [2, 'MIG-7e2a1b4c-8c9d-5e0f-b3d4-1f6b7c8dd002', 'NVIDIA A100-SXM4-40GB MIG 1g.5gb+me', 5_120],
    ])
    // The usage of the whole GPU does not apply to a slice.
    expect(gpus[1]).toMatchObject({ load: null, memoryUsedMib: null, powerW: null, temperatureC: 33 })
  })

  it('parses slices of older drivers, and says what to do about a GPU without any', async () => {
    const old = [
      'GPU 0: A100-SXM4-40GB (UUID: GPU-9d4c2e7f-5b6a-4c8d-9e0f-1a2b3c4dc006)',
      '  MIG 1c.3g.20gb Device 0: (UUID: MIG-GPU-9d4c2e7f-5b6a-4c8d-9e0f-1a2b3c4dc006/1/0)',
    ]
    await standIn.prints([printed.mig], old)
    expect((await read()).gpus).toMatchObject([
      { uuid: 'MIG-GPU-9d4c2e7f-5b6a-4c8d-9e0f-1a2b3c4dc006/1/0', memoryMib: 20_480 },
    ])
    await standIn.prints([printed.mig], old.slice(0, 1))
    expect(await read()).toMatchObject({
      gpus: [],
      faults: [{ message: expect.stringContaining('nvidia-smi mig -cgi') }],
    })
  })

  it('distinguishes a faulty GPU from one with an unknown value', async () => {
    await standIn.prints([
      '0, GPU-aaaa, NVIDIA H100 80GB HBM3, 81559, 4, 0, 31, ERR!, Disabled',
      '1, GPU-bbbb, NVIDIA H100 80GB HBM3, 81559, [Unknown Error], [Unknown Error], 31, 70.1, Disabled',
      '2, GPU-cccc, NVIDIA H100 80GB HBM3, 81559, 4, 0, [GPU is lost], 70.1, Disabled',
      '3, GPU-dddd, NVIDIA H100 80GB HBM3, [N/A], [N/A], [N/A], [N/A], [N/A], [N/A]',
      '4, [GPU requires reset], , , , , , , ',
    ])
    const { gpus, faults } = await read()
    expect(gpus.map(({ fault }) => fault)).toEqual([
      'nvidia-smi reports a fault: its power.draw is ERR!.',
      'nvidia-smi reports a fault: its memory.used is [Unknown Error].',
      'nvidia-smi reports a fault: its temperature.gpu is [GPU is lost].',
    ])
    expect(faults).toMatchObject([
      { index: 3, uuid: 'GPU-dddd', message: expect.stringContaining('[N/A]') },
      { index: 4, uuid: null, message: expect.stringContaining('requires reset') },
    ])
  })

  it('returns the GPUs that respond if the program complains about another', async () => {
    await standIn.runs(
      `echo '${printed.a100}'\necho 'Unable to determine the device handle for GPU 0000:41:00.0: Unknown Error'\nexit 255`,
    )
    const { gpus, faults } = await read()
    expect(gpus).toHaveLength(1)
    expect(faults).toMatchObject([{ message: expect.stringContaining('Unable to determine') }])
  })

  it('omits a field that an old driver does not know', async () => {
    await standIn.runs(
      `case "$1" in *mig*) echo 'Field "mig.mode.current" is not a valid field to query.'; exit 2;; esac\necho '0, GPU-aaaa, Tesla K80, 11441, 0, 0, 30, 26.50'`,
    )
    expect((await read()).gpus).toMatchObject([{ model: 'Tesla K80', powerW: 26.5 }])
  })

  it('reports why nothing could be read: absent, silent, or failed', async () => {
    expect(await fault()).toMatchObject({ code: 'absent' })
    // The start of a directory fails with EACCES, as that of a program in a directory that the user may not enter.
    const path = join(standIn.directory, 'nvidia-smi')
    await mkdir(path)
    expect(await fault()).toMatchObject({ code: 'absent' })
    await rmdir(path)
    await standIn.runs('echo "No devices were found"; exit 6')
    expect(await fault()).toMatchObject({ code: 'failed', message: 'No devices were found' })
    await standIn.runs('exec /bin/sleep 60')
    expect(await fault(300)).toMatchObject({ code: 'silent', message: 'no answer within 0.3 s' })
    await standIn.prints([])
    // Starts no other one before the hanging one has ended.
    await expect.poll(() => read()).toEqual({ gpus: [], faults: [] })
  })
})
