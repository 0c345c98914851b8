import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { diagnosed } from '../testing/diagnosed'
import { detail, fakeContext, jobId } from '../testing/fake-context'
import { showJob } from './show-job'

const at = '2026-01-01T00:00:00.000Z'
const line = (text: string, type = 'stdout') => JSON.stringify({ type, t: at, text })
const output = (id: number, ...records: string[]) =>
  `id: 1:${id}\nevent: output\n${records.map((record) => `data: ${record}\n`).join('')}\n`
const job = (changes: object) => `event: job\ndata: ${JSON.stringify(detail(changes))}\n\n`
const running = job({ status: 'running', reason: null, reason_text: null, exit_code: null })
const end = 'event: end\ndata: {}\n\n'

async function* pieces(text: string, breaks: boolean) {
  yield Buffer.from(text)
  // Let the client read first: an error discards what a stream still holds.
  await new Promise((resolve) => setTimeout(resolve, 5))
  if (breaks) throw new TypeError('terminated')
}

/** A server whose stream breaks after each part. Each connection continues with the next part. */
function serverOf(...parts: (string | Response)[]) {
  const asked: (string | null)[] = []
  const context = fakeContext((request) => {
    asked.push(request.headers.get('last-event-id'))
    const part = parts[asked.length - 1] ?? ''
    if (part instanceof Response) return part
    const breaks = asked.length < parts.length
    return new Response(Readable.toWeb(Readable.from(pieces(part, breaks))) as ReadableStream<Uint8Array>)
  })
  return { asked, context }
}

const show = async ({ context }: ReturnType<typeof serverOf>, showing = {}) =>
  showJob(context, await context.connect(), jobId, { own: true, ...showing })

