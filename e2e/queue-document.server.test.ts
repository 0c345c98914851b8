import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmod, chown, lstat, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { tryPort } from '@/deploy/run/instance-lock.mjs'
import { clusterSchema } from '@/lib/contract/cluster/cluster'
import { queueJobDetailSchema, queueSubmittedSchema } from '@/lib/contract/queue'
import { pythonWithRequests } from './documented/run'
import { ensureProgram } from './ensure-program'

/**
 * Runs every line and program that the document of the queue API prints (docs/documents.md, document 001), on the port that
 * it names, without a token. As root, this gpuq and these programs have a network of their own, in which the ports are free.
 */

const root = join(import.meta.dirname, '..')
const run = promisify(execFile)
const isRoot = process.getuid?.() === 0
/** No job runs as root. */
const owner = isRoot ? 23_458 : (process.getuid?.() ?? 0)
const ownNetwork = isRoot ? 'exec unshare --net sh -c \'ip link set lo up && exec "$@"\' sh' : 'exec'
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
let project: string
let running: ChildProcess
beforeAll(async () => {
  if (isRoot) {
    await ensureProgram('ip', ['iproute2'])
    await ensureProgram('unshare', ['util-linux'])
  }
  dataDir = await mkdtemp(join(tmpdir(), 'gpuq-queue-document-'))
  // Only root may change the directories above it.
  project = await mkdtemp(join(isRoot ? '/srv' : homedir(), 'gpuq-project-'))
  await writeFile(join(project, 'train.py'), 'open("model.txt", "w").write("weights")\n')
  await chmod(project, 0o755)
  if (isRoot) await chown(project, owner, owner)
})
afterAll(async () => {
  await rm(dataDir, { recursive: true, force: true })
  await rm(project, { recursive: true, force: true })
})

async function requireFreePorts(): Promise<void> {
  if (isRoot) return
  for (const port of [8001, 10_000])
    expect(
      await tryPort(port, '127.0.0.1'),
      `Stop the program that uses port ${port}, or run this test as root.`,
    ).toBeNull()
}

async function start(more: Record<string, string> = {}) {
  await requireFreePorts()
  // The variables of the tests' own system must not reach this one: PORT above all.
  const { PATH = '', DOCKER_HOST } = process.env
  const line = `${exports} && ${ownNetwork} ${process.execPath} deploy/run/start.mjs --workdir '${project}'`
  const child = spawn('/bin/sh', ['-c', line], {
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
  running = child
  const seen = { text: '', child, ended: new Promise((resolve) => child.once('close', resolve)) }
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => {
      seen.text += text
    })
  return seen
}

type Seen = Awaited<ReturnType<typeof start>>

async function started(seen: Seen): Promise<void> {
  await expect.poll(() => seen.text, { timeout: 300_000 }).toContain('gpuq is running at')
}

async function stopped(seen: Seen): Promise<void> {
  seen.child.kill('SIGINT')
  expect(await seen.ended, seen.text).toBe(0)
}

/** Runs a program in the network of this gpuq. Returns what it prints. */
async function runBeside(words: string[], env: Record<string, string> = {}): Promise<string> {
  const [program = '', ...args] = isRoot ? ['nsenter', `--net=/proc/${running.pid}/ns/net`, ...words] : words
  const { stdout, stderr } = await run(program, args, { cwd: root, env: { ...process.env, ...env } })
  return stdout + (words[0] === 'python3' ? stderr : '')
}

async function type(line: string, env: Record<string, string> = {}): Promise<unknown> {
  return JSON.parse((await runBeside(['/bin/sh', '-c', line], env)) || 'null')
}

async function python(program: string): Promise<string> {
  const file = join(dataDir, 'program.py')
  await writeFile(file, program)
  return runBeside([await pythonWithRequests(), file])
}

const statusOf = (...words: string[]) =>
  runBeside(['curl', '-sS', '-o', '/dev/null', '-w', '%{http_code}', ...words])

it('every line and program of the document works as printed, without a token', {
  timeout: 900_000,
}, async () => {
  const seen = await start()
  try {
    await started(seen)
    expect(seen.text).toMatch(/every program of the Unix user \S+ may submit jobs there without a token/)
    const status = async () => clusterSchema.parse(await type(lines.status)).cluster_status
    await expect.poll(status).toMatchObject({ nodes: 2, total_gpus: 16 })
    await type(lines.initialize)
    const first = queueSubmittedSchema.parse(await type(lines.submit))
    expect(await type(lines.queue)).toMatchObject({ queued: expect.any(Array), running: expect.any(Array) })
    const read = async () => queueJobDetailSchema.parse(await type(`curl ${server}/queue/${first.job_id}`))
    await expect.poll(read).toMatchObject({ status: 'completed', exit_code: 0 })
    expect(await readFile(join(project, 'model.txt'), 'utf8')).toBe('weights')
    expect(await lstat(join(project, 'model.txt'))).toMatchObject({ uid: owner })
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
    if (isRoot)
      expect(await runBeside(['setpriv', '--reuid=65534', 'curl', '-sS', `${server}/queue`])).toContain('401')
    expect(await statusOf('http://localhost:8001/queue')).toBe('401')
    expect(await statusOf(`${server}/api/users`)).toBe('404')

    // The demo and the tests beside the document use its port.
    const example = (name: string) => runBeside(['python3', '-S', '-B', join('docs', 'examples', name)])
    expect(await example('demo_gpu_orchestration.py')).toContain('demo-large: completed, exit code 0')
    expect(await example('test_gpu_orchestration.py')).toMatch(
      /\nRan \d+ tests in .*\n\nOK( \(skipped=\d+\))?\n$/,
    )
  } finally {
    await stopped(seen)
  }
})

it('with a token of the variable, each request needs it, and it works on that port only', {
  timeout: 900_000,
}, async () => {
  const token = { RESEARCH_AGENT_USER_AUTH_TOKEN: 'sixteen letters!' }
  const seen = await start(token)
  try {
    await started(seen)
    expect(await type(lines.withToken, token)).toHaveProperty('queued')
    expect(await type(lines.queue)).toMatchObject({ status: 401 })
    const header = `X-Auth-Token: ${token.RESEARCH_AGENT_USER_AUTH_TOKEN}`
    expect(await statusOf('-H', header, 'http://localhost:8001/queue')).toBe('401')
  } finally {
    await stopped(seen)
  }
})
