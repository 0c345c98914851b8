import { execFile } from 'node:child_process'

import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createClient } from '@/lib/http/client/client'
import { sendRequest } from './send-request'
import { serve } from './testing/serve'

const read = { method: 'GET', headers: { accept: 'application/json' } }

describe('sendRequest', () => {
  it('sends method, headers and body, and receives status, headers and JSON', async () => {
    const url = await serve(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      response.writeHead(201, { link: '</next>; rel="next"', 'content-type': 'application/json' })
      response.end(JSON.stringify({ method: request.method, token: request.headers.authorization, body }))
    })
    const headers = { authorization: 'Bearer a', 'content-type': 'application/json' }
    const answer = await sendRequest(`${url}/a`, { method: 'POST', headers, body: '"ü"' })
    expect([answer.ok, answer.status, answer.statusText]).toEqual([true, 201, 'Created'])
    expect(answer.headers.get('Link')).toBe('</next>; rel="next"')
    expect(answer.headers.get('retry-after')).toBeNull()
    expect(await answer.json()).toEqual({ method: 'POST', token: 'Bearer a', body: '"ü"' })
  })

  it('the client turns an error into a problem, and a server that does not answer too', async () => {
    const url = await serve((_, response) => {
      response.writeHead(429, { 'retry-after': '7' }).end('{"detail":"Slow down.","code":"rate_limited"}')
    })
    const client = createClient({ baseUrl: url, token: 'a', send: sendRequest })
    await expect(client.jobs.list()).rejects.toMatchObject({
      status: 429,
      retryAfter: 7,
      code: 'rate_limited',
    })
    const nobody = createClient({ baseUrl: 'http://127.0.0.1:1', token: 'a', send: sendRequest })
    await expect(nobody.jobs.list()).rejects.toMatchObject({ status: 0, code: 'unreachable' })
  })

  it('a token that no header can have is named, instead of the connection', async () => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:1', token: 'a\rb', send: sendRequest })
    await expect(client.jobs.list()).rejects.toMatchObject({ code: 'invalid_request' })
  })

  it('an answer that breaks off is an error', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('{"a":', () => response.destroy())
    })
    await expect(sendRequest(url, read)).rejects.toBeInstanceOf(TypeError)
  })

  it.each([301, 302, 303, 307, 308])(
    'the token and the upload stay with the server if it redirects to another one with status %i',
    async (status) => {
      const received: unknown[] = []
      const other = await serve(async (request, response) => {
        for await (const chunk of request) received.push(String(chunk))
        received.push(request.headers.authorization)
        response.end('{}')
      })
      const url = await serve((_, response) => {
        response.writeHead(status, { location: `${other}/api/elsewhere` }).end()
      })
      const client = createClient({ baseUrl: url, token: 'a-token', send: sendRequest })
      const refused = {
        status,
        code: 'unexpected',
        message: expect.stringContaining(`redirects to ${other}.`),
      }
      await expect(client.jobs.list()).rejects.toMatchObject(refused)
      await expect(client.jobs.submit({ config: 'token: gpuq_secret' })).rejects.toMatchObject(refused)
      await expect(client.jobs.download('an-id', 'text')).rejects.toMatchObject(refused)
      await expect(client.archives.send(Buffer.from('private'), { project_id: 'p' })).rejects.toMatchObject(
        refused,
      )
      expect(received).toEqual([])
    },
  )

  it.each([
    ['//evil.example/x', 'https://evil.example', false],
    ['/login?next=secret', '/login', true],
    ['elsewhere', '/api/elsewhere', true],
    ['javascript:alert(1)', 'alert(1)', true],
    ['https://x;reboot/y', '/y', true],
  ])('a redirect to %s says that it leads to %s', async (location, place, isSame) => {
    const client = createClient({
      baseUrl: 'https://gpu.example',
      token: 'a',
      fetch: async () => new Response(null, { status: 302, headers: { location } }),
    })
    const advice = isSame
      ? ", so this is not the address of gpuq's API. Check the address."
      : `. If this is your server, use that address: gpuq login --server ${place}, or GPUQ_SERVER.`
    await expect(client.jobs.list()).rejects.toThrow(`The server redirects to ${place}${advice}`)
  })

  it('the client of a page has no address, and an answer such as 304 is no redirect', async () => {
    const clientOf = (location: string | null) => {
      const headers = new Headers(location === null ? {} : { location })
      return createClient({ fetch: async () => new Response(null, { status: 304, headers }) })
    }
    await expect(clientOf('/login').jobs.list()).rejects.toThrow('redirects to /login,')
    await expect(clientOf(null).jobs.list()).rejects.toThrow('The server answered 304')
  })

  it('repeats a read on a new connection if the server has closed the old one', async () => {
    const sockets = new Set<unknown>()
    const url = await serve((request, response) => {
      const known = sockets.has(request.socket)
      sockets.add(request.socket)
      if (known) request.socket.destroy()
      else response.end('{}')
    })
    for (let round = 0; round < 2; round++) expect((await sendRequest(url, read)).status).toBe(200)
    expect(sockets.size).toBe(2)
    await expect(sendRequest(url, { ...read, method: 'POST' })).rejects.toBeInstanceOf(TypeError)
  })

  it('ends with the reason of the signal', async () => {
    const controller = new AbortController()
    const url = await serve(() => controller.abort(new Error('enough')))
    await expect(sendRequest(url, { ...read, signal: controller.signal })).rejects.toThrow('enough')
  })

  it('does not load fetch', async () => {
    const url = await serve((_, response) => response.end('{"a":1}'))
    const program = `
      import { sendRequest } from './cli/send-request.ts'
      const answer = await sendRequest(process.argv[1], { method: 'GET', headers: {} })
      console.log(await answer.json(), process.moduleLoadList.filter((name) => /undici/.test(name)))`
    const args = ['--import', 'tsx', '--input-type=module', '--eval', program, url]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    expect(stdout).toBe('{ a: 1 } []\n')
  })
})
