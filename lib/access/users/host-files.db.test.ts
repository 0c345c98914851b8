import { beforeAll, expect, it, vi } from 'vitest'
import { makeJob } from '../../cluster/testing/rows'
import { parseConfig } from '../../contract/config/config'
import { testDatabase } from '../../database/testing/test-database'
import { accept } from '../../jobs/submission/accept'
import { makePerson, type Person } from '../testing/people'
import { hostFilesOf } from './host-files'

const settings = vi.hoisted(() => {
  vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough')
  return { GPUQ_HOST_FILES: true }
})
vi.mock('../../env', async (original) => {
  const actual = await original<typeof import('../../env')>()
  return { ...actual, env: () => ({ ...actual.env(), ...settings }) }
})
const db = testDatabase()

let [first, second, other] = [] as unknown as [Person, Person, Person]
beforeAll(async () => {
  first = await makePerson('admin', 'starter')
  await db.pool.query("UPDATE users SET created_at = now() - interval '1 year' WHERE handle = 'starter'")
  second = await makePerson('admin')
  other = await makePerson()
  // The default environment.
  await makeJob()
})

const keys = 'host_script: /home/ada/train.py\nconda_prefix: /opt/conda\n'
function submit({ actor }: Pick<Person, 'actor'>, more = keys) {
  const parsed = parseConfig(`competition_id: c\nproject_id: p\nexpected_time: 60\n${more}`)
  if (!parsed.ok) throw new Error('The config is invalid.')
  const rest = { runId: null, bodyHash: Buffer.alloc(32), idempotencyKey: null }
  return accept(actor, { code: Buffer.from('print(1)'), config: parsed.config, ...rest })
}

it('runs scripts of the machine only for the account of the first start', async () => {
  expect(await hostFilesOf(first.actor)).toMatch(/^[0-9a-f-]{36}$/)
  const { jobId } = await submit(first)
  const { rows } = await db.pool.query("SELECT spec->>'host_script' AS script FROM jobs WHERE id = $1", [
    jobId,
  ])
  expect(rows).toEqual([{ script: '/home/ada/train.py' }])
  const narrow = { ...first.actor, via: 'token' as const, scopes: ['submit' as const] }
  for (const actor of [second.actor, other.actor, narrow]) {
    expect(await hostFilesOf(actor)).toBeNull()
    await expect(submit({ actor })).rejects.toMatchObject({
      code: 'invalid_fields',
      message: expect.stringMatching(/^host_script: .*remove this key$/),
    })
  }
})

it('runs no script of the machine on a server without the setting', async () => {
  settings.GPUQ_HOST_FILES = false
  expect(await hostFilesOf(first.actor)).toBeNull()
  await expect(submit(first)).rejects.toMatchObject({ code: 'invalid_fields' })
  await submit(first, '')
})
