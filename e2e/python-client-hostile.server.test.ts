import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { serve } from '@/cli/testing/serve'
import { startPython } from './run-python'

/** The Python client and a server that is hostile to the machine of its user. */

let root: string
let home: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-hostile-python-'))
  home = join(root, 'home')
  for (const name of ['home', 'outside']) await mkdir(join(root, name))
  await copyFile('cli/python/gpuq.py', join(home, 'gpuq.py'))
})
// Node's rm cannot remove a path that is longer than the system takes.
afterEach(() => promisify(execFile)('rm', ['-r', root]))

const jobId = '0190a3b4-0000-7000-8000-000000000001'
const idOf = (index: number) => `0190a3b4-0000-7000-8000-${String(index).padStart(12, '0')}`
const attack = 'x\u001b]0;title\u0007\u001b]52;c;cm0=\u0007\u009b2J\u202e'
const shown = 'x\\u001b]0;title\\u0007\\u001b]52;c;cm0=\\u0007\\u009b2J\\u202e'

/** A server whose job has written these files; the content of each is its path. */
function serveFiles(paths: string[], changes: object = {}): Promise<string> {
  return serve((request, response) => {
    const index = /artifacts\/[\w-]{24}(\d+)$/.exec(request.url ?? '')?.[1]
    const artifacts = paths.map((path, at) => ({
      artifact_id: idOf(at),
      rank: 0,
      path,
      bytes: Buffer.byteLength(path),
      sha256: createHash('sha256').update(path).digest('hex'),
      ...changes,
    }))
    if (index !== undefined) response.end(paths[Number(index)])
    else if (request.url?.endsWith('/artifacts'))
      response.end(JSON.stringify({ artifacts, files_deleted: null }))
    else response.end(JSON.stringify({ job_id: jobId, status: 'completed', attempt: 1 }))
  })
}

async function run(url: string, program: string) {
  const env = { GPUQ_URL: url, GPUQ_TOKEN: 'gpuq_a_token' }
  const started = await startPython(home, `import gpuq\n${program}`, env)
  const code = await started.ended
  return { code, out: started.out, err: started.err }
}
const download = `gpuq.job("${jobId}").download("into")`
const all = async () =>
  (await readdir(root, { recursive: true })).filter((name) => !/\.py|__pycache__/.test(name))

it('a path of a job becomes a path below the directory', async () => {
  const { code, err } = await run(await serveFiles(['../../../outside/x', '/etc/x', 'a/b']), download)
  expect([code, err.match(/ is saved as /g)?.length]).toEqual([0, 2])
  expect(await readdir(join(root, 'outside'))).toEqual([])
  expect(await readFile(join(home, 'into', 'a', 'b'), 'utf8')).toBe('a/b')
  expect((await readdir(join(home, 'into'))).toSorted()).toEqual(['_', 'a'])
})

it('no directory is created behind a link', async () => {
  await mkdir(join(home, 'into'))
  await symlink(join(root, 'outside'), join(home, 'into', 'a'))
  const { code, err } = await run(await serveFiles(['a/b/c']), download)
  expect([code, err]).toEqual([1, expect.stringContaining('is a link')])
  expect(await readdir(join(root, 'outside'))).toEqual([])
})

it('each file that cannot be saved is named, and the others are saved', async () => {
  await mkdir(join(home, 'into', 'model'), { recursive: true })
  const long = Array.from({ length: 60 }, () => 'x'.repeat(80)).join('/')
  const names = ['aux.log', 'v1.', 'epoch:3', 'A', 'a', 'caf\ufffd', '😀'.repeat(80), 'last']
  const { code, err } = await run(await serveFiles(['model', long, ...names]), download)
  expect(code).toBe(1)
  expect(err).toContain(
    "These files are not saved. Download them from the job's page:\n  model: Is a directory.\n",
  )
  expect(err).toContain(`${long}: File name too long.`)
  expect(err).toMatch(/ is saved as caf_, because this system cannot hold its name here\./)
  expect(err.match(/ is saved as /g)).toHaveLength(2)
  const saved = ['aux.log', 'v1.', 'epoch:3', 'A', 'a', 'caf_', 'last', '😀'.repeat(60)]
  expect((await readdir(join(home, 'into'))).toSorted()).toEqual(
    [...saved, 'model', 'x'.repeat(80)].toSorted(),
  )
})

