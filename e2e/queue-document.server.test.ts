import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { tryPort } from '@/deploy/run/instance-lock.mjs'
import { clusterSchema } from '@/lib/contract/cluster/cluster'
import { queueSubmittedSchema } from '@/lib/contract/queue'
import { pythonWithRequests } from './documented/run'

/**
 * Runs every line and program that the document of the queue API prints (docs/documents.md, document 001), on the port that
 * it names, without a token.
 */

const root = join(import.meta.dirname, '..')
const run = promisify(execFile)
const exports = 'export RESEARCH_AGENT_GPU_ORCHESTRATION_ENABLED=true'
const json = `-H "Content-Type: application/json"`
const server = 'http://localhost:10000'

const lines = {
  status: `curl ${server}/gpu/status`,
  initialize: `curl -X POST ${server}/gpu/initialize ${json} -d '{"node_count": 2, "gpus_per_node": 8}'`,
  submit: `curl -X POST ${server}/queue/submit ${json} -d '{
    "run_id": "experiment-1",
    "user": "username",
    "command": "python train.py",
    "gpu_count": 2,
    "priority": 2
  }'`,
  queue: `curl ${server}/queue`,
  cancel: `curl -X DELETE ${server}/queue/{job_id}`,
  priority: `curl -X PATCH ${server}/queue/{job_id}/priority ${json} -d '{"priority": 3}'`,
  start: `curl -X POST ${server}/orchestrator/start`,
  orchestrator: `curl ${server}/orchestrator/status`,
  stop: `curl -X POST ${server}/orchestrator/stop`,
  policy: `curl -X PUT ${server}/orchestrator/policy ${json} -d '{
    "max_concurrent_jobs": 10,
    "enable_auto_retry": true
  }'`,
  withToken: `curl -H "X-Auth-Token: $RESEARCH_AGENT_USER_AUTH_TOKEN" \\
  ${server}/queue`,
}

const submitting = `
import requests

response = requests.post("${server}/queue/submit", json={
    "run_id": "bert-training",
    "user": "researcher1",
    "command": "python train.py --model bert-large --epochs 10",
    "gpu_count": 4,
    "gpu_memory_gb": 40,
    "priority": 3,
    "estimated_duration_seconds": 3600,
})

job_id = response.json()["job_id"]
print(f"Job submitted: {job_id}")
`
const monitoring = `
import requests

response = requests.get("${server}/queue")
queue_state = response.json()

print(f"Queued jobs: {len(queue_state['queued'])}")
print(f"Running jobs: {len(queue_state['running'])}")
`
const checking = `
import requests

response = requests.get("${server}/gpu/status")
status = response.json()

print(f"Available GPUs: {status['cluster_status']['available_gpus']}")
print(f"Utilization: {status['cluster_status']['utilization_percent']}%")
`

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gpuq-queue-document-'))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

function start(more: Record<string, string> = {}) {
  // The variables of the tests' own system must not reach this one: PORT above all.
  const { PATH = '', DOCKER_HOST } = process.env
  const child = spawn('/bin/sh', ['-c', `${exports} && exec ${process.execPath} deploy/run/start.mjs`], {
    cwd: root,
    env: {
      PATH,
      HOME: homedir(),
      NODE_ENV: 'production',
      GPUQ_DATA_DIR: dataDir,
      GPUQ_NODE_NAME: 'queue-document',
      ...(DOCKER_HOST && { DOCKER_HOST }),
      ...more,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const seen = { text: '', child, ended: new Promise((resolve) => child.once('close', resolve)) }
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => {
      seen.text += text
    })
  return seen
}

async function started(seen: ReturnType<typeof start>): Promise<void> {
  await expect.poll(() => seen.text, { timeout: 300_000 }).toContain('gpuq is running at')
}

async function stopped(seen: ReturnType<typeof start>): Promise<void> {
  seen.child.kill('SIGINT')
  expect(await seen.ended, seen.text).toBe(0)
}

async function type(line: string, env: Record<string, string> = {}): Promise<unknown> {
  const { stdout } = await run('/bin/sh', ['-c', line], { env: { ...process.env, ...env } })
  return JSON.parse(stdout || 'null')
}

async function python(program: string): Promise<string> {
  const file = join(dataDir, 'program.py')
  await writeFile(file, program)
  return (await run(await pythonWithRequests(), [file])).stdout
}

it('every line and program of the document works as printed, without a token', {
  timeout: 900_000,
}, async (test) => {
  const taken = [await tryPort(8001, '127.0.0.1'), await tryPort(10_000, '127.0.0.1')]
  if (taken.includes('EADDRINUSE')) test.skip('another program uses port 8001 or 10000')
  const seen = start()
  try {
    await started(seen)
    expect(seen.text).toMatch(/every program of the Unix user \S+ may submit jobs there without a token/)
    const status = async () => clusterSchema.parse(await type(lines.status)).cluster_status
    await expect.poll(status).toMatchObject({ nodes: 2, total_gpus: 16 })
    await type(lines.initialize)
    const first = queueSubmittedSchema.parse(await type(lines.submit))
    expect(await type(lines.queue)).toMatchObject({ queued: expect.any(Array), running: expect.any(Array) })
    await type(lines.stop)
    const { job_id } = queueSubmittedSchema.parse(await type(lines.submit.replace('experiment-1', 'waits')))
    expect(first.job_id).not.toBe(job_id)
    const of = (line: string) => line.replace('{job_id}', job_id)
    expect(await type(of(lines.priority))).toMatchObject({ priority: 3 })
    expect(await type(of(lines.cancel))).toMatchObject({ status: 'cancelled' })
    expect(await type(lines.policy)).toMatchObject({ max_concurrent_jobs: 10, enable_auto_retry: true })
    await type(lines.start)
    expect(await type(lines.orchestrator)).toMatchObject({ running: true })
    expect(await type(lines.withToken, { RESEARCH_AGENT_USER_AUTH_TOKEN: '' })).toHaveProperty('queued')

    expect(await python(submitting)).toMatch(/^Job submitted: [0-9a-f-]{36}\n$/)
    expect(await python(monitoring)).toMatch(/^Queued jobs: \d+\nRunning jobs: \d+\n$/)
    expect(await python(checking)).toMatch(/^Available GPUs: \d+\nUtilization: [\d.]+%\n$/)

    // As another Unix user, and on the usual port, a token is needed.
    if (process.getuid?.() === 0)
      expect((await run('setpriv', ['--reuid=65534', 'curl', '-sS', `${server}/queue`])).stdout).toContain(
        '401',
      )
    expect((await fetch('http://localhost:8001/queue')).status).toBe(401)
    expect((await fetch(`${server}/api/users`)).status).toBe(404)
  } finally {
    await stopped(seen)
  }
})

it('with a token of the variable, each request needs it, and it works on that port only', {
  timeout: 900_000,
}, async (test) => {
  const taken = [await tryPort(8001, '127.0.0.1'), await tryPort(10_000, '127.0.0.1')]
  if (taken.includes('EADDRINUSE')) test.skip('another program uses port 8001 or 10000')
  const token = { RESEARCH_AGENT_USER_AUTH_TOKEN: 'sixteen letters!' }
  const seen = start(token)
  try {
    await started(seen)
    expect(await type(lines.withToken, token)).toHaveProperty('queued')
    expect(await type(lines.queue)).toMatchObject({ status: 401 })
    const headers = { 'x-auth-token': token.RESEARCH_AGENT_USER_AUTH_TOKEN }
    expect((await fetch('http://localhost:8001/queue', { headers })).status).toBe(401)
  } finally {
    await stopped(seen)
  }
})
