import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CountingProxy } from './counting-proxy'
import { openBarrier, waitAtBarrier } from './program-barrier'
import { type Ended, runCli } from './run-cli'
import { theSystem } from './system/the-system'
import { createUser, noLimits, type TestUser } from './test-users'
import { configText, longRunning, submit } from './uploads'

/** Uploads directories with the built `gpuq` through a proxy that counts the bytes. */

const MiB = 1024 * 1024
/** Half of the memory is for the files. */
const small = ['--gpus', '0', '--cpu', '0.5', '--memory', '0.25', '--expected-time', '60']

let home: string
let person: TestUser
let proxy: CountingProxy

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gpuq-run-'))
  person = await createUser({ name: 'uploader', limits: noLimits })
  proxy = await CountingProxy.open(theSystem().url)
})
afterAll(async () => {
  proxy.close()
  await rm(home, { recursive: true, force: true })
})

const gpuq = (args: string[], cwd = home): Promise<Ended> =>
  runCli(args, { home, cwd, env: { GPUQ_SERVER: proxy.url, GPUQ_TOKEN: person.token } })

async function directory(files: Record<string, string | Buffer>): Promise<string> {
  const root = await mkdtemp(join(home, 'dir-'))
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(root, dirname(path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  return root
}

it('run uploads the files that git would include, runs the command in a copy, and returns immediately', async () => {
  const dir = await directory({
    '.gitignore': '*.ckpt\nout/\n',
    'train.sh':
      '#!/bin/sh\nfind . -type f -o -type l | sort; echo "$GPUQ_RUN_NAME $1"; echo new > state; cat latest\n',
    'data/labels.txt': 'labels\n',
    'data/.gitignore': '*.bin\n!keep.bin\n',
    'data/raw.bin': 'raw',
    'data/keep.bin': 'kept',
    'model.ckpt': 'large',
    'out/log': 'old',
  })
  await chmod(join(dir, 'train.sh'), 0o755)
  await symlink('data/labels.txt', join(dir, 'latest'))
  const started = await gpuq([
    'run',
    '--run-name',
    'base',
    '--command',
    './train.sh "two words"',
    ...small,
    dir,
  ])
  expect(started).toMatchObject({ code: 0, out: expect.stringMatching(/^[0-9a-f-]{36}\n$/) })
  const id = started.out.trim()
  for (const address of [`/jobs/${id}`, `gpuq logs -f ${id}`, `/api/results/${id}?format=jsonl`])
    expect(started.err).toContain(address)
  expect(await gpuq(['logs', '-f', id])).toEqual({
    code: 0,
    err: '',
    out: [
      './.gitignore',
      './data/.gitignore',
      './data/keep.bin',
      './data/labels.txt',
      './latest',
      './train.sh',
      'base two words',
      'labels\n',
    ].join('\n'),
  })
  expect(await person.client.jobs.get(id)).toMatchObject({ run_name: 'base', archive: { files: 6 } })
})

it('unchanged content is not sent again, under any name', async () => {
  const large = randomBytes(12 * MiB)
  const dir = await directory({ large, 'a.txt': 'a', ...many(300) })
  const run = (...more: string[]) =>
    gpuq(['run', '--project', 'count', '--command', 'ls | wc -l', ...small, ...more, dir])
  const first = await proxy.count(async () => {
    const ended = await run('--wait')
    expect(ended).toMatchObject({ code: 0, out: '302\n' })
  })
  expect(first).toBeGreaterThan(12 * MiB)
  expect(first).toBeLessThan(13.5 * MiB)
  const second = await proxy.count(async () => {
    expect((await run()).err).toContain('already on the server, nothing sent')
  })
  expect(second).toBeLessThan(0.2 * MiB)
  await writeFile(join(dir, 'a.txt'), 'changed')
  await writeFile(join(dir, 'copy of large'), large)
  const third = await proxy.count(async () => {
    expect((await run()).err).toContain('sent 7 B')
  })
  expect(third).toBeLessThan(0.3 * MiB)
})

it('after a broken connection, only the interrupted request is sent again', async () => {
  const dir = await directory({ ...many(200, 40_000) })
  proxy.cutAfter = 5 * MiB
  const { cuts } = proxy
  const ended = await gpuq(['run', '--command', 'ls | wc -l', '--wait', ...small, dir])
  expect(ended).toMatchObject({ code: 0, out: '200\n' })
  expect(proxy.cuts).toBe(cuts + 1)
  expect(ended.err).toContain('Retrying.')
})

it('wait and logs -f continue after broken connections', async () => {
  const code = `print("before", flush=True)\n${waitAtBarrier}\nprint("after")`
  const id = await submit(person, code, configText(longRunning))
  await expect.poll(async () => (await person.client.jobs.get(id)).status).toBe('running')
  const following = [gpuq(['logs', '-f', id]), gpuq(['wait', id])] as const
  for (let count = 0; count < 3; count++) {
    const { sentBytes } = proxy
    await expect.poll(() => proxy.sentBytes).toBeGreaterThan(sentBytes)
    proxy.cut()
  }
  await openBarrier(id)
  const [log, waited] = await Promise.all(following)
  expect(log).toEqual({ code: 0, err: '', out: 'before\nafter\n' })
  expect(waited).toMatchObject({ code: 0, err: '', out: expect.stringContaining(`${id} completed`) })
})

it('the name of an active run is rejected, and the error names its job', async () => {
  const dir = await directory({ a: '' })
  const long = ['--run-name', 'long', '--command', 'sleep 3600', ...small, '--expected-time', '1h']
  const run = () => gpuq(['run', ...long, '-q', dir])
  const { out } = await run()
  const id = out.trim()
  try {
    const refused = await run()
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(refused.err).toContain(`"long"`)
    expect(refused.err).toContain(id)
  } finally {
    await gpuq(['cancel', id])
  }
})

it('submit --with-dir includes the modules and data next to the program', async () => {
  const dir = await directory({
    'train.py':
      'import sys\nfrom pathlib import Path\nfrom helper import word\nprint(word, (Path(__file__).parent / "data.txt").read_text(), sys.argv[1:])\n',
    'helper.py': 'word = "hello"\n',
    'data.txt': 'world',
    'config.yaml': `competition_id: c\nproject_id: beside\nexpected_time: 60\ngpu_count: 0\nmemory_gb: 0.25\nargs: "--x 1"\n`,
  })
  const path = join(dir, 'train.py')
  const expected = { code: 0, err: '', out: "hello world ['--x', '1']\n" }
  expect(await gpuq(['submit', path, join(dir, 'config.yaml'), '--with-dir', '-q'])).toEqual(expected)
  expect(await gpuq(['submit', path, '--with-dir', '-q', '--args', '--x 1', ...small])).toEqual(expected)
})

it('submit of a directory runs its main.py, or the file that --entrypoint names', async () => {
  const dir = await directory({
    'main.py': 'from src.helper import word\nprint("main", word)\n',
    'src/helper.py': 'word = "hello"\n',
    'src/train.py': 'from helper import word\nprint("train", word)\n',
    'run.sh': 'echo not this one\n',
  })
  expect(await gpuq(['submit', '-q', ...small, '.'], dir)).toEqual({ code: 0, err: '', out: 'main hello\n' })
  const named = await gpuq(['submit', '-q', ...small, '--entrypoint', 'src/train.py', dir])
  expect(named).toEqual({ code: 0, err: '', out: 'train hello\n' })
  const none = await gpuq(['submit', '-q', ...small, join(dir, 'src')])
  expect(none).toMatchObject({ code: 1, out: '' })
  expect(none.err).toContain('It has helper.py, train.py')
})

it('a submission whose answer is lost is repeated, and is one job', async () => {
  const dir = await directory({ 'once.py': 'print(1)\n' })
  const { cuts } = proxy
  proxy.lostAnswers = 2
  const path = join(dir, 'once.py')
  const ended = await gpuq(['submit', path, '--no-wait', '--project', 'once', ...small])
  expect(ended).toMatchObject({ code: 0, err: expect.stringContaining('Retrying.') })
  expect(proxy.cuts).toBe(cuts + 2)
  const { items } = await person.client.jobs.list({ project_id: 'once' })
  expect(items.map(({ job_id }) => job_id)).toEqual([ended.out.trim()])
})

it('run --with-dir runs the given command, add --with-dir a script', async () => {
  const dir = await directory({
    'train.py': 'import sys\nfrom helper import word\nprint(word, sys.argv[1:])\n',
    'helper.py': 'word = "hello"\n',
  })
  expect(await gpuq(['run', '--with-dir', '-q', ...small, '--', 'python', 'train.py', 'a b'], dir)).toEqual({
    code: 0,
    err: '',
    out: "hello ['a b']\n",
  })
  const added = await gpuq(['add', 'train.py', '--with-dir', '--args=--epochs 1'], dir)
  expect(added.code).toBe(0)
  expect(await gpuq(['logs', '-f', added.out.trim()])).toMatchObject({
    code: 0,
    out: "hello ['--epochs', '1', '--cuda', '0']\n",
  })
})

it('paths that cannot be uploaded are listed, and options after the directory are rejected', async () => {
  const dir = await directory({ a: '' })
  await symlink('/etc/passwd', join(dir, 'outside'))
  const refused = await gpuq(['run', '--command', 'ls', ...small, dir])
  expect(refused).toMatchObject({ code: 2, out: '' })
  expect(refused.err).toContain('"outside" → "/etc/passwd" leads to an absolute path')
  const late = await gpuq(['run', dir, '--command', 'ls'])
  expect(late).toMatchObject({ code: 2, out: '' })
  expect(late.err).toContain('before the directory')
  expect((await gpuq(['run', '--nodes', '2', '--', 'ls'])).err).toContain('--command')
})

function many(count: number, bytes = 1000): Record<string, Buffer> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, randomBytes(bytes)]))
}
