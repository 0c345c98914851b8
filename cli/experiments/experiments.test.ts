import { expect, it } from 'vitest'
import { createProgram } from '../program'
import { fakeContext, idOf } from '../testing/fake-context'
import { experiments } from './experiments'

createProgram()

const made = (number: number, changes: object = {}) => ({
  id: idOf(number),
  kind: 'job',
  name: `run ${number}`,
  status: 'completed',
  user_id: 'ada',
  project_id: 'p',
  submitted_with: null,
  parent: null,
  hypothesis: null,
  note: null,
  parent_deleted: false,
  followers: 0,
  metrics: {},
  compared_job: null,
  created_at: '2026-01-01T00:00:00Z',
  ...changes,
})

it('gpuq experiments prints each experiment below the one that it follows', async () => {
  const found = [
    made(3, { parent: idOf(2), hypothesis: 'Smaller\u001b[2J' }),
    made(2, {
      parent: idOf(1),
      metrics: { loss: 0.5 },
      submitted_with: { token_id: idOf(8), name: 'agent' },
    }),
    made(1, { parent_deleted: true }),
  ]
  const context = fakeContext((request) => {
    expect(new URL(request.url).searchParams.get('project_id')).toBe('p')
    return Response.json(found)
  })
  expect(await experiments(context, { project: 'p', limit: 100 })).toBe(0)
  const { out } = context.written
  const lines = out.split('\n')
  expect(lines[1]).toMatch(/completed .* run 1 \(follows one that was deleted\)$/)
  expect(lines[2]).toMatch(/loss=0.5 +agent +└ run 2$/)
  expect(lines[3]).toMatch(/ {2}└ run 3: Smaller/)
  expect(out).not.toContain('\u001b')
})
