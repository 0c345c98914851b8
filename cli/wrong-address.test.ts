import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ProblemError } from '@/lib/http/client/problem'
import { describeError } from './console/describe-error'
import { explainWrongAddress, ownSegments } from './wrong-address'

const page = new ProblemError({
  status: 404,
  code: 'unexpected',
  detail: 'The server answered 404 Not Found.',
})
const noOperation = new ProblemError({
  status: 404,
  code: 'not_found',
  detail: 'No operation has the path /api/api/jobs. /api/openapi.json lists all operations.',
})

const noMethod = new ProblemError({
  status: 405,
  code: 'method_not_allowed',
  detail: 'POST is not possible here. Use one of GET, HEAD.',
})

it.each([
  ['http://gpu:8001/submit', noMethod, "one of gpuq's pages", 'http://gpu:8001'],
  ['http://gpu:8001/jobs', page, "one of gpuq's pages", 'http://gpu:8001'],
  ['http://gpu:8001/jobs/0190a3b4', page, "one of gpuq's pages", 'http://gpu:8001'],
  ['https://lab.org/gpuq/groups', page, "one of gpuq's pages", 'https://lab.org/gpuq'],
  ['http://gpu:8001/api', noOperation, "gpuq's API", 'http://gpu:8001'],
  ['http://gpu:8001/api/submit', noOperation, "gpuq's API", 'http://gpu:8001'],
])(
  'the address %s is that of a page or of the API, and the error says which to use',
  (server, error, kind, use) => {
    expect(describeError(error, server).text).toBe(
      `gpuq: ${server} is not the address of a gpuq server, but of ${kind}. An address has only scheme, host and port, and the path below which gpuq is, if it has one. Use ${use}.\n`,
    )
  },
)

it('another path that is not that of gpuq is named, too', () => {
  expect(explainWrongAddress(page, 'http://gpu:8001/foo')).toBe(
    'http://gpu:8001/foo is not the address of a gpuq server. An address has only scheme, host and port, and the path below which gpuq is, if it has one.',
  )
})

it.each([
  ['without a path', 'http://gpu:8001', page],
  [
    'whose gateway does not answer',
    'http://gpu:8001/jobs',
    new ProblemError({ status: 502, code: 'unexpected', detail: 'x' }),
  ],
  [
    'that has no such job',
    'http://gpu:8001/jobs',
    new ProblemError({ status: 404, code: 'not_found', detail: 'You have no job.' }),
  ],
])('an address is not blamed for the error of a server %s', (_, server, error) => {
  expect(explainWrongAddress(error, server)).toBeNull()
})

it('the known paths are those of the pages and of the API', () => {
  const app = join(import.meta.dirname, '../app')
  const directories = [app, join(app, '(site)')].flatMap((directory) =>
    readdirSync(directory, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [entry.name] : [],
    ),
  )
  const pages = directories.filter((name) => !name.startsWith('(') && name !== 'fonts')
  expect([...ownSegments]).toEqual(pages.toSorted())
})

it('the Python client knows the same paths', () => {
  const source = readFileSync(join(import.meta.dirname, 'python/gpuq.py'), 'utf8')
  const [, listed = ''] = /^_OWN_SEGMENTS = \(([^)]*)\)/m.exec(source) ?? []
  expect([...listed.matchAll(/"([\w-]+)"/g)].map(([, name]) => name)).toEqual([...ownSegments])
})
