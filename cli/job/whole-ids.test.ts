import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { run } from '../commands/run/run'
import { submit } from '../commands/submit'
import { cancel } from '../commands/wait'
import { why } from '../commands/why'
import { sweep } from '../groups/sweep'
import { createProgram } from '../program'
import { detail, fakeContext, jobId, summary } from '../testing/fake-context'
import { made } from '../testing/make-group'
import { serve } from '../testing/serve'
import { explainNotFound } from './whole-ids'

createProgram()

const groupId = '0190a3b5-0000-7000-8000-000000000002'
const noSuchJob = {
  type: 'about:blank',
  title: 'Not found',
  status: 404,
  code: 'not_found',
  detail: 'You have no job with this id.',
}

/** A server with one job and one group. It records the configs and jobs that it is sent. */
function server() {
  const sent: string[] = []
  const context = fakeContext(async (request) => {
    const { pathname } = new URL(request.url)
    if (/\/(status|cancel)\//.test(pathname) && pathname.includes(groupId))
      return Response.json(noSuchJob, { status: 404 })
    if (pathname.startsWith('/api/cancel/')) return Response.json(detail({ status: 'cancelled' }))
    if (request.method === 'POST') {
      const text = await request.text()
      sent.push(text)
      if (pathname === '/api/groups') return Response.json(made(), { status: 201 })
      if (pathname === '/api/queue/submit')
        return Response.json(
          { job_id: jobId, run_id: 'queue', status: 'queued', position: 1 },
          { status: 201 },
        )
      return Response.json({ job_id: jobId, status: 'pending' }, { status: 202 })
    }
    if (pathname === '/api/jobs') return Response.json([summary()])
    if (pathname === '/api/groups') return Response.json([made({ group_id: groupId })])
    if (pathname === `/api/groups/${groupId}`) return Response.json(made({ group_id: groupId }))
    return Response.json(detail())
  })
  return { context, sent }
}

describe('the id of a group in the place of that of a job', () => {
  it.each([groupId, '0190a3b5'])('gpuq why %s says that it is a group', async (given) => {
    const { context } = server()
    const error = await why(context, given, {}).catch((refused: unknown) => refused)
    expect(await explainNotFound(context, [given], error)).toMatchObject({
      message: `${groupId} is a group of jobs, not a job. Use \`gpuq group ${groupId}\`.`,
    })
  })

  it('an id that is neither keeps the error', async () => {
    const { context } = server()
    const error = await why(context, 'ffff', {}).catch((refused: unknown) => refused)
    expect(await explainNotFound(context, ['ffff'], error)).toBe(error)
  })

  it('gpuq cancel with a group says so, and cancels the other jobs', async () => {
    const { context } = server()
    expect(await cancel(context, [groupId, jobId])).toBe(1)
    expect(context.written.err).toContain(`${groupId} is a group of jobs, not a job.`)
    expect(context.written.out).toBe(`${jobId} cancelled\n`)
  })

  it.each(['why', 'status', 'budget', 'logs', 'wait', 'artifacts', 'attach'])(
    'gpuq %s of a group says which command shows it',
    async (name) => {
      const url = await serve(({ url: path = '' }, response) => {
        const isGroup = path === `/api/groups/${groupId}`
        const body = isGroup ? made({ group_id: groupId }) : noSuchJob
        response.writeHead(isGroup ? 200 : 404, { 'content-type': 'application/json' })
        response.end(JSON.stringify(body))
      })
      vi.stubEnv('GPUQ_SERVER', url)
      vi.stubEnv('GPUQ_TOKEN', 'a-token')
      let printed = ''
      const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
        printed += String(text)
        return true
      })
      onTestFinished(() => {
        vi.unstubAllEnvs()
        write.mockRestore()
        process.exitCode = undefined
      })
      await createProgram().parseAsync([name, groupId], { from: 'user' })
      expect(printed).toBe(`gpuq: ${groupId} is a group of jobs, not a job. Use \`gpuq group ${groupId}\`.\n`)
      expect(process.exitCode).toBe(1)
    },
  )
})

describe('--parent and --depends-on', () => {
  const options = { parent: '0190a3b5', depends_on: [jobId.slice(0, 8), 'any:0190a3b5', 'slurm:12'] }
  const program = `${import.meta.dirname}/../python/gpuq.py`

  it('gpuq submit takes the start of the id of a job or a group', async () => {
    const { context, sent } = server()
    await submit(context, program, undefined, { ...options, wait: false })
    expect(sent[0]).toContain(
      `parent: ${groupId}\ndepends_on:\n  - ${jobId}\n  - any:${groupId}\n  - slurm:12\n`,
    )
  })

  it('gpuq run and gpuq sweep take it too', async () => {
    const { context, sent } = server()
    await run(context, ['true'], { parent: jobId.slice(0, 8), wait: false })
    expect(JSON.parse(sent[0] ?? '')).toMatchObject({ parent: jobId })
    await sweep(context, ['true'], { param: ['a=1'], parent: '0190a3b5', wait: false })
    expect(sent[1]).toContain(`parent: ${groupId}\n`)
  })

  it('a start that no job and no group has sends nothing', async () => {
    const { context, sent } = server()
    await expect(run(context, ['true'], { parent: 'ffff' })).rejects.toThrow(
      'You have no job or group whose id starts with ffff.',
    )
    expect(sent).toEqual([])
  })

  it('a start that a job and a group have is refused', async () => {
    const { context } = server()
    await expect(run(context, ['true'], { parent: '0190' })).rejects.toThrow(
      `2 of your ids start with 0190: ${jobId}, ${groupId}.`,
    )
  })
})
