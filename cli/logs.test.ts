import { describe, expect, it } from 'vitest'
import { artifacts } from './artifacts/artifacts'
import { attachTo } from './commands/attach'
import { logs, results } from './commands/logs'
import { status } from './commands/status'
import { describeError } from './console/describe-error'
import { toStreams } from './console/terminal'
import { note, OutputWriter, showJob } from './job/show-job'
import { detail, fakeContext, jobId, self } from './testing/fake-context'

const attack = 'x\u001b]0;title\u0007\u001b]52;c;cm0=\u0007\u009b2J\u202e\u001b[2J'
const shown = 'x\\u001b]0;title\\u0007\\u001b]52;c;cm0=\\u0007\\u009b2J\\u202e\\u001b[2J'
const colours = '\u001b[32mok\u001b[0m 10 %\r20 %\n'

/** A server with an ended job of `owner` that has printed `pieces`. With `losesFirst`, each first request is lost. */
function serverOf(
  owner: string,
  pieces: string[],
  { terminal = false, losesFirst = false, changes = {} } = {},
) {
  const job = detail({ user_id: owner, ...changes })
  const lost = new Set<string>()
  const record = (text: string) =>
    JSON.stringify({ type: 'stdout', t: '2026-01-01T00:00:00Z', text, eol: false })
  const output = pieces.map((text) => `event: output\ndata: ${record(text)}\n\n`).join('')
  const context = fakeContext((request) => {
    const { pathname } = new URL(request.url)
    if (losesFirst && !lost.has(pathname)) {
      lost.add(pathname)
      throw new TypeError('fetch failed')
    }
    if (pathname === '/api/users/me') return Response.json(self)
    if (pathname.endsWith('/events'))
      return new Response(`${output}event: job\ndata: ${JSON.stringify(job)}\n\nevent: end\ndata: {}\n\n`)
    return pathname.startsWith('/api/results/') ? new Response(pieces.join('')) : Response.json(job)
  })
  context.terminal.outIsTerminal = terminal
  context.terminal.errIsTerminal = terminal
  return context
}

describe('gpuq logs', () => {
  it.each([true, false])(
    "gpuq logs of another user's job cannot control the reader's terminal (a terminal: %s)",
    async (terminal) => {
      const context = serverOf('eve', [attack, colours], { terminal })
      expect(await logs(context, jobId, {})).toBe(0)
      expect(context.written.out).toBe(shown + colours)
    },
  )

  it('does not let through an escape that is divided over events', async () => {
    const context = serverOf('eve', [...`${attack}\u001b[31mred`], { terminal: true })
    await logs(context, jobId, { follow: true })
    expect(context.written.out).toBe(`${shown}\u001b[31mred\u001b[0m`)
  })

  const bars = 'epoch 0\n\rbatch 1\u001b[A\n\rbatch 2\u001b[A'

  it('moves the cursor in the lines of the job on a terminal, and leaves them before a message', async () => {
    const context = serverOf('eve', [`\u001b[9A${bars}`, '\u001b[9A'], { terminal: true })
    await showJob(context, context.client, jobId, { own: false })
    expect(context.written.out).toBe(`${bars.replaceAll('[A', '[1A')}\u001b[1B\r\n`)
    const piped = serverOf('eve', [bars])
    await logs(piped, jobId, {})
    expect(piped.written.out).toBe(bars.replaceAll('\u001b[A', '\\u001b[A'))
  })

  it('keeps a rank from the lines of the others', async () => {
    const ranks = [0, 1].map((rank) => ({ stream: 'stdout' as const, text: `x\n\u001b[2A`, rank }))
    const context = serverOf('ada', [], { terminal: true })
    const output = new OutputWriter(context.terminal, { own: true }, undefined)
    for (const printed of ranks) await output.write(printed)
    await output.end()
    expect(context.written.out).not.toContain('\u001b[2A')
  })

  it('prints an own job exactly in a pipe, and with --raw also to a terminal', async () => {
    const piped = serverOf('ada', [attack])
    await logs(piped, jobId, {})
    expect(piped.written.out).toBe(attack)
    const seen = serverOf('ada', [attack], { terminal: true })
    await logs(seen, jobId, {})
    expect(seen.written.out).toBe(shown)
    const raw = serverOf('ada', [attack], { terminal: true })
    await logs(raw, jobId, { raw: true })
    expect(raw.written.out).toBe(attack)
  })

  it('gpuq logs with -f asks again after a broken connection, and without it fails at once', async () => {
    const changes = { status: 'completed', exit_code: 0 }
    const context = serverOf('ada', ['line\n'], { losesFirst: true, changes })
    expect(await logs(context, jobId, { follow: true })).toBe(0)
    expect(context.written).toMatchObject({ out: 'line\n', err: '' })
    await expect(logs(serverOf('ada', [], { losesFirst: true }), jobId, {})).rejects.toMatchObject({
      code: 'unreachable',
    })
  })

  it("refuses --raw for another user's job", async () => {
    const context = serverOf('eve', [attack])
    await expect(logs(context, jobId, { raw: true })).rejects.toThrow('only for your own jobs')
    expect(context.written.out).toBe('')
  })
})

