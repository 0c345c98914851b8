import { beforeAll, describe, expect, it, vi } from 'vitest'
import { makePerson, type Person } from '../../access/testing/people'
import { shownPolicySchema } from '../../contract/cluster/policy'
import { testDatabase } from '../../database/testing/test-database'
import { readPolicy, setOrchestratorRunning, toApiPolicy, updatePolicy } from './policy'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [admin, ada] = [] as unknown as [Person, Person]
beforeAll(async () => {
  ;[admin, ada] = [await makePerson('admin'), await makePerson()]
})

async function audited(): Promise<{ action: string; detail: unknown }[]> {
  const { rows } = await db.pool.query<{ action: string; detail: unknown }>(
    'SELECT action, detail FROM audit_events ORDER BY at, id',
  )
  return rows
}

describe('the policy', () => {
  it('exists after the first migration, running, with the defaults', async () => {
    expect(await readPolicy()).toEqual({
      scheduling_policy: 'priority',
      max_concurrent_jobs: null,
      enable_auto_retry: true,
      max_queue_size: 100,
      backfill: true,
      predict_run_times: true,
      ageing_minutes: 60,
      half_life_hours: 168,
      memory_threshold: 0.8,
      load_threshold: 0.8,
      quarantine_after: 3,
      probe_quarantined: true,
      idle_gpu_minutes: null,
      require_existing_projects: false,
      running: true,
      set_by_environment: [],
      defaultRequirementMilli: 1000,
    })
    expect(toApiPolicy(await readPolicy())).toEqual(shownPolicySchema.parse(await readPolicy()))
  })

  it('changes the given fields and keeps the rest', async () => {
    const before = await readPolicy()
    const changes = {
      scheduling_policy: 'fair_share',
      max_concurrent_jobs: 10,
      half_life_hours: 0.5,
    } as const
    expect(await updatePolicy(admin.actor, changes)).toEqual({ ...before, ...changes })
    expect(await updatePolicy(admin.actor, { max_concurrent_jobs: null })).toMatchObject({
      scheduling_policy: 'fair_share',
      max_concurrent_jobs: null,
    })
    const kept = await readPolicy()
    expect(await updatePolicy(admin.actor, {})).toEqual(kept)
    expect(await audited()).toEqual([
      { action: 'policy_updated', detail: changes },
      { action: 'policy_updated', detail: { max_concurrent_jobs: null } },
    ])
  })

  it('starts and stops; repeating either changes nothing', async () => {
    await db.pool.query('DELETE FROM audit_events')
    for (const running of [false, false, true, true]) {
      await setOrchestratorRunning(admin.actor, running)
      expect(await readPolicy()).toMatchObject({ running })
    }
    expect((await audited()).map(({ action }) => action)).toEqual([
      'orchestrator_stopped',
      'orchestrator_started',
    ])
  })

  it('can only be changed by admins', async () => {
    await expect(updatePolicy(ada.actor, { backfill: false })).rejects.toMatchObject({ status: 403 })
    await expect(setOrchestratorRunning(ada.actor, false)).rejects.toMatchObject({ status: 403 })
    expect(await readPolicy()).toMatchObject({ backfill: true, running: true })
  })
})
