import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { batchScript } from './batch-script'

const script = { rowId: 'row', secret: 'secret', directory: '/run/gpuq' }

describe.each([1, 2])('the batch script for %i nodes', (nodes) => {
  it('is valid bash', async () => {
    const checked = promisify(execFile)('bash', ['-n', '-c', batchScript({ ...script, nodes })])
    await expect(checked).resolves.toMatchObject({ stderr: '' })
  })

  it('hands the secret to no program: only a builtin of bash and a standard input contain it', () => {
    const lines = batchScript({ ...script, nodes })
      .split('\n')
      .filter((line) => line.includes('secret'))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^ +printf 'gpuq 1 secret row /)
  })
})

it('refuses a directory that bash would read differently', () => {
  expect(() => batchScript({ ...script, nodes: 1, directory: '/run/$(id)' })).toThrow('GPUQ_SLURM_DIRECTORY')
})

it.each([
  [
    'version 2',
    ['0::/system.slice/slurmstepd.scope/job_7/step_batch/user/task_0'],
    '/system.slice/slurmstepd.scope/job_7/step_batch/user/task_0',
  ],
  [
    'version 1',
    ['6:devices:/', '4:memory:/slurm/uid_0/job_7/step_batch/task_0', '0::/'],
    '/slurm/uid_0/job_7/step_batch/task_0',
  ],
  [
    'version 1 with limited devices',
    ['6:devices:/slurm/uid_0/job_7/step_batch', '4:memory:/slurm/uid_0/job_7/step_batch', '0::/'],
    '/',
  ],
])('reports its cgroup of %s, if a container can be below it', async (_, lines, group) => {
  const text = batchScript({ ...script, nodes: 1 })
  const part = text.slice(text.indexOf('  while IFS='), text.indexOf('  while [ $((SECONDS'))
  const file = part.replace('< /proc/self/cgroup', '<<< "$LINES_OF_FILE"')
  const env = { ...process.env, LINES_OF_FILE: lines.join('\n') }
  const read = `group= memory= devices=\n${file}\nprintf %s "$group"`
  const { stdout } = await promisify(execFile)('bash', ['-c', read], { env })
  expect(stdout).toBe(group)
})

/** Runs the script of a step beside a server in the place of its worker. `change` edits the script. */
async function withStep(
  change: (text: string) => string,
  work: (step: ChildProcess, server: Server, ended: Promise<unknown[]>) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'gpuq-step-'))
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  await writeFile(join(directory, 'n0.port'), `${typeof address === 'object' ? address?.port : ''}\n`)
  const text = change(batchScript({ ...script, directory, nodes: 1 }))
  const env = { ...process.env, SLURMD_NODENAME: 'n0', SLURM_JOB_ID: '7' }
  const step = spawn('bash', ['-c', text], { env, stdio: 'ignore' })
  try {
    await work(step, server, once(step, 'exit'))
  } finally {
    step.kill('SIGKILL')
    server.close()
    await rm(directory, { recursive: true })
  }
}

it('tells its worker that Slurm stops it, and ends with the exit code of the worker', () =>
  withStep(
    (text) => text,
    async (step, server, ended) => {
      const [socket] = (await once(server, 'connection')) as [Socket]
      const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
      expect((await lines.next()).value).toMatch(/^gpuq 1 secret row 7 /)
      step.kill('SIGTERM')
      expect((await lines.next()).value).toBe('stop')
      socket.end('exit 143\n')
      expect(await ended).toEqual([143, null])
    },
  ))

it('connects again to a worker that restarts when the job has run for longer than a step waits for a worker', () =>
  withStep(
    // The step waits 8 s for a worker instead of two minutes.
    (text) => text.replace('-lt 120', '-lt 8'),
    async (_, server, ended) => {
      const [first] = (await once(server, 'connection')) as [Socket]
      await sleep(9_000)
      first.destroy()
      const [second] = (await Promise.race([once(server, 'connection'), ended])) as [Socket | number]
      expect(typeof second).toBe('object')
      if (typeof second === 'object') second.end('exit 3\n')
      expect(await ended).toEqual([3, null])
    },
  ))
