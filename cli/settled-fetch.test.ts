import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const program = `
  import { settledFetch } from './cli/settled-fetch.ts'
  const read = async () => (await settledFetch(process.argv[1])).text()
  console.log(await read().catch(() => 'failed'), await read())
`

// A process of its own, because the test's process always has something to wait for.
it('a request whose connection is closed before it is sent fails, and the next one succeeds', async () => {
  let connections = 0
  const server = createServer((_, response) => response.end('answered'))
  server.on('connection', (socket) => {
    if (connections++ === 0) socket.destroy()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const args = ['--import', 'tsx', '--input-type=module', '--eval', program, url]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    expect(stdout).toBe('failed answered\n')
  } finally {
    server.close()
  }
})