describe('following a job', () => {
  it.each([
    [{ status: 'running', reason: null }, 'The job is still running.'],
    [{ status: 'pending', reason: 'no_free_gpu' }, 'The job still waits.'],
    [
      { status: 'pending', reason: 'approval_needed' },
      `The job waits until a person approves it with \`gpuq approve ${jobId}\`.`,
    ],
  ])('Ctrl-C while a job is %o says what goes on and what to do', async (changes, words) => {
    const server = serverOf(job({ ...changes, exit_code: null }), '')
    const interrupt = new AbortController()
    server.context.interrupted = () => interrupt.signal
    server.context.sleep = async () => interrupt.abort()
    expect(await show(server)).toBe(130)
    expect(server.context.written.err).toContain(
      `${words} Follow it with \`gpuq logs -f ${jobId}\`, or cancel it with \`gpuq cancel ${jobId}\`.\n`,
    )
  })

  it("writes stdout and stderr unchanged and exits with the job's exit code", async () => {
    const result = '{"type":"result","t":"x","data":{"a":  1.0}}'
    const open = JSON.stringify({ type: 'stdout', t: at, text: 'no end', eol: false })
    const failed = job({ status: 'failed', exit_code: 3, reason_text: 'The program ended with an error.' })
    const server = serverOf(
      running +
        output(9, line('one'), line('oops', 'stderr'), result, '{"type":"metric"}', open) +
        failed +
        end,
    )
    expect(await show(server)).toBe(3)
    expect(server.context.written.out).toBe('one\n{"a":  1.0}\nno end')
    expect(server.context.written.err).toBe(
      'gpuq: running on node-1\noops\ngpuq: failed: The program ended with an error. Exit code 3.\n',
    )
  })

  it('says at the end why it failed and what to change, as the page of the job does', async () => {
    const failed = job({ status: 'failed', reason: 'exit_code', exit_code: 2, reason_text: 'Exit code 2' })
    const advised = () => Response.json(detail({ diagnosis: diagnosed }))
    const server = serverOf(running + failed + end, advised())
    expect(await show(server)).toBe(2)
    expect(server.context.written.err).toMatch(
      /\ngpuq: The main memory of the job is full\. MemoryError \(`a\.py`, line 3\)\ngpuq: Set memory_gb to more than 2\.\n$/,
    )
    const quiet = serverOf(running + failed + end, advised())
    await show(quiet, { quiet: true })
    expect(quiet.context.written.err).toBe('')
  })

  it('says what a job that completed left in /work', async () => {
    const left = 'The program left 1 file (1000 B) in /work, which was not kept: a.bin.'
    const reason_text = `The program ended with exit code 0. ${left}`
    const server = serverOf(running + job({ status: 'completed', reason: 'finished', reason_text }) + end)
    expect(await show(server)).toBe(0)
    expect(server.context.written.err).toContain(`gpuq: completed: ${left}\n`)
  })

  it('prefixes the lines of several ranks, and prints one rank without a prefix', async () => {
    const of = (rank: number, text: string, eol = true) =>
      JSON.stringify({ type: 'stdout', t: at, text, ...(eol ? {} : { eol: false }), rank })
    const result = '{"type":"result","t":"x","rank":1,"data":{"rank":  7}}'
    const told = running + output(9, of(0, 'a'), of(0, 'half', false), of(1, 'b'), result) + job({}) + end
    const all = serverOf(told)
    await show(all, { quiet: true })
    expect(all.context.written.out).toBe('[rank 0] a\n[rank 0] half\n[rank 1] b\n[rank 1] {"rank":  7}\n')
    const one = serverOf(told)
    await show(one, { quiet: true, rank: 1 })
    expect(one.context.written.out).toBe('b\n{"rank":  7}\n')
  })

  it('prints the output of each rank under its own label on a terminal, also if it breaks off within a colour', async () => {
    const of = (rank: number, text: string) =>
      JSON.stringify({ type: 'stdout', t: at, text, eol: text.endsWith('m'), rank })
    const records = [of(0, 'a\u001b[3'), of(1, 'b\u001b[31m')]
    const server = serverOf(running + output(9, ...records) + job({}) + end)
    server.context.terminal.outIsTerminal = true
    await show(server, { quiet: true })
    expect(server.context.written.out).toBe('[rank 0] a\\u001b[3\n[rank 1] b\u001b[31m\n\u001b[0m')
  })

  it('prints no messages of its own in quiet mode', async () => {
    const server = serverOf(running + output(9, line('one')) + job({}) + end)
    expect(await show(server, { quiet: true })).toBe(0)
    expect(server.context.written).toEqual({ out: 'one\n', err: '' })
  })

  it('stops at the current end of the output on request', async () => {
    const server = serverOf(output(9, line('one')) + running + output(18, line('later')) + end)
    expect(await show(server, { quiet: true, onlySoFar: true })).toBe(0)
    expect(server.context.written.out).toBe('one\n')
  })

  it('reports a retry of the job', async () => {
    const server = serverOf(`${output(9, line('one'))}event: reset\ndata: {}\n\n${job({})}${end}`)
    await show(server)
    expect(server.context.written.err).toContain('job is retried')
  })
})

describe('a broken connection', () => {
  it('resumes after the last complete event without losing or repeating a line', async () => {
    const lines = Array.from({ length: 3000 }, (_, at) => `line ${at}`)
    const events = lines.map((text, at) => output(at + 1, line(text)))
    const half = (events[1000] ?? '').slice(0, -9)
    const server = serverOf(
      running + events.slice(0, 1000).join('') + half,
      new Response('', { status: 502 }),
      Response.json(
        { detail: 'Too many.', code: 'rate_limited' },
        { status: 429, headers: { 'retry-after': '1' } },
      ),
      events.slice(1000).join('') + job({}) + end,
    )
    expect(await show(server, { quiet: true })).toBe(0)
    expect(server.context.written.out).toBe(lines.map((text) => `${text}\n`).join(''))
    expect(server.asked).toEqual([null, '1:1000', '1:1000', '1:1000'])
  })

  it('fails on errors that are not temporary', async () => {
    const refusal = Response.json({ detail: 'There is no such job.', code: 'not_found' }, { status: 404 })
    await expect(show(serverOf(running, refusal))).rejects.toThrow('There is no such job.')
    await expect(show(serverOf(...Array.from({ length: 40 }, () => '')))).rejects.toThrow(
      'keeps breaking off',
    )
  })
})
