import { globSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { makePerson, makeToken } from '@/lib/access/testing/people'
import { makeJob } from '@/lib/cluster/testing/rows'
import { testDatabase } from '@/lib/database/testing/test-database'
import { type Feature, features } from '@/lib/features'
import { readSample } from '@/lib/jobs/read/sample'
import { root } from '../../run/settings.mjs'
import { leaveOut } from './leave-out'

/** Leaves each feature out of the files that register features, and runs the sample job without it. */

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

const names = Object.keys(features)
const programs = ['lib', 'worker', 'cli']
const isTest = (path: string) => /\.test\.ts$|\/testing\//.test(path)

const codeBelow = (folder: string) =>
  programs
    .flatMap((program) => globSync(join(program, folder, '**/*.ts'), { cwd: root }))
    .filter((path) => !isTest(path))

/** A feature, and those that use it. */
function withDependents(name: string): string[] {
  const dependents = Object.entries<Feature>(features)
    .filter(([, { uses = [] }]) => uses.includes(name))
    .flatMap(([dependent]) => withDependents(dependent))
  return [name, ...dependents]
}

/** The files outside features that may import one, by the import rules. */
const { forbidden }: { forbidden: readonly { name: string; from: { pathNot?: string } }[] } = createRequire(
  import.meta.url,
)(join(root, '.dependency-cruiser.cjs'))
const rule = forbidden.find(({ name }) => name === 'kernel-imports-no-feature')
const mayRegister = new RegExp(rule?.from.pathNot ?? 'no such rule')
/** Those files, with their texts. */
const registrations = new Map<string, string>()
/** Where the copies of these files are that lack a feature. */
let copies = ''
let sample = { code: '', config: '' }
let token = ''

beforeAll(async () => {
  const ofFeatures = new Set(names.flatMap(codeBelow))
  for (const path of codeBelow('.'))
    if (mayRegister.test(path) && !ofFeatures.has(path))
      registrations.set(path, await readFile(join(root, path), 'utf8'))
  expect([...registrations.keys()]).toContain('lib/routes/routes.ts')
  await mkdir(join(root, 'test-results'), { recursive: true })
  copies = await mkdtemp(join(root, 'test-results', 'features-'))

  const { code, config } = await readSample(root)
  sample = { code: code ?? '', config }
  token = (await makeToken(await makePerson('admin'), ['admin'])).token
  // The first job creates an environment.
  await db.pool.query('DELETE FROM jobs WHERE id = $1', [await makeJob()])
})
afterAll(() => rm(copies, { recursive: true }))
afterEach(() => {
  for (const path of [...names.flatMap(codeBelow), ...registrations.keys()]) vi.doUnmock(join(root, path))
})

/** From now on no module of these features can be loaded, and no other file names them. */
async function loadWithout(left: readonly string[]): Promise<void> {
  for (const path of left.flatMap(codeBelow))
    vi.doMock(join(root, path), () => {
      throw new Error(`${path} is needed, and belongs to a feature that is left out.`)
    })
  const folder = await mkdtemp(join(copies, 'without-'))
  const isLeftOut = new RegExp(`^(${programs.join('|')})/(${left.join('|')})/`)
  for (const [path, text] of registrations) {
    const without = leaveOut(text, (specifier) => {
      const module = specifier.startsWith('.') ? `@/${join(dirname(path), specifier)}` : specifier
      return isLeftOut.test(module.replace('@/', '')) ? null : module
    })
    const copy = join(folder, path.replaceAll('/', '-').replace(/\.ts$/, '.js'))
    await writeFile(copy, without)
    vi.doMock(join(root, path), () => import(copy))
  }
  vi.resetModules()
}

it.each([
  ...names.map((name) => ({ what: name, left: withDependents(name) })),
  { what: 'any feature', left: names },
])('without $what, the sample job runs, and its result and all lists are read', async ({ left }) => {
  await loadWithout(left)
  const { FakeLab } = await import('@/worker/testing/fake-lab')
  const { createClient } = await import('@/lib/http/client/client')
  const { answerApi } = await import('@/lib/http/server/answer-api')
  const { allOperations } = await import('@/lib/contract/operations/operations')
  const { apiRoutes } = await import('@/lib/routes/routes')
  const { createProgram } = await import('@/cli/program')

  const lab = await FakeLab.open(db.url)
  lab.engine.scripts.set(sample.code, async ({ print }) => {
    await print('{"slope": 3}\n')
    return 0
  })
  const worker = lab.startWorker({ node: 'a' })
  // The next lab has this node too.
  onTestFinished(async () => {
    worker.drain()
    expect(await worker.ended()).toBeNull()
  })
  const baseUrl = 'http://localhost:8001'
  const serve: typeof fetch = (input, init) =>
    lab.inDatabase(() => answerApi(apiRoutes, new Request(String(input), init)))
  const client = createClient({ baseUrl, token, fetch: serve })

  const { job_id: id } = await client.jobs.submit(sample)
  await lab.jobs.untilFinal(id)
  await lab.jobs.file(id)
  expect(await client.jobs.get(id)).toMatchObject({ name: 'Sample job', status: 'completed' })
  expect(await client.jobs.result(id)).toMatchObject({ stdout: '{"slope": 3}\n' })

  const headers = { authorization: `Bearer ${token}` }
  const lists = allOperations.filter(
    ({ method, path, responses }) => method === 'get' && !path.includes('{') && responses[200]?.item,
  )
  expect(lists.map(({ path }) => path)).toContain('/api/jobs')
  for (const { path } of lists)
    expect(await serve(baseUrl + path, { headers }), path).toMatchObject({ status: 200 })
  expect(createProgram().commands.map((command) => command.name())).toContain('submit')
})