it('no file of the user is removed to save a download', async () => {
  await mkdir(join(home, 'into'))
  await writeFile(join(home, 'into', 'model.part'), 'mine')
  expect((await run(await serveFiles(['model']), download)).code).toBe(0)
  expect((await readdir(join(home, 'into'))).toSorted()).toEqual(['model', 'model.part'])
  expect(await readFile(join(home, 'into', 'model.part'), 'utf8')).toBe('mine')
})

it('what would change the rules or the hooks of the user is not saved, with a warning', async () => {
  const kept = ['.gpuqignore', 'a/.GitIgnore', '.git/hooks/pre-commit', '.gpuq\ufe0fignore', 'GPUQIG~1']
  const { code, err } = await run(await serveFiles([...kept, 'model']), download)
  expect(code).toBe(0)
  expect(err.match(/ is not saved: /g)).toHaveLength(kept.length)
  expect(await readdir(join(home, 'into'))).toEqual(['model'])
})

it.each(['../../x', '/etc', '', 7, 'a b'])('the id %j of a hostile server is refused', async (id) => {
  const before = await all()
  const url = await serve((_, response) => {
    response.end(JSON.stringify({ job_id: id, status: 'completed', attempt: 1 }))
  })
  const of = await run(url, `gpuq.submit(command="true")`)
  expect([of.code, of.err]).toEqual([1, expect.stringContaining('not a UUID')])
  const artifact = await run(await serveFiles(['model'], { artifact_id: id }), download)
  expect([artifact.code, artifact.err]).toEqual([1, expect.stringContaining('not a UUID')])
  expect((await all()).filter((name) => name !== 'home/into')).toEqual(before)
})

it('the token and the upload stay with the server if it redirects to another one', async () => {
  const received: unknown[] = []
  const other = await serve((request, response) => {
    received.push(request.headers.authorization)
    response.end('{}')
  })
  const url = await serve((_, response) => {
    response.writeHead(307, { location: `${other}/elsewhere` }).end()
  })
  const { code, err } = await run(url, `gpuq.submit(command="true")`)
  expect([code, err]).toEqual([1, expect.stringContaining(`redirects to ${other}`)])
  expect(received).toEqual([])
})

it('a redirect to another path of the server says that the address is wrong', async () => {
  const url = await serve((_, response) => {
    response.writeHead(302, { location: '/login' }).end()
  })
  const { code, err } = await run(url, `gpuq.job("${jobId}")`)
  expect([code, err]).toEqual([1, expect.stringContaining('redirects to /login, so this is not the address')])
})

it('the address of a page or of the API is refused with the one to use', async () => {
  const url = await serve((request, response) => {
    const isApi = request.url?.startsWith('/api/')
    const problem = { code: 'not_found', detail: `No operation has the path ${request.url}.` }
    response.writeHead(404).end(isApi ? JSON.stringify(problem) : '<html>')
  })
  for (const [path, use] of [
    ['/jobs', url],
    ['/api/submit/', url],
    ['/gpuq/groups', `${url}/gpuq`],
  ]) {
    const { code, err } = await run(`${url}${path}`, `gpuq.job("${jobId}")`)
    expect([code, err]).toEqual([1, expect.stringContaining(`if it has one. Use ${use}.`)])
  }
})

it('an error of the server cannot control the terminal that shows it, and visible() makes a line safe', async () => {
  const url = await serve((_, response) => {
    response.writeHead(400).end(JSON.stringify({ detail: attack, code: 'conflict', errors: [] }))
  })
  const { code, err } = await run(url, `gpuq.job("${jobId}")`)
  expect([code, err]).toEqual([1, expect.stringContaining(shown)])
  for (const mark of ['\u001b', '\u009b', '\u202e']) expect(err).not.toContain(mark)
  const cases = await readFile('lib/contract/text/visible-output-cases.json', 'utf8')
  await writeFile(join(home, 'cases.json'), cases)
  const read = `import json, pathlib\ncases = json.loads(pathlib.Path("cases.json").read_text("utf-8"))`
  const checked = await run(
    url,
    `${read}\nfor text, shown in cases:\n    assert gpuq.visible(text) == shown, text`,
  )
  expect([checked.code, checked.err]).toEqual([0, ''])
})
