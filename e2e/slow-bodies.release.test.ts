import { once } from 'node:events'
import { beforeAll, expect, it } from 'vitest'
import { openSocket, sendRaw, statusesOf } from './raw-http'
import { createUser, type TestUser } from './test-users'
import { formType } from './uploads'

/** Bodies that do not arrive, with the limits of the real server: ten seconds without progress, and a minute for an upload. */

let person: TestUser
beforeAll(async () => {
  person = await createUser({ name: 'slow' })
})

const head = (path: string) =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: gpuq.test',
    `Authorization: Bearer ${person.token}`,
    `Content-Type: ${formType}`,
    'Content-Length: 100000',
    '',
    '',
  ].join('\r\n')

it.each(['/api/submit?wait=false', '/api/auth/callback/credentials'])(
  'a body of %s that stalls is closed',
  async (path) => {
    const text = await sendRaw(`${head(path)}--`)
    expect(statusesOf(text)).toEqual([408])
    expect(text).toContain('made no progress for 10 seconds')
  },
)

it('an upload that goes on without an end is closed', async () => {
  const socket = await openSocket()
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
    if (text.includes('}')) socket.destroy()
  })
  socket.on('error', () => {})
  const timer = setInterval(() => socket.write('--'), 1000)
  socket.write(head('/api/submit?wait=false'))
  await once(socket, 'close')
  clearInterval(timer)
  expect(statusesOf(text)).toEqual([408])
  expect(text).toContain('did not arrive within 60 seconds')
})
