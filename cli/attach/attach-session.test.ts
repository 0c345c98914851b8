import { describe, expect, it } from 'vitest'
import type { JobDetail } from '@/lib/contract/jobs'
import { jobDetailSchema } from '@/lib/contract/jobs'
import type { RawTerminal } from '../terminal/raw-terminal'
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
function sitDown({ at = job(), refuse }: { at?: JobDetail; refuse?: () => Response } = {}) {
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
    if (url.pathname.endsWith('/size')) sizes.push(await request.json())
    else typed.push(await request.text())
    return (url.pathname.endsWith('/input') && refuse?.()) || new Response(null, { status: 204 })
  })
  const person = { take: (_: Buffer) => {}, closed: 0, gone: new AbortController() }
  const raw: RawTerminal = {
    size: { columns: 90, rows: 30 },
    gone: person.gone.signal,
    onKeys: (take) => {
      person.take = take
    },
    onResize: () => {},
    close: async () => {
      person.closed += 1
    },
  }
  const client = context.connectTo({ server: 'http://gpuq.test', token: 'a-token' })
  const escapeKey = parseEscapeKey('^a')
  const ended = new AttachSession(context, { client, job: at, raw, escapeKey, rank: 0 }).run()
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
    const desk = sitDown()
    desk.message(printed('past\u001b[6n> ') + event('job', job()))
    await expect
      .poll(() => desk.sizes)
      .toEqual([
        { columns: 90, rows: 29 },
        { columns: 90, rows: 30 },
      ])
    expect(desk.context.written.out).toBe('past> ')
    expect(desk.tail()).toBe('65536')
    desk.type('l')
    desk.type('s\r')
    desk.type('\u0003')
    await expect.poll(() => desk.typed.join('')).toBe('ls\r\u0003')
    desk.message(printed('\u001b[?1049hnow\u001b[6n'))
    await expect.poll(() => desk.context.written.out).toContain('now\u001b[6n')
    desk.type('\u0001')
    desk.type('d')
    expect(await desk.ended).toBe(0)
    expect(desk.context.written.out.endsWith('\u001b[?1049l\u001b[0m')).toBe(true)
    expect(desk.context.written.err).toContain(`[detached from ${jobId}]`)
    expect(desk.person.closed).toBe(1)
    expect(desk.typed.join('')).toBe('ls\r\u0003')
  })

  it('sends keys to a program that has printed before its status is running, and to no other', async () => {
    const pending = (placed: boolean, reason_text: string) =>
      job({ status: 'pending', placed, reason_text, started_at: null })
    const desk = sitDown({ at: pending(false, 'It waits.') })
    desk.message(event('job', pending(true, 'It starts.')))
    await expect.poll(() => desk.context.written.err).toContain('It starts.')
    desk.type('too early')
    desk.message(printed('name? ') + event('job', pending(true, 'It starts.')))
    await expect.poll(() => desk.context.written.out).toBe('name? ')
    desk.type('ada\u0003')
    await expect.poll(() => desk.typed.join('')).toBe('ada\u0003')
    // The node is lost: the program no longer runs, and Ctrl-C detaches.
    desk.message(printed('a last word') + event('job', pending(false, 'Its node was lost.')))
    await expect.poll(() => desk.context.written.err).toContain('Its node was lost.')
    desk.type('nobody\u0003')
    expect(await desk.ended).toBe(0)
    expect(desk.typed.join('')).toBe('ada\u0003')
  })

  it('exits with the exit code of the job', async () => {
    const desk = sitDown()
    const failed = job({ status: 'failed', exit_code: 3, reason: 'exit_code', reason_text: 'It failed.' })
    desk.message(event('job', job()) + printed('bye\r\n') + event('job', failed) + event('end', {}))
    expect(await desk.ended).toBe(3)
    expect(desk.context.written.err).toContain('It failed. Exit code 3.')
  })

  it('detaches on Ctrl-C if the job has no terminal', async () => {
    const desk = sitDown({ at: job({ terminal: false }) })
    desk.message(event('job', job({ terminal: false })))
    desk.type('x\u0003')
    expect(await desk.ended).toBe(0)
    expect([desk.typed, desk.sizes]).toEqual([[], []])
  })

  it('restores the terminal after every error', async () => {
    const desk = sitDown()
    desk.message('event: job\ndata: {"not": "a job"}\n\n')
    await expect(desk.ended).rejects.toThrow()
    expect(desk.person.closed).toBe(1)
    const closed = sitDown()
    closed.person.gone.abort()
    expect(await closed.ended).toBe(1)
  })

  it('resends keys that the server rejected for now, and beeps for lost keys', async () => {
    const problem = (status: number) =>
      Response.json({ code: 'x', detail: 'x', title: 'x' }, { status, headers: { 'retry-after': '0' } })
    const answers = [429, 204, 503]
    const desk = sitDown({
      refuse: () => {
        const status = answers.shift() ?? 204
        return status === 204 ? new Response(null, { status }) : problem(status)
      },
    })
    desk.message(event('job', job()))
    desk.type('a')
    await expect.poll(() => desk.typed).toEqual(['a', 'a'])
    expect(desk.context.written.out).toBe('')
    desk.type('b')
    await expect.poll(() => desk.context.written.out).toBe('\u0007')
    expect(desk.typed).toEqual(['a', 'a', 'b'])
    desk.type('\u0001d')
    await desk.ended
  })
})
