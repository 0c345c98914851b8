import { expect, it } from 'vitest'
import { fakeContext, idOf } from '../testing/fake-context'
import { budget } from './budget'

const one = {
  kind: 'token',
  owner_id: idOf(1),
  name: 'agent',
  label: 'Token agent\u001b[2J',
  gpu_hours: 40,
  period: 'week',
  resets_at: '2026-12-07T00:00:00.000Z',
  used_gpu_hours: 3.2,
  left_gpu_hours: 36.8,
  gpus: 2,
  when_used_up: 'stop',
  sentence: '3.2 of 40 GPU hours used this week; 36.8 left until Monday 00:00 UTC.',
}

it('gpuq budget prints a sentence for each budget, and no control characters of its name', async () => {
  const context = fakeContext(async () => Response.json([one]))
  expect(await budget(context, undefined, {})).toBe(0)
  expect(context.written.out).toBe(
    'Token agent\\u{1b}[2J: 3.2 of 40 GPU hours used this week; 36.8 left until Monday 00:00 UTC.\n',
  )
})

it('gpuq budget of a job without a budget says so', async () => {
  const asked: string[] = []
  const context = fakeContext(async ({ url }) => {
    asked.push(new URL(url).search)
    return Response.json([])
  })
  expect(await budget(context, idOf(7), {})).toBe(0)
  expect(asked).toEqual([`?job=${idOf(7)}`])
  expect(context.written.out).toBe('No budget limits the GPU hours of the job.\n')
})
