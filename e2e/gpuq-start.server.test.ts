import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { clusterSchema } from '@/lib/contract/cluster/cluster'

/** Tests `gpuq start` in an empty directory, without a login and without a server. */

const program = join(import.meta.dirname, '..', 'dist', 'cli.js')

let home: string
let project: string
let port: number
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gpuq-start-'))
  // Only root may change the directories above it.
  project = await mkdtemp(join(process.getuid?.() === 0 ? '/srv' : homedir(), 'gpuq-project-'))
  await chmod(project, 0o755)
  await writeFile(join(project, 'note.txt'), 'in the directory\n')
  port = await freePort()
})
afterAll(async () => {
  await rm(home, { recursive: true, force: true })
  await rm(project, { recursive: true, force: true })
})

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => (typeof address === 'object' && address ? resolve(address.port) : reject(address)))
    })
  })
}

function gpuq(args: string[]) {
  // The variables of the tests' own system must not reach this one.
  const { PATH = '', DOCKER_HOST } = process.env
  const env = { PATH, HOME: home, NODE_ENV: 'production' as const, GPUQ_NODE_NAME: `node-${port}` }
  const child = spawn(process.execPath, [program, ...args], {
    cwd: home,
    env: DOCKER_HOST ? { ...env, DOCKER_HOST } : env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const seen = {
    text: '',
    child,
    ended: new Promise<number | null>((resolve) => child.once('close', resolve)),
  }
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: Buffer) => {
      seen.text += text
    })
  }
  return seen
}

async function run(...args: string[]): Promise<string> {
  const command = gpuq(args)
  expect(await command.ended, command.text).toBe(0)
  return command.text
}

const start = (...more: string[]) =>
  gpuq(['start', '--gpus', '3', '--port', String(port), '--data-dir', 'data', ...more])
const answers = () =>
  fetch(`http://127.0.0.1:${port}/readyz`)
    .then(({ ok }) => ok)
    .catch(() => false)

it('prepares the system, runs the jobs of the file, stops everything, and continues after a restart', {
  timeout: 600_000,
}, async () => {
  await writeFile(join(home, 'job.py'), 'import sys\nprint("seen", sys.argv[1:])\n')
  await writeFile(join(home, 'jobs.txt'), `0,${home}/job.py,,--seed 1,\n`)
  const first = start()
  await expect.poll(() => first.text, { timeout: 240_000 }).toContain('job.py submitted as job ')
  const config = join(home, '.config', 'gpuq', 'config.json')
  expect((await stat(config)).mode & 0o777).toBe(0o600)
  const { nodes } = clusterSchema.parse(JSON.parse(await run('nodes', '--json')))
  expect(nodes.map(({ gpus }) => gpus.length)).toEqual([3])
  const [, id = ''] = /job\.py submitted as job (\S+)/.exec(first.text) ?? []
  await run('wait', id)
  expect(await run('logs', id)).toBe("seen ['--seed', '1', '--cuda', '0']\n")

  first.child.kill('SIGINT')
  expect(await first.ended).toBe(0)
  expect(await answers()).toBe(false)

  const second = start('--workdir', project)
  await expect.poll(() => second.text, { timeout: 120_000 }).toContain('Watching jobs.txt')
  expect(second.text).toContain('because --workdir is set')
  expect(await run('run', '--quiet', '--', 'cat', 'note.txt')).toBe('in the directory\n')
  const beside = start()
  await expect.poll(() => beside.text).toContain('Using the running gpuq')
  await run('add', 'job.py', '--args', '--seed 2', '--output-file', 'jobs.txt')
  // Without file watching, the file is checked twice per minute.
  await expect.poll(() => second.text + beside.text, { timeout: 120_000 }).toContain('line 2: ')
  expect(second.text + beside.text).not.toContain('line 1: ')
  beside.child.kill('SIGTERM')
  expect(await beside.ended).toBe(0)
  expect(await answers()).toBe(true)

  // A killed command also ends its child processes.
  second.child.kill('SIGKILL')
  await second.ended
  await expect.poll(answers).toBe(false)
  await expect.poll(() => stat(join(home, 'data', 'running.json')).catch(() => null)).toBeNull()

  const { token } = JSON.parse(await readFile(config, 'utf8')) as { token: string }
  const logs = await Promise.all(
    ['gpu_scheduler.log', 'data/logs/web.log', 'data/logs/worker.log'].map((name) =>
      readFile(join(home, name), 'utf8'),
    ),
  )
  for (const text of [first.text, second.text, beside.text, ...logs]) expect(text).not.toContain(token)
})
