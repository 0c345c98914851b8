import { describe, expect, it } from 'vitest'
import { fakeContext, idOf } from '../testing/fake-context'
import { counts, made, member } from '../testing/make-group'
import { group, groups } from './groups'
import { sweep } from './sweep'

const id = idOf(1)
const unapproved = { awaits_approval: true, counts: { ...counts, held: 3 } }

/** A context whose server answers with each state of the group in turn, and repeats the last one. */
function contextOf(states: object[], members: object[] = []) {
  const context = fakeContext(({ method, url }) => {
    const { pathname } = new URL(url)
    if (pathname === '/api/groups' && method === 'GET') return Response.json(states)
    if (pathname.endsWith('/members')) return Response.json(members)
    return Response.json(states.length > 1 ? states.shift() : states[0], {
      status: pathname === '/api/groups' ? 201 : 200,
    })
  })
  return context
}

describe('a group of an agent that a person must approve', () => {
  it('waits for approval in the list and in its view, and gpuq says how to approve it', async () => {
    const context = contextOf([made({ ...unapproved, problem: 'It may cost 16 GPU hours.' })])
    await groups(context, { limit: 20 })
    expect(context.written.out).toMatch(/base +waits for approval +0\/3/)
    context.written.out = ''
    await group(context, id, 'show', {})
    expect(context.written.out.split('\n').slice(0, 4)).toEqual([
      `${id} waits for approval (base)`,
      '0 of 3 ended, 3 held',
      'problem: It may cost 16 GPU hours.',
      `approve it: gpuq approve ${id}; refuse it: gpuq refuse ${id}`,
    ])
  })

  it('a group that ended before its approval has its final status', async () => {
    const context = contextOf([made({ ...unapproved, status: 'cancelled' })])
    await groups(context, { limit: 20 })
    expect(context.written.out).toMatch(/base +cancelled/)
  })

  it.each([
    [unapproved, `The group waits until a person approves it with \`gpuq approve ${id}\`.`],
    [{}, 'The group goes on.'],
  ])(
    'Ctrl-C during the wait for a group with %o says what goes on and what to do',
    async (changes, words) => {
      const interrupt = new AbortController()
      const context = fakeContext(({ url, signal }) => {
        if (!url.includes('/wait')) return Response.json(made(changes))
        interrupt.abort()
        throw signal.reason
      })
      context.interrupted = () => interrupt.signal
      expect(await group(context, id, 'wait', {})).toBe(130)
      expect(context.written.err).toContain(
        `${words} Wait for it again with \`gpuq group ${id} wait\`, or cancel it with \`gpuq group ${id} cancel\`.\n`,
      )
    },
  )
})

it('a group that waits for others says so in the list and in its view, and not as a problem', async () => {
  const problem = 'It waits for others. Waits for group lr: 3 of 9 ended.'
  const context = contextOf([made({ waits_for_others: true, counts: { ...counts, held: 3 }, problem })])
  await groups(context, { limit: 20 })
  expect(context.written.out).toMatch(/base +waits for others +0\/3/)
  context.written.out = ''
  await group(context, id, 'show', {})
  expect(context.written.out.split('\n').slice(0, 3)).toEqual([
    `${id} waits for others (base)`,
    '0 of 3 ended, 3 held',
    problem,
  ])
})

it('a sweep says at once how far its group is, before a member has ended', async () => {
  const asked: string[] = []
  const context = fakeContext(({ url }) => {
    asked.push(new URL(url).pathname)
    const isEnd = url.includes('/wait')
    const end = { status: 'completed', ended_at: '2026-01-01T00:01:00Z', counts: { ...counts, completed: 3 } }
    return Response.json(made(isEnd ? end : {}), { status: asked.length === 1 ? 201 : 200 })
  })
  await sweep(context, ['true'], { param: ['lr=1'] })
  expect(asked).toEqual(['/api/groups', `/api/groups/${id}`, `/api/groups/${id}/wait`])
  expect(context.written.err).toContain('0 of 3 ended, 2 running, 1 held\n')
})

describe('the table of the members of a group', () => {
  it('has why members wait, failed or were cancelled, and no reason for others', async () => {
    const reasons = {
      pending: 'No GPU is free.',
      failed: 'Exit code 3.',
      completed: 'It ended.',
      running: 'It runs.',
    }
    const members = Object.entries(reasons).map(([status, reason_text]) => ({
      ...member,
      status,
      reason_text,
    }))
    const context = contextOf([made()], members)
    await group(context, id, 'members', {})
    const [head, ...lines] = context.written.out.trimEnd().split('\n')
    expect(head).toMatch(/JOB +REASON$/)
    expect(lines.map((line) => line.split(idOf(7))[1]?.trim())).toEqual([
      'No GPU is free.',
      'Exit code 3.',
      '-',
      '-',
    ])
  })

  it('quotes parameters with blanks, and colours the status in a terminal', async () => {
    const parameters = { text: 'a b', lr: 0.1, empty: '' }
    const context = contextOf([made()], [{ ...member, parameters }])
    context.terminal.outIsTerminal = true
    await group(context, id, 'members', {})
    expect(context.written.out).toContain(" text='a b' lr=0.1 empty='' ")
    expect(context.written.out).toContain('\u001b[32mcompleted\u001b[0m')
  })
})

describe('a change of a group says what it did', () => {
  const running = made({ counts: { ...counts, held: 1, running: 2 } })
  const failed = (number: number) => made({ counts: { ...counts, failed: number, completed: 3 - number } })

  it.each([
    [
      'cancel',
      [running, made({ counts: { ...counts, cancelled: 1, running: 2 } })],
      /^Cancelled the group \S+: 1 member cancelled, 2 members being stopped\.\n/,
    ],
    ['cancel', [made({ counts: { ...counts, cancelled: 3 } })], /^The group \S+ was already cancelled\.\n/],
    ['rerun-failed', [failed(1), running], /^1 failed member of the group \S+ runs again\.\n/],
    ['rerun-failed', [failed(2), running], /^2 failed members of the group \S+ run again\.\n/],
    ['rerun-failed', [running], /^No member of the group \S+ has failed, so none runs again\.\n/],
    ['extend', [running, made({ members: 4 })], /^Added 1 member to the group \S+, which has 4 now\.\n/],
    ['extend', [running, made({ members: 6 })], /^Added 3 members to the group \S+, which has 6 now\.\n/],
    ['extend', [running], /^The group \S+ already has 3 members, so none was added\.\n/],
  ] as const)('gpuq group ID %s after %j', async (action, states, words) => {
    const context = contextOf([...states])
    expect(await group(context, id, action, action === 'extend' ? { samples: 9 } : {})).toBe(0)
    expect(context.written.out).toMatch(words)
  })

  it('a changed group is JSON if that is asked for', async () => {
    const context = contextOf([running])
    await group(context, id, 'cancel', { json: true })
    expect(JSON.parse(context.written.out)).toMatchObject({ group_id: id })
  })
})
