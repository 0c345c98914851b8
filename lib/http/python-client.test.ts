import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const { answerPythonClient } = await import('./python-client')
const { groupConfigSchema } = await import('../groups/contract')

const ask = (headers: Record<string, string> = {}) =>
  answerPythonClient(new Request('http://127.0.0.1:8001/gpuq.py', { headers }), process.cwd())
const at = (host: string) => ({ 'x-forwarded-host': host, 'x-forwarded-proto': 'https' })

it('the Python client has the requested address as its default server', async () => {
  const response = await ask(at('gpu.lab:8443'))
  expect(response.status).toBe(200)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/x-python; charset=utf-8',
    'content-disposition': 'attachment; filename="gpuq.py"',
    'cache-control': 'public, no-cache',
  })
  const text = await response.text()
  expect(text.match(/^DEFAULT_SERVER = .*$/gm)).toEqual(['DEFAULT_SERVER = "https://gpu.lab:8443"'])
  expect(text).toContain('def submit(')
})

it('the Python client is not sent again to a client that has it from this address', async () => {
  const etag = (await ask(at('gpu.lab'))).headers.get('etag') ?? ''
  expect((await ask({ ...at('gpu.lab'), 'if-none-match': etag })).status).toBe(304)
  expect((await ask({ ...at('other.lab'), 'if-none-match': etag })).status).toBe(200)
})

it('a host cannot add code to the Python client', async () => {
  const text = await (await ask(at('x";import_os'))).text()
  const [line = ''] = text.match(/^DEFAULT_SERVER = .*$/m) ?? []
  expect(typeof JSON.parse(line.replace('DEFAULT_SERVER = ', ''))).toBe('string')
})

it('the Python client takes each config key with lists or mappings as a key, never as a parameter of a sweep', async () => {
  const [, listed = ''] = /^_LIST_KEYS = frozenset\(\s*\(([^)]*)\)/m.exec(await (await ask()).text()) ?? []
  const structured = Object.entries(groupConfigSchema.shape)
    .filter(([, schema]) => {
      const { example } = schema.meta() ?? {}
      return typeof example === 'object' || [[], [0], {}].some((value) => schema.safeParse(value).success)
    })
    .map(([name]) => name)
  // It has an argument of its own.
  const keys = structured.filter((name) => name !== 'matrix')
  expect([...listed.matchAll(/"(\w+)"/g)].map(([, name]) => name)).toEqual(keys.sort())
})

it('the table of a group of the Python client has no formula in its head, and NaN only if the server said so', () => {
  const program = `
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import gpuq
member = {"index": 0, "parameters": {"lr": 0.1}, "repeat": 0, "status": "completed", "started_at": None, "ended_at": None,
          "job_id": "j", "metrics": {"=cmd()": 1, "loss": -0.5}}
class Server:
    def pages(self, *_):
        return [member, {**member, "metrics": {}, "not_finite": ["loss"]}]
group = gpuq.Group(Server(), {"group_id": "01a22161-fe18-7792-9436-000000000000", "members": 2})
group.to_csv(sys.argv[2])
`
  const directory = mkdtempSync(join(tmpdir(), 'gpuq-table-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const path = join(directory, 'table.csv')
  execFileSync('python3', ['-S', '-W', 'error', '-c', program, resolve('cli/python'), path])
  expect(readFileSync(path, 'utf8').split('\r\n')).toEqual([
    "member,lr,repeat,status,'=cmd(),loss,run_seconds,job_id",
    '0,0.1,0,completed,1,-0.5,,j',
    '0,0.1,0,completed,,NaN,,j',
    '',
  ])
})