describe('gpuq results', () => {
  const content = Buffer.from(`\ufeff${attack}\n\u0000`)
  const bytes = Buffer.concat([content, Buffer.from([0xff, 0xc5])])
  /** A server whose result file arrives byte by byte. */
  function resultsOf(owner: string, terminal: boolean, file: Uint8Array) {
    const context = serverOf(owner, [], { terminal })
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of file) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    context.client.jobs.download = async () => new Response(stream)
    const pieces: Uint8Array[] = []
    Object.assign(
      context.terminal,
      toStreams(
        async (piece) => void pieces.push(Buffer.from(piece)),
        async () => {},
      ),
    )
    return { context, printed: () => Buffer.concat(pieces) }
  }

  it('prints the result file of an own job exactly in a pipe', async () => {
    const { context, printed } = resultsOf('ada', false, bytes)
    await results(context, jobId, {})
    expect(printed()).toEqual(bytes)
  })

  it.each([
    ['ada', true],
    ['eve', false],
  ])('escapes what could control a terminal, for a job of %s (a terminal: %s)', async (owner, terminal) => {
    const { context, printed } = resultsOf(owner, terminal, bytes)
    await results(context, jobId, {})
    expect(printed().toString()).toBe(`\ufeff${shown}\n\\u0000\ufffd\ufffd`)
  })

  it('keeps a colour that is divided, and ends it', async () => {
    const { context, printed } = resultsOf('eve', true, Buffer.from('\u001b[31mred'))
    await results(context, jobId, {})
    expect(printed().toString()).toBe('\u001b[31mred\u001b[0m')
  })
})

it('gpuq results --json has the digits that the job printed', async () => {
  const printed = '{"id":12345678901234567890,"lr":1e-05,"a":1,"a":2.0}'
  const context = serverOf('ada', [`{"stdout":"","results":[${printed}],"truncated":false}`])
  expect(await results(context, jobId, { json: true })).toBe(0)
  expect(context.written.out).toContain('"id": 12345678901234567890,')
  expect(context.written.out).toMatch(/"lr": 1e-05,\s+"a": 1,\s+"a": 2.0\n/)
})

describe('text of others cannot control the terminal', () => {
  it('text of others cannot control the terminal in a result file', async () => {
    const context = serverOf('eve', [`{"type":"result","data":${JSON.stringify(attack)}}\n`, '\u001b[2J'])
    await results(context, jobId, {})
    expect(context.written.out).toBe(`{"type":"result","data":"${shown}"}\n\\u001b[2J`)
  })

  it('text of others cannot control the terminal in the details of a job, as text and as JSON', async () => {
    const changes = { name: `n\nstatus completed${attack}`, environment: attack, node_name: attack }
    for (const json of [true, false]) {
      const context = serverOf('eve', [], { changes })
      await status(context, jobId, { json })
      expect(context.written.out).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u)
      if (!json) expect(context.written.out).not.toMatch(/^status completed/m)
    }
  })

  it('text of others cannot control the terminal in messages about a job, in errors of the server and in lists', async () => {
    const changes = { status: 'running', reason_text: null, node_name: attack }
    const context = serverOf('eve', [], { changes: { ...changes, completed_at: null } })
    await showJob(context, context.client, jobId, { own: false }).catch(() => {})
    await note(context, attack)
    await context.terminal.err(describeError(new Error(attack), null).text)
    const files = {
      artifact_id: jobId,
      rank: 0,
      path: attack,
      bytes: 1,
      sha256: '',
      stored_at: '2026-01-01T00:00:00Z',
    }
    const lists = fakeContext(() =>
      Response.json({ artifacts: [files], files_deleted: null, deleted_after_days: null }),
    )
    await artifacts(lists, jobId, {})
    expect(context.written.err + lists.written.out).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u)
  })

  it("text of others cannot control the terminal in the terminal of another user's job that is attached", async () => {
    const job = detail({ user_id: 'eve', terminal: true, status: 'running' })
    for (const [own, expected] of [
      [false, shown],
      [true, attack],
    ] as const) {
      const context = serverOf('eve', [attack], { terminal: true, changes: { terminal: true } })
      context.openRaw = () => ({
        size: { columns: 80, rows: 24 },
        hangup: new AbortController().signal,
        onKeys: () => {},
        onResize: () => {},
        close: async () => {},
      })
      await attachTo(context, context.client, { ...job, metrics: {} } as never, { own })
      expect(context.written.out.startsWith(expected)).toBe(true)
    }
  })
})
