import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AgentFiles } from './agents/agent-files'
import { AgentTools } from './agents/agent-tools'
import { JobLogFile } from './follow/job-log-file'
import { detail, fakeContext, jobId } from './testing/fake-context'
import { runSynced } from './working-files/run-synced'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-hostile-'))
  for (const name of ['home/project', 'cache/gpuq/sync', 'outside'])
    await mkdir(join(root, name), { recursive: true })
  await writeFile(join(root, 'outside', 'precious'), 'mine')
  vi.spyOn(process, 'cwd').mockReturnValue(join(root, 'home', 'project'))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(root, { recursive: true })
})

/** A server whose answer to a submission has this id, and whose jobs end at once. */
function serverWith(id: string) {
  const job = detail({ job_id: id })
  const context = fakeContext((request) => {
    const { pathname } = new URL(request.url)
    const of: Record<string, unknown> = {
      '/api/archives': { max_bytes: 1000, max_entries: 10, archive: 'an archive', missing: [] },
      '/api/submit': { job_id: id, status: 'pending' },
    }
    if (pathname.endsWith('/working-files'))
      return Response.json({ working_directory: null, files: [], next: 0, more: false, ended: true })
    if (pathname.endsWith('/events'))
      return new Response(`event: job\ndata: ${JSON.stringify(job)}\n\nevent: end\ndata: {}\n\n`)
    return Response.json(of[pathname] ?? job)
  })
  context.env = {
    ...context.env,
    HOME: join(root, 'home'),
    XDG_CACHE_HOME: join(root, 'cache'),
    GPUQ_SERVER: 'http://gpuq.test',
    GPUQ_TOKEN: 'a-token',
  }
  return context
}
/** Everything here but the hashes of what is sent. */
const all = async () =>
  (await readdir(root, { recursive: true }))
    .filter((path) => !path.startsWith('cache/gpuq/hashes'))
    .toSorted()

describe.each(['../../../outside', '../../../new', '..', '/tmp/new', `${jobId}/../../../../new`])(
  'a hostile server with the job id %j',
  (id) => {
    it('makes `gpuq run --sync` create and remove nothing', async () => {
      const before = await all()
      await expect(runSynced(serverWith(id), { command: 'true' })).rejects.toThrow('does not understand')
      expect(await all()).toEqual(before)
    })

    it('makes `gpuq mcp` create and remove nothing', async () => {
      const before = await all()
      const context = serverWith(id)
      const files = new AgentFiles(context, await context.connect())
      const directory = join(root, 'home', 'project')
      const forward = async () => ({ content: [], structuredContent: { job_id: id, status: 'queued' } })
      const tools = new AgentTools({ context, files, forward, server: 'http://gpuq.test', directory })
      const result = await tools.call({ name: 'CreateGPUJob', arguments: { name: 'a job' } })
      expect(result).toMatchObject({ isError: true })
      await files.close()
      expect(await all()).toEqual(before)
    })

    it('makes `gpuq start` open no log file', async () => {
      const before = await all()
      const log = new JobLogFile(join(root, 'home'), async () => {})
      await expect(log.started({ ...detail(), job_id: id } as never)).rejects.toThrow('not a UUID')
      expect(await all()).toEqual(before)
    })
  },
)

it('a server with a proper id leads to no state either when all files are here', async () => {
  const before = await all()
  expect(await runSynced(serverWith(jobId), { command: 'true' })).toBe(0)
  expect(await all()).toEqual(before)
})
