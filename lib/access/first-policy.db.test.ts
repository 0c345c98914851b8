import { expect, it, vi } from 'vitest'
import { readPolicy, setOrchestratorRunning, updatePolicy } from '../cluster/admin/policy'
import { testDatabase } from '../database/testing/test-database'
import { actorFromToken } from './authenticate'
import { ensureFirstRun } from './first-run'
import { makePerson } from './testing/people'

const given = vi.hoisted(() => {
  const token = 'a token given under its other name, long enough'
  vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough')
  vi.stubEnv('RESEARCH_AGENT_GPU_ORCHESTRATION_ENABLED', 'false')
  vi.stubEnv('RESEARCH_AGENT_SCHEDULING_POLICY', 'fair_share')
  vi.stubEnv('RESEARCH_AGENT_MAX_QUEUE_SIZE', '7')
  vi.stubEnv('RESEARCH_AGENT_USER_AUTH_TOKEN', token)
  return { token }
})
testDatabase()

it('the policy comes from the environment at the first start, and from the admin afterwards', async () => {
  const first = await ensureFirstRun()
  expect(first).toMatchObject({ created: true, admin: { token: given.token } })
  expect(await actorFromToken(given.token)).toMatchObject({ role: 'admin' })
  expect(await readPolicy()).toMatchObject({
    running: false,
    scheduling_policy: 'fair_share',
    max_queue_size: 7,
  })
  const { actor } = await makePerson('admin')
  await setOrchestratorRunning(actor, true)
  await updatePolicy(actor, { scheduling_policy: 'sjf', max_queue_size: 50 })
  const chosen = await readPolicy()
  expect(await ensureFirstRun()).toMatchObject({ created: false })
  expect(await readPolicy()).toEqual(chosen)
})
