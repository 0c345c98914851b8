import { expect, it } from 'vitest'
import { describeError } from '../console/describe-error'
import { detail, fakeContext, jobId, summary } from '../testing/fake-context'
import { nodes, queue } from './cluster'
import { status } from './status'

const refusal = (code: number, detail: string) =>
  Response.json(
    {
      type: 'about:blank',
      title: 'Refused',
      status: code,
      code: code === 403 ? 'forbidden' : 'not_found',
      detail,
    },
    { status: code },
  )
const gpus = [{ node: 'node-1', index: 3, model: 'H200', milli: 1000, uuid: 'GPU-3', simulated: false }]

const place = {
  ...{
    job_id: jobId,
    run_id: null,
    name: null,
    user: 'ada',
    user_name: null,
    project_id: 'p1',
    command: 'true',
  },
  ...{ status: 'scheduled', gpu_count: 1, gpu_fraction: null, gpu_memory_gb: null, gpu_model: null },
  ...{ instance_count: 1, priority: 0, position: null, expected_start: null, expected_start_range: null },
  ...{ expected_start_text: null, reason: null, reason_detail: null, reason_text: null },
  ...{ submitted_at: '2026-01-01T00:00:00Z', started_at: null, estimated_duration_seconds: 60 },
  ...{ node: 'node-1', gpus: [3], instances: [], completed_at: null, exit_code: null },
}

it.each([
  [{ status: 'pending', reason: 'group_paused', placed: false }, false],
  [{ status: 'pending', reason: null, placed: true }, true],
  [{ status: 'running', reason: null, placed: true }, true],
  [{ status: 'completed', placed: false }, true],
])('a job with %o has the node and GPUs of its last attempt in gpuq status: %s', async (changes, isShown) => {
  const context = fakeContext(({ url }) =>
    url.includes('/queue/')
      ? Response.json(place)
      : Response.json(detail({ ...changes, command: 'true', gpus })),
  )
  await status(context, jobId, {})
  expect(context.written.out).toMatch(/^status +(pending|running|completed)$/m)
  expect(/^node +node-1$/m.test(context.written.out)).toBe(isShown)
  expect(/^gpus +3 \(H200, 1\)$/m.test(context.written.out)).toBe(isShown)
})

it.each([
  ['gpuq status', (context: ReturnType<typeof fakeContext>) => status(context, undefined, {})],
  ['gpuq queue', (context: ReturnType<typeof fakeContext>) => queue(context, {})],
  ['gpuq nodes', (context: ReturnType<typeof fakeContext>) => nodes(context, {})],
])('%s with the token of an agent says what the token sees', async (_, act) => {
  const context = fakeContext(({ url }) =>
    url.includes('/api/jobs') ? Response.json([summary()]) : refusal(403, 'This token is for an agent.'),
  )
  await expect(act(context)).rejects.toThrow(
    'This token is for an agent. It does not see the cluster and its queue. `gpuq jobs`, `gpuq status ID` and `gpuq budget` show what it sees.',
  )
})

it('a token that sees no jobs either gets only the refusal', async () => {
  const context = fakeContext(() => refusal(403, 'This token lacks the scope "read".'))
  await expect(status(context, undefined, {})).rejects.toThrow(/^This token lacks the scope "read"\.$/)
})

it('a refusal that names a path of the API names the command', async () => {
  const context = fakeContext(() =>
    refusal(404, 'You have no job with this id. GET /api/jobs lists your jobs.'),
  )
  const error = await status(context, jobId, {}).catch((refused: unknown) => refused)
  expect(describeError(error, 'http://gpuq.test').text).toBe(
    'gpuq: You have no job with this id. `gpuq jobs` lists your jobs.\n',
  )
})
