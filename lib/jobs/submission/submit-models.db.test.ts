import { beforeAll, expect, it, vi } from 'vitest'
import { makePerson, type Person } from '../../access/testing/people'
import { makeJob } from '../../cluster/testing/rows'
import { parseConfig } from '../../contract/config/config'
import { testDatabase } from '../../database/testing/test-database'
import { readSource } from '../read/read'
import { accept } from './accept'
import { replaceModels } from './model-table'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let admin = {} as Person
beforeAll(async () => {
  admin = await makePerson('admin')
  await makeJob()
  await replaceModels(admin.actor, { default_requirement: 1, models: { small: 0.5, large: 3 } })
})

/** Submits the text of a config. Returns what was stored. */
async function stored(extra: string): Promise<Record<string, unknown>> {
  const parsed = parseConfig(`competition_id: c\nproject_id: p\nexpected_time: 10\n${extra}`)
  if (!parsed.ok) throw new Error(parsed.errors[0]?.message)
  const { config } = parsed
  const submission = {
    code: Buffer.from('print(1)'),
    command: null,
    runId: null,
    config,
    bodyHash: Buffer.alloc(32),
    idempotencyKey: null,
  }
  const { jobId } = await accept(admin.actor, submission)
  const { rows } = await db.pool.query<{ spec: Record<string, unknown> }>(
    'SELECT spec FROM jobs WHERE id = $1',
    [jobId],
  )
  return { ...rows[0]?.spec, yaml: (await readSource(admin.actor, jobId)).config }
}

it('gives an uploaded job the GPUs of the model in its arguments', async () => {
  const small = await stored('args: --llm SMALL --epochs 3')
  expect(small).toMatchObject({ gpu_count: 1, gpu_fraction: 0.5 })
  expect(small.yaml).toContain('gpu_fraction: 0.5')
  expect(await stored('args: ["--llm=large"]')).toMatchObject({ gpu_count: 3 })
  expect(await stored('args: ["--llm", "unknown"]')).toMatchObject({ gpu_count: 1 })
})

it('keeps the GPUs that a config sets itself', async () => {
  expect(await stored('args: --llm large\ngpu_count: 1')).toMatchObject({ gpu_count: 1 })
  expect(await stored('args: --llm large\ngpu_fraction: 0.25')).toMatchObject({ gpu_fraction: 0.25 })
  const none = await stored('args: --epochs 3')
  expect(none).toMatchObject({ gpu_count: 1 })
  expect(none).not.toHaveProperty('gpu_fraction')
})

it('refuses fewer allowed GPUs than the model needs', async () => {
  await expect(stored('args: --llm large\nallowed_gpus: 0-1')).rejects.toMatchObject({
    status: 422,
    errors: [{ path: 'allowed_gpus', message: expect.stringContaining('3') }],
  })
})
