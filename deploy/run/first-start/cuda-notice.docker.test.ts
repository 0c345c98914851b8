import { expect, onTestFinished, vi } from 'vitest'
import { setDatabase } from '@/lib/database/client'
import { loadEnv } from '@/lib/env'
import { FakeNvidiaSmi } from '@/worker/gpus/testing/fake-nvidia-smi'
import { it } from '@/worker/testing/lab-test'
import { cudaNotice } from './cuda-notice'

it('says in one line that the default image has no CUDA, if nvidia-smi lists a GPU', async ({ openLab }) => {
  const lab = await openLab()
  setDatabase(lab.database)
  loadEnv({ GPUQ_DATA_DIR: lab.directory })
  await lab.database.pool.query(
    `INSERT INTO environments (id, name, image, is_default)
     SELECT gen_random_uuid(), 'python', 'gpuq/python:2', true WHERE NOT EXISTS (SELECT 1 FROM environments)`,
  )
  const standIn = await FakeNvidiaSmi.make()
  onTestFinished(() => standIn.remove())
  vi.stubEnv('PATH', `${standIn.directory}:${process.env.PATH}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  await standIn.prints([])
  expect(await cudaNotice()).toBeNull()
  await standIn.prints(['0, GPU-aaaa, Stand-in, 81920, 4, 0, 31, 61.02, Disabled'])
  expect(await cudaNotice()).toMatch(/^The image gpuq\/python:2 has no CUDA.*Environments\.$/)
  loadEnv({ GPUQ_DATA_DIR: lab.directory, GPUQ_SIMULATED_GPUS: '2' })
  expect(await cudaNotice()).toBeNull()
})
