import { expect, it } from 'vitest'
import { fakeContext, jobId } from '../testing/fake-context'
import { hold, release } from './wait'

const waiting = {
  ...{
    job_id: jobId,
    run_id: null,
    name: null,
    user: 'ada',
    user_name: null,
    project_id: 'p',
    command: 'true',
  },
  ...{ status: 'queued', gpu_count: 1, gpu_fraction: null, gpu_memory_gb: null, gpu_model: null },
  ...{ instance_count: 1, priority: 0, position: null, expected_start: null, expected_start_range: null },
  ...{ expected_start_text: null, reason_detail: null, reason_text: null },
  ...{ submitted_at: '2026-01-01T00:00:00Z', started_at: null, estimated_duration_seconds: 60 },
  ...{ node: null, gpus: [], instances: [], completed_at: null, exit_code: null },
}

it.each([
  [null, 'released'],
  ['no_free_gpu', 'released'],
  ['dependency', 'waits for others'],
  ['approval_needed', 'waits for approval'],
])('gpuq release of a job that then has the reason %s says: %s', async (reason, words) => {
  const context = fakeContext(() => Response.json({ ...waiting, reason }))
  expect(await release(context, [jobId])).toBe(0)
  expect(context.written.out).toBe(`${jobId} ${words}\n`)
})

it('gpuq hold with the id of a group names the commands for groups', async () => {
  const detail = `This is the id of a group. GET /api/groups/${jobId}/members lists its jobs; POST /api/groups/${jobId}/cancel ends all of them.`
  const context = fakeContext(() =>
    Response.json(
      { type: 'about:blank', title: 'Conflict', status: 409, code: 'conflict', detail },
      { status: 409 },
    ),
  )
  expect(await hold(context, [jobId])).toBe(1)
  expect(context.written.err).toContain(
    `\`gpuq group ${jobId} members\` lists its jobs; \`gpuq group ${jobId} cancel\` ends all of them.`,
  )
})
