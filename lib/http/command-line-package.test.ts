import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

let root: string
let answer: (headers?: Record<string, string>) => Promise<Response>
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-package-'))
  await mkdir(join(root, 'dist'))
  // As in a server that has just started.
  vi.resetModules()
  const { answerCommandLine } = await import('./command-line-package')
  answer = (headers = {}) => answerCommandLine(new Request('http://gpu.lab/gpuq.tgz', { headers }), root)
})
afterEach(() => rm(root, { recursive: true, force: true }))

const pack = (content: string) => writeFile(join(root, 'dist', 'gpuq.tgz'), content)

it('is the whole file, to be asked for again each time', async () => {
  await pack('packed')
  const response = await answer()
  expect(response.status).toBe(200)
  expect(await response.text()).toBe('packed')
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/gzip',
    'cache-control': 'public, no-cache',
  })
})

it('is not sent again to who has it, and is to who has another', async () => {
  await pack('packed')
  const etag = (await answer()).headers.get('etag') ?? ''
  for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const response = await answer({ 'if-none-match': tag })
    expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([304, '', etag])
  }
  expect((await answer({ 'if-none-match': '"other"' })).status).toBe(200)
})

it('says what to do where there is none, and is there once there is one', async () => {
  await expect(answer()).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('npm run build'),
  })
  await pack('packed')
  expect((await answer()).status).toBe(200)
})
