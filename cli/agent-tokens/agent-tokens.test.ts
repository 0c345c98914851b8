import { describe, expect, it } from 'vitest'
import { listTokens } from '../commands/account'
import { fakeContext, idOf, self } from '../testing/fake-context'
import { approve, listApprovals, refuse, stopToken } from './agent-tokens'

const approval = (number: number, changes: object = {}) => ({
  id: idOf(number),
  kind: 'group',
  name: null,
  user_id: 'ada',
  project_id: 'p',
  submitted_with: { token_id: idOf(9), name: 'night agent' },
  gpu_hours: 16.004,
  created_at: '2026-01-01T00:00:00Z',
  expires_at: '2026-01-02T00:00:00Z',
  ...changes,
})
const problem = (status: number, code: string, detail: string) =>
  Response.json({ type: 'about:blank', title: code, status, code, detail }, { status })

interface Given {
  own?: object[]
  others?: object[] | Response
  role?: string
  decided?: Response
}

/** A server with what waits for an approval. It records the requests that change something. */
function server({ own = [], others = [], role = 'researcher', decided }: Given) {
  const sent: string[] = []
  const context = fakeContext(({ method, url }) => {
    const { pathname, searchParams } = new URL(url)
    if (pathname === '/api/users/me') return Response.json({ ...self, role })
    if (method === 'POST') sent.push(pathname)
    if (method === 'POST') return decided ?? new Response(null, { status: 204 })
    if (searchParams.get('all') !== 'true') return Response.json(own)
    return others instanceof Response ? others : Response.json([...own, ...others])
  })
  return { context, sent }
}

describe('gpuq approvals', () => {
  it('lists what waits with its cost and its end, and gives a group without a name one', async () => {
    const { context } = server({ own: [approval(1), approval(2, { kind: 'job', name: 'train' })] })
    await listApprovals(context, {})
    const [head, group, job] = context.written.out.split('\n')
    expect(head).toMatch(/^ID +KIND +NAME +GPU HOURS +TOKEN +EXPIRES$/)
    expect(group).toMatch(new RegExp(`^${idOf(1)} +group +Group 00000001 +16 +night agent +\\S`))
    expect(job).toMatch(new RegExp(`^${idOf(2)} +job +train `))
  })

  it('with --all, an admin sees those of all users, and whose they are', async () => {
    const { context } = server({
      own: [approval(1)],
      others: [approval(2, { user_id: 'bob' })],
      role: 'admin',
    })
    await listApprovals(context, { all: true })
    expect(context.written.out).toMatch(/NAME +USER/)
    expect(context.written.out).toMatch(/Group 00000002 +bob/)
  })
})

describe('gpuq approve and gpuq refuse', () => {
  it('decide about a job or a group by the start of its id, and say what it may cost', async () => {
    const { context, sent } = server({ own: [approval(1)] })
    expect(await approve(context, idOf(1).slice(0, 10))).toBe(0)
    expect(await refuse(context, idOf(1))).toBe(0)
    expect(sent).toEqual([`/api/approvals/${idOf(1)}/approve`, `/api/approvals/${idOf(1)}/refuse`])
    const what = `the group ${idOf(1)}, which may cost 16 GPU hours.\n`
    expect(context.written.out).toBe(`Approved ${what}Refused ${what}`)
  })

  it('one GPU hour is a GPU hour', async () => {
    const { context } = server({ own: [approval(1, { gpu_hours: 1 })] })
    await approve(context, idOf(1))
    expect(context.written.out).toContain('which may cost 1 GPU hour.\n')
  })

  it('an admin approves the group of another user by the start of its id', async () => {
    const { context, sent } = server({ others: [approval(2, { user_id: 'bob' })], role: 'admin' })
    expect(await approve(context, idOf(2).slice(0, 10))).toBe(0)
    expect(sent).toEqual([`/api/approvals/${idOf(2)}/approve`])
  })

  it('an admin whose token lacks the scope learns which one it needs', async () => {
    const others = problem(403, 'forbidden', 'This requires a token with the scope "admin".')
    const { context, sent } = server({ others, role: 'admin' })
    await expect(approve(context, 'abcd')).rejects.toThrow(
      /whose id starts with abcd waits .* For those of other users: This requires a token with the scope "admin"\./,
    )
    expect(sent).toEqual([])
  })

  it('nobody but an admin is asked about the jobs of others', async () => {
    const { context } = server({ others: problem(403, 'forbidden', 'Only admins may do this.') })
    await expect(approve(context, 'abcd')).rejects.toThrow(/^No job or group of yours .*`gpuq approvals`\.$/)
  })

  it('a whole id that does not wait gets the reason of the server', async () => {
    const decided = problem(409, 'conflict', 'It is refused: nobody approved it within 24 hours.')
    const { context } = server({ decided })
    await expect(approve(context, idOf(3))).rejects.toThrow('nobody approved it within 24 hours')
  })

  it('an ambiguous start of an id decides nothing', async () => {
    const { context, sent } = server({ own: [approval(1), approval(2)] })
    await expect(refuse(context, '0190')).rejects.toThrow(`2 ids start with 0190: ${idOf(1)}, ${idOf(2)}.`)
    expect(sent).toEqual([])
  })
})

const token = {
  token_id: idOf(9),
  user_id: 'ada',
  user_name: null,
  name: 'night agent',
  hint: 'gpuq_abcd',
  scopes: ['submit', 'read'],
  bound_to: null,
  limits: {
    ...{ gpu_hours: 10, gpu_hours_per_day: null, max_gpus: null, projects: ['vision'], environments: null },
    ...{ max_priority: null, max_time: 7200, ask_above_gpu_hours: 1 },
  },
  created_by: 'ada',
  created_at: '2026-01-01T00:00:00Z',
  expires_at: null,
  last_used_at: null,
  revoked_at: null,
}

it('gpuq tokens shows the limits of the token of an agent', async () => {
  const context = fakeContext(() => Response.json([token, { ...token, limits: null }]))
  await listTokens(context, {})
  const [head, agent, other] = context.written.out.split('\n')
  expect(head).toMatch(/LIMITS$/)
  expect(agent).toMatch(/10 GPU hours, jobs of at most 2 h 0 min, in vision, asks you above 1 GPU hour$/)
  expect(other).toMatch(/ -$/)
})

it.each([
  [{ jobs: 1, groups: 0 }, 'cancelled 1 job'],
  [{ jobs: 2, groups: 1 }, 'cancelled 2 jobs and 1 group'],
  [{ jobs: 0, groups: 3 }, 'cancelled 3 groups'],
  [{ jobs: 0, groups: 0 }, 'it had no job or group that was waiting or running'],
])('gpuq tokens stop says what ended: %o', async (stopped, effect) => {
  const context = fakeContext(({ method }) => Response.json(method === 'POST' ? stopped : [token]))
  expect(await stopToken(context, idOf(9), {})).toBe(0)
  expect(context.written.out).toBe(`Stopped token night agent: ${effect}.\n`)
})
