import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, it, vi } from 'vitest'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const { loggedError, logger, logSampled } = await import('./logger')
const { connect: connectPool } = await import('./database/client')

const caught = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  )

async function listen(onSocket: (socket: Socket) => void) {
  const server = createServer(onSocket).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { port, close: () => new Promise((resolve) => server.close(resolve)) }
}

describe('a logged error', () => {
  it('is one line where a socket is not there', async () => {
    const path = join(tmpdir(), 'gpuq-no-such-socket')
    const error = await new Promise((resolve) => connect(path).on('error', resolve))
    expect(loggedError(error)).toBe(`connect ENOENT ${path}`)
  })

  it('is one line where no database listens, by a name with two addresses too', async () => {
    const { port, close } = await listen(() => {})
    await close()
    for (const host of ['127.0.0.1', 'localhost']) {
      const error = await caught(new pg.Client({ host, port }).connect())
      expect(loggedError(error)).toMatch(/^connect ECONNREFUSED \S+$/)
    }
  })

  it('is one line of Prisma, which shows the code that asked', async () => {
    const away = connectPool('postgres://nobody@127.0.0.1:1/none', 1)
    const error = await caught(away.prisma.user.count())
    await away.close()
    expect(loggedError(error)).toBe("Can't reach database server at 127.0.0.1:1")
  })

  it('is one line where the database broke off', async () => {
    const { port, close } = await listen((socket) => socket.destroy())
    const error = await caught(new pg.Client({ host: '127.0.0.1', port }).connect())
    await close()
    expect(loggedError(error)).toMatch(
      /^(Connection terminated unexpectedly|(read|write) (ECONNRESET|EPIPE))$/,
    )
    expect(loggedError(Object.assign(new Error('shutting down'), { code: '57P01' }))).toBe('shutting down')
  })

  it('has its stack where it says more', () => {
    const error = Object.assign(new Error('no such file'), { code: 'ENOENT', syscall: 'open' })
    expect(loggedError(error)).toMatchObject({
      message: 'no such file',
      stack: expect.stringContaining('logger.test'),
    })
    expect(loggedError(new AggregateError([], 'nothing worked'))).toMatchObject({ message: 'nothing worked' })
  })

  it('is what was thrown, where that is no error', () => {
    expect(loggedError('a word')).toBe('a word')
  })
})

it('logs a bounded number of lines of a kind per minute, and how many were left out', () => {
  vi.useFakeTimers()
  const lines = vi.spyOn(logger, 'warn').mockImplementation(() => {})
  try {
    for (let i = 0; i < 500; i++) logSampled('warn', { i }, 'flooded', 'one')
    logSampled('warn', {}, 'flooded', 'other')
    expect(lines).toHaveBeenCalledTimes(21)
    vi.advanceTimersByTime(60_000)
    expect(lines).toHaveBeenCalledTimes(22)
    expect(lines).toHaveBeenLastCalledWith({ kind: 'one', left_out: 480 }, 'flooded')
    logSampled('warn', {}, 'flooded', 'one')
    expect(lines).toHaveBeenCalledTimes(23)
  } finally {
    vi.useRealTimers()
    lines.mockRestore()
  }
})
