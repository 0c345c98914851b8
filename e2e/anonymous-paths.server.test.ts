import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { allOperations } from '@/lib/contract/operations/operations'
import { call } from './http-call'
import { createUser, noLimits } from './test-users'
import { configText, submit } from './uploads'

/** What a client without a login can reach, of all that the web server has. */

const root = join(import.meta.dirname, '..')
const build = join(root, '.next')
/** The value of each parameter of a path. */
const neverWas = '01920000-0000-7000-8000-000000000000'

/** Reachable without a login. A link with a token is a secret of its own, and the one tried here never existed. */
const reachable = [
  '/_next/static/…',
  '/api/auth/csrf',
  '/api/auth/providers',
  '/api/auth/session',
  // Lists only public competitions.
  '/api/competitions',
  '/api/openapi.json',
  // The documentation is public.
  '/docs',
  '/docs/api',
  '/docs/search',
  '/favicon.ico',
  '/gpuq.py',
  '/gpuq.tgz',
  '/healthz',
  '/icon.svg',
  // These say only that the link is not valid.
  `/invitations/${neverWas}`,
  `/join/${neverWas}`,
  // How agents use the queue: without a login only what the documentation says.
  '/llms.txt',
  '/readyz',
  '/sign-in',
  '/skill.md',
]

/** The addresses of what Next.js has by default, and of files that a build leaves. */
const framework = [
  '/_next/image?url=%2Ficon.svg&w=64&q=75',
  '/_next/image?url=http%3A%2F%2F127.0.0.1%2F&w=64&q=75',
  '/%5Fnext/image?url=%2Ficon.svg&w=64&q=75',
  '//_next/image?url=%2Ficon.svg&w=64&q=75',
  '/_next/webpack-hmr',
  '/_next/mcp',
  '/_next/server/middleware-manifest.json',
  '/_next/BUILD_ID',
  '/_next/trace',
  '/_next/cache/x',
  '/__nextjs_original-stack-frame',
  '/__nextjs_source-map',
  '/__nextjs_font/geist-latin.woff2',
  '/_error',
  '/_document',
  '/404',
  '/500',
  '/index',
  '/sitemap.xml',
  '/robots.txt',
  '/manifest.webmanifest',
  '/.well-known/appspecific/com.chrome.devtools.json',
]

const signInPaths = ['csrf', 'error', 'providers', 'session', 'signin', 'signout', 'verify-request']

/** Every page, route and file, as the path of a request. */
async function allPaths(): Promise<string[]> {
  const routes: Record<string, string> = JSON.parse(
    await readFile(join(build, 'app-path-routes-manifest.json'), 'utf8'),
  )
  const buildId = await readFile(join(build, 'BUILD_ID'), 'utf8')
  const pages = Object.values(routes).map((path) => path.replaceAll(/\[[^\]]+\]/g, neverWas))
  const operations = allOperations.map(({ path }) => path.replaceAll(/\{\w+\}/g, neverWas))
  const files = async (directory: string, prefix: string) => {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => prefix + join(entry.parentPath, entry.name).slice(directory.length + 1))
  }
  return [
    ...pages,
    ...pages.map((path) => `/_next/data/${buildId}${path}.json`),
    ...pages.map((path) => `${path}?_rsc=1`),
    ...operations,
    ...signInPaths.map((path) => `/api/auth/${path}`),
    ...framework,
    ...(await files(join(root, 'public'), '/')),
    ...(await files(join(build, 'static'), '/_next/static/')),
  ]
}

/** The files that the server keeps beside its data. */
async function cached(): Promise<string[]> {
  const entries = await readdir(join(build, 'cache'), { recursive: true }).catch(() => [])
  return entries.filter((name) => /^(?:images|fetch-cache)(?:\/|$)/.test(name))
}

it('a client without a login reaches only the pages and files that are listed here', async () => {
  const found = new Set<string>()
  for (const path of new Set(await allPaths())) {
    const { status } = await call(path, { headers: { 'accept-encoding': 'gzip' } })
    expect(status, path).toBeLessThan(500)
    if (status === 200)
      found.add(path.replace(/\?_rsc=1$/, '').replace(/^\/_next\/static\/.*/, '/_next/static/…'))
    if (status === 200 && path.startsWith('/_next/static/')) expect(path).toMatch(/\.(?:js|css|svg|woff2)$/)
  }
  expect([...found].sort()).toEqual(reachable)
})

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

it('the holder of a read-only link reaches only what is listed here, and changes nothing', async () => {
  const owner = await createUser({ name: 'owner', limits: noLimits })
  const program = 'open("/results/a.txt", "w").write("a")\nprint(1)'
  const id = await submit(owner, program, configText(), { wait: true })
  const link = await owner.client.shares.create(id, { files: true, source: true })
  const [file] = (await owner.client.jobs.artifacts(id)).artifacts
  const values: Record<string, string> = {
    id,
    token: new URL(link.url).pathname.split('/').at(-1) ?? '',
    shareId: link.id,
    artifactId: file?.artifact_id ?? '',
  }
  const found = new Set<string>()
  for (const template of new Set(['/shared/{token}', ...allOperations.map(({ path }) => path)])) {
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? neverWas)
    for (const method of methods) {
      // Next.js answers any method with a page.
      if (method !== 'GET' && template === '/shared/{token}') continue
      const { status } = await call(`${path}?names=loss`, { method })
      expect(status, `${method} ${path}`).toBeLessThan(500)
      if (status < 300) found.add(`${method} ${template}`)
    }
  }
  expect([...found].sort()).toEqual([
    'GET /api/competitions',
    'GET /api/openapi.json',
    'GET /api/shared/{token}/artifacts',
    'GET /api/shared/{token}/artifacts.tar',
    'GET /api/shared/{token}/artifacts/{artifactId}',
    'GET /api/shared/{token}/artifacts/{artifactId}/preview',
    'GET /api/shared/{token}/events',
    'GET /api/shared/{token}/metrics',
    'GET /api/shared/{token}/metrics.csv',
    'GET /api/shared/{token}/output',
    'GET /gpuq.py',
    'GET /gpuq.tgz',
    'GET /healthz',
    'GET /llms.txt',
    'GET /readyz',
    'GET /shared/{token}',
    'GET /skill.md',
  ])
})

it('no path of the framework makes the server write to its disk', async () => {
  const before = await cached()
  for (const path of framework) {
    const { status } = await call(path)
    expect(status, path).toSatisfy((code: number) => code === 404 || code === 308)
  }
  expect(await cached()).toEqual(before)
})
