import { expect, it } from 'vitest'
import { deleteStored, storage } from './commands/storage'
import { fakeContext, idOf, jobId, summary } from './testing/fake-context'

const archiveId = '0290a3b4-0000-7000-8000-000000000002'
const runId = '0490a3b4-0000-7000-8000-000000000003'
const none = { name: null, project: 'project-key', project_id: 'p1', created_at: '2026-01-01T00:00:00Z' }
const idle = { ...none, in_use: false, deleting: false }
const items = [
  { ...idle, kind: 'checkpoints', id: runId, name: 'base', bytes: 5 * 1024 ** 3 },
  { ...idle, kind: 'archive', id: archiveId, bytes: 2048, in_use: true },
  { ...idle, kind: 'job', id: jobId, name: 'evil\u001b[2J', bytes: 100 },
]
const use = {
  used_bytes: 6 * 1024 ** 3,
  quota_bytes: 50 * 1024 ** 3,
  by_kind: { artifacts: 100, results: 0, sources: 0, archives: 2048, checkpoints: 5 * 1024 ** 3, records: 0 },
}

/** A server with these items, and the paths of the DELETE requests that it received. */
function server(stored: readonly object[] = items) {
  const deleted: string[] = []
  const context = fakeContext((request) => {
    const { pathname } = new URL(request.url)
    if (request.method === 'DELETE') {
      deleted.push(pathname)
      return new Response(null, { status: 204 })
    }
    if (pathname === '/api/storage') return Response.json({ storage: use, items: stored })
    return Response.json([summary({ job_id: jobId.replace(/^0190/, '0390') })])
  })
  return { context, deleted }
}

it('shows the use by kind, the quota, and the largest things with a hint', async () => {
  const { context } = server()
  expect(await storage(context, { limit: 20 })).toBe(0)
  const { out } = context.written
  expect(out).toContain('6.0 GiB stored, quota 50 GiB')
  expect(out).toMatch(/5\.0 GiB {2}checkpoints\n/)
  expect(out).toMatch(/5\.0 GiB {2}checkpoints {2}p1\/base/)
  expect(out).toMatch(/directory .*in use/)
  expect(out).toContain('gpuq storage delete ID')
  expect(out).not.toContain('\u001b')
  expect(await storage(context, { limit: 20, json: true })).toBe(0)
  expect(JSON.parse(context.written.out.slice(out.length))).toEqual({ storage: use, items })
})

it('deletes a job by the start of its id, a directory, checkpoints, and a job that is not listed', async () => {
  const { context, deleted } = server()
  expect(await deleteStored(context, ['0190', archiveId, 'p1/base', '0390', '0190a'], { yes: true })).toBe(0)
  expect(deleted).toEqual([
    `/api/jobs/${jobId}/files`,
    `/api/archives/${archiveId}`,
    `/api/projects/project-key/runs/${runId}/checkpoints`,
    `/api/jobs/${jobId.replace(/^0190/, '0390')}/files`,
  ])
  expect(context.written.err).toContain('Deleted checkpoints p1/base (5.0 GiB).')
})

it('deletes checkpoints by the start of the id of their run', async () => {
  const { context, deleted } = server()
  expect(await deleteStored(context, ['0490A'], { yes: true })).toBe(0)
  expect(deleted).toEqual([`/api/projects/project-key/runs/${runId}/checkpoints`])
})

it('marks that more ids match than it names', async () => {
  const many = Array.from({ length: 6 }, (_, index) => ({ ...idle, kind: 'job', id: idOf(index), bytes: 1 }))
  const names = many.map(({ id }) => id)
  const matching = (count: number) =>
    deleteStored(server(many.slice(0, count)).context, ['0190'], { yes: true })
  await expect(matching(5)).rejects.toThrow(`5 things match 0190: ${names.slice(0, 5).join(', ')}. Give one`)
  await expect(matching(6)).rejects.toThrow(`6 things match 0190: ${names.slice(0, 5).join(', ')}, …. Give`)
})

it('deletes nothing without --yes in a pipe, or if one of the ids is unknown or ambiguous', async () => {
  const { context, deleted } = server()
  await expect(deleteStored(context, ['p1/base'], {})).rejects.toThrow(
    /checkpoints p1\/base \(5\.0 GiB\)\n.*Add --yes/,
  )
  await expect(deleteStored(context, ['p1/base', 'p1/other'], { yes: true })).rejects.toThrow(
    'There are no checkpoints p1/other.',
  )
  await expect(deleteStored(context, ['0'], { yes: true })).rejects.toThrow('3 things match 0')
  expect(deleted).toEqual([])
})
