import { expect, it, vi } from 'vitest'
import { readOrchestrator, readPolicy, setOrchestratorRunning, updatePolicy } from '../cluster/admin/policy'
import { testDatabase } from '../database/testing/test-database'
import { loadEnv } from '../env'
import { actorFromToken } from './authenticate'
import { ensureFirstRun } from './first-run'
import { makePerson } from './testing/people'

const given = vi.hoisted(() => {
  const token = 'a token for the local port only, long enough'
  vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough')
  vi.stubEnv('RESEARCH_AGENT_GPU_ORCHESTRATION_ENABLED', 'false')
  vi.stubEnv('RESEARCH_AGENT_SCHEDULING_POLICY', 'fair_share')
  vi.stubEnv('RESEARCH_AGENT_MAX_QUEUE_SIZE', '7')
  vi.stubEnv('RESEARCH_AGENT_USER_AUTH_TOKEN', token)
  return { token }
})
const db = testDatabase()

it('the policy comes from the environment at each start, and from the admin in between', async () => {
  const first = await ensureFirstRun()
  expect(first).toMatchObject({ created: true, admin: { tokenVariable: null } })
  expect(await actorFromToken(given.token)).toBeNull()
  expect(await readPolicy()).toMatchObject({
    running: false,
    scheduling_policy: 'fair_share',
    max_queue_size: 7,
    set_by_environment: ['running', 'scheduling_policy', 'max_queue_size'],
  })
  const atStart = await readPolicy()
  const { actor } = await makePerson('admin')
  await setOrchestratorRunning(actor, true)
  await updatePolicy(actor, { scheduling_policy: 'sjf', max_queue_size: 50 })
  expect(await ensureFirstRun()).toMatchObject({ created: false })
  expect(await readPolicy()).toEqual(atStart)
  expect((await readOrchestrator()).set_by_environment).toBe(true)
  // A start that changes nothing is no event.
  await ensureFirstRun()
  const { rows } = await db.pool.query(
    `SELECT detail FROM audit_events WHERE action = 'policy_updated' AND actor_id IS NULL ORDER BY at`,
  )
  const set = { running: false, scheduling_policy: 'fair_share', max_queue_size: 7 }
  expect(rows).toEqual([{ detail: set }, { detail: set }])
})

it('a value whose variable is not set stays as the admin set it', async () => {
  const { actor } = await makePerson('admin')
  await updatePolicy(actor, { scheduling_policy: 'sjf', max_queue_size: 50 })
  vi.stubEnv('RESEARCH_AGENT_GPU_ORCHESTRATION_ENABLED', '')
  vi.stubEnv('RESEARCH_AGENT_SCHEDULING_POLICY', '')
  loadEnv({})
  await setOrchestratorRunning(actor, true)
  await ensureFirstRun()
  expect(await readPolicy()).toMatchObject({
    running: true,
    scheduling_policy: 'sjf',
    max_queue_size: 7,
    set_by_environment: ['max_queue_size'],
  })
})
