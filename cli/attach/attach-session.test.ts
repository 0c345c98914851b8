import { describe, expect, it } from 'vitest'
import type { JobDetail } from '@/lib/contract/jobs'
import { jobDetailSchema } from '@/lib/contract/jobs'
import type { RawTerminal } from '../console/raw-terminal'
import { diagnosed } from '../testing/diagnosed'
import { detail, fakeContext, jobId } from '../testing/fake-context'
import { AttachSession } from './attach-session'
import { parseEscapeKey } from './detach-keys'

const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
const printed = (text: string) =>
  event('output', { type: 'stdout', t: '2026-01-01T00:00:00.000Z', text, eol: false })
const job = (changes: Partial<JobDetail> = {}) =>
  jobDetailSchema.parse(
    detail({
      status: 'running',
      reason: null,
      exit_code: null,
      completed_at: null,
      terminal: true,
      ...changes,
    }),
  )

/** A simulated user at a terminal, attached to a simulated job. */
function attachUser({
  at = job(),
  own = true,
  refuse,
}: {
  at?: JobDetail
  own?: boolean
  refuse?: () => Response
} = {}) {
  const typed: string[] = []
  const sizes: unknown[] = []
  let message: ReadableStreamDefaultController<Uint8Array> | undefined
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      message = controller
    },
  })
  let tails: string | null = null
  const context = fakeContext(async (request) => {
    const url = new URL(request.url)
    if (url.pathname.endsWith('/events')) {
      tails = url.searchParams.get('tail')
      request.signal.addEventListener('abort', () => message?.error(request.signal.reason))
      return new Response(stream)
    }
    if (url.pathname.startsWith('/api/status/'))
      return Response.json({
        ...at,
        diagnosis: diagnosed,
      })
    if (url.pathname.endsWith('/size')) sizes.push(await request.json())
    else typed.push(await request.text())
    return (url.pathname.endsWith('/input') && refuse?.()) || new Response(null, { status: 204 })
  })
  const person = { take: (_: Buffer) => {}, closed: 0, gone: new AbortController() }
  const raw: RawTerminal = {
    size: { columns: 90, rows: 30 },
    hangup: person.gone.signal,
    onKeys: (take) => {
      person.take = take
    },
    onResize: () => {},
    close: async () => {
      person.closed += 1
    },
  }
  const escapeKey = parseEscapeKey('^a')
  const ended = new AttachSession(context, {
    client: context.client,
    job: at,
    raw,
    escapeKey,
    own,
    rank: 0,
  }).run()
  return {
    context,
    ended,
    person,
    typed,
    sizes,
    message: (text: string) => message?.enqueue(new TextEncoder().encode(text)),
    type: (text: string) => person.take(Buffer.from(text)),
    tail: () => tails,
  }
}

describe('AttachSession', () => {
  it('shows recent output, sends keys to the job, and detaches without stopping it', async () => {
    const session = attachUser()
    session.message(printed('past\u001b[6n> ') + event('job', job()))
    await expect
      .poll(() => session.sizes)
      .toEqual([
        { columns: 90, rows: 29 },
        { columns: 90, rows: 30 },
      ])
    expect(session.context.written.out).toBe('past> ')
    expect(session.tail()).toBe('65536')
    session.type('l')
    session.type('s\r')
    session.type('\u0003')
    await expect.poll(() => session.typed.join('')).toBe('ls\r\u0003')
    session.message(printed('\u001b[?1049hnow\u001b[6n'))
    await expect.poll(() => session.context.written.out).toContain('now\u001b[6n')
    session.type('\u0001')
    session.type('d')
    expect(await session.ended).toBe(0)
    expect(session.context.written.out.endsWith('\u001b[?1049l\u001b[0m')).toBe(true)
    expect(session.context.written.err).toContain(`[detached from ${jobId}]`)
    expect(session.person.closed).toBe(1)
    expect(session.typed.join('')).toBe('ls\r\u0003')
  })

  it('sends keys to a program that has printed before its status is running, and to no other', async () => {
    const pending = (placed: boolean, reason_text: string) =>
      job({ status: 'pending', placed, reason_text, started_at: null })
    const session = attachUser({ at: pending(false, 'It waits.') })
    session.message(event('job', pending(true, 'It starts.')))
    await expect.poll(() => session.context.written.err).toContain('It starts.')
    session.type('too early')
    session.message(printed('name? ') + event('job', pending(true, 'It starts.')))
    await expect.poll(() => session.context.written.out).toBe('name? ')
    session.type('ada\u0003')
    await expect.poll(() => session.typed.join('')).toBe('ada\u0003')
    // The node is lost: the program no longer runs, and Ctrl-C detaches.
    session.message(printed('a last word') + event('job', pending(false, 'Its node was lost.')))
    await expect.poll(() => session.context.written.err).toContain('Its node was lost.')
    session.type('nobody\u0003')
    expect(await session.ended).toBe(0)
    expect(session.typed.join('')).toBe('ada\u0003')
  })

  it('exits with the exit code of the job', async () => {
    const session = attachUser()
    const failed = job({ status: 'failed', exit_code: 3, reason: 'exit_code', reason_text: 'It failed.' })
    session.message(event('job', job()) + printed('bye\r\n') + event('job', failed) + event('end', {}))
    expect(await session.ended).toBe(3)
    expect(session.context.written.err).toContain('It failed. Exit code 3.')
    expect(session.context.written.err).toContain('gpuq: Set memory_gb to more than 2.\n')
  })

  it.each([true, false])(
    'ends the output of an attempt before the next one (a terminal: %s)',
    async (terminal) => {
      const session = attachUser({ at: job({ terminal }), own: false })
      session.message(event('job', job({ terminal })) + printed('\u001b[31mred\u001b[3') + event('reset', {}))
      await expect.poll(() => session.context.written.err).toContain('The job is retried.')
      expect(session.context.written.out.startsWith('\u001b[31mred\\u001b[3\u001b[0m')).toBe(true)
      session.type('\u0001d')
      await session.ended
    },
  )

  it('detaches on Ctrl-C if the job has no terminal', async () => {
    const session = attachUser({ at: job({ terminal: false }) })
    session.message(event('job', job({ terminal: false })))
    session.type('x\u0003')
    expect(await session.ended).toBe(0)
    expect([session.typed, session.sizes]).toEqual([[], []])
  })

  it('restores the terminal after every error', async () => {
    const session = attachUser()
    session.message('event: job\ndata: {"not": "a job"}\n\n')
    await expect(session.ended).rejects.toThrow()
    expect(session.person.closed).toBe(1)
    const closed = attachUser()
    closed.person.gone.abort()
    expect(await closed.ended).toBe(1)
  })

  it('resends keys that the server rejected for now, and beeps for lost keys', async () => {
    const problem = (status: number) =>
      Response.json({ code: 'x', detail: 'x', title: 'x' }, { status, headers: { 'retry-after': '0' } })
    const answers = [429, 204, 503]
    const session = attachUser({
      refuse: () => {
        const status = answers.shift() ?? 204
        return status === 204 ? new Response(null, { status }) : problem(status)
      },
    })
    session.message(event('job', job()))
    session.type('a')
    await expect.poll(() => session.typed).toEqual(['a', 'a'])
    expect(session.context.written.out).toBe('')
    session.type('b')
    await expect.poll(() => session.context.written.out).toBe('\u0007')
    expect(session.typed).toEqual(['a', 'a', 'b'])
    session.type('\u0001d')
    await session.ended
  })
})
