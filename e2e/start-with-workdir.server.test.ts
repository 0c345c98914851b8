import { execFile, spawn } from 'node:child_process'
import { chmod, chown, lstat, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { clusterSchema } from '@/lib/contract/cluster/cluster'
import { shownPolicySchema } from '@/lib/contract/cluster/policy'
import { jobResultSchema } from '@/lib/contract/jobs'
import { queueJobDetailSchema, queueSubmittedSchema } from '@/lib/contract/queue'
import { ensureProgram } from './ensure-program'
import { freePort } from './system/start-system'

/**
 * Starts gpuq with the variables of a research agent and a project's directory, and uses only the queue API and the
 * programs of docs/examples.
 */

const root = join(import.meta.dirname, '..')
const token = 'the-token-of-a-research-agent-0123456789'
const isRoot = process.getuid?.() === 0
/** No job runs as root. */
const owner = isRoot ? 23_457 : (process.getuid?.() ?? 0)

let dataDir: string
let project: string
let server: string

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gpuq-agent-'))
  // Only root may change the directories above it.
  project = await mkdtemp(join(isRoot ? '/srv' : homedir(), 'gpuq-project-'))
  await writeFile(
    join(project, 'train.py'),
    'import os\nprint("trains in", os.getcwd())\nopen("model.txt", "w").write("weights")\n',
  )
  await chmod(project, 0o755)
  if (isRoot) await chown(project, owner, owner)
})
afterAll(async () => {
  await rm(dataDir, { recursive: true, force: true })
  await rm(project, { recursive: true, force: true })
})

function start(port: number) {
  // The variables of the tests' own system must not reach this one.
  const { PATH = '', DOCKER_HOST } = process.env
  const child = spawn(process.execPath, ['deploy/run/start.mjs', '--workdir', project], {
    cwd: root,
    env: {
      PATH,
      HOME: homedir(),
      NODE_ENV: 'production',
      PORT: String(port),
      GPUQ_DATA_DIR: dataDir,
      GPUQ_NODE_NAME: `node-${port}`,
      RESEARCH_AGENT_GPU_ORCHESTRATION_ENABLED: 'true',
      RESEARCH_AGENT_SCHEDULING_POLICY: 'fcfs',
      GPUQ_ADMIN_TOKEN: token,
      ...(DOCKER_HOST && { DOCKER_HOST }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const seen = { text: '', child, ended: new Promise((resolve) => child.once('close', resolve)) }
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: Buffer) => {
      seen.text += text
    })
  }
  return seen
}

async function call(path: string, method = 'GET', body?: object): Promise<unknown> {
  const response = await fetch(`${server}${path}`, {
    method,
    headers: { 'x-auth-token': token, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

async function runExample(name: string): Promise<string> {
  await ensureProgram('python3', ['python3'])
  const { PATH = '' } = process.env
  const env = { PATH, NODE_ENV: 'test' as const, GPUQ_URL: server, GPUQ_TOKEN: token }
  const args = ['-S', '-B', join(root, 'docs', 'examples', name)]
  const { stdout, stderr } = await promisify(execFile)('python3', args, { env })
  return stdout + stderr
}

it('two simulated nodes of eight GPUs run the commands of the directory, the demo and the tests', {
  timeout: 900_000,
}, async () => {
  const port = await freePort()
  server = `http://127.0.0.1:${port}`
  const running = start(port)
  try {
    await expect.poll(() => running.text, { timeout: 300_000 }).toContain('two simulated nodes')
    expect(running.text).toContain(`Commands of the project default run in ${project}.`)
    const simulated = async () => {
      const { nodes, cluster_status } = clusterSchema.parse(await call('/gpu/status'))
      const shown = nodes.filter((node) => node.simulated)
      return [cluster_status.total_gpus, shown.map(({ state, gpus }) => `${state} ${gpus.length}`)]
    }
    await expect.poll(simulated).toEqual([16, ['ready 8', 'ready 8']])
    expect(shownPolicySchema.parse(await call('/orchestrator/policy'))).toMatchObject({
      scheduling_policy: 'fcfs',
      set_by_environment: ['running', 'scheduling_policy'],
    })

    const job = {
      run_id: 'experiment-1',
      user: 'username',
      command: 'python train.py',
      gpu_count: 2,
      priority: 2,
    }
    const { job_id } = queueSubmittedSchema.parse(await call('/queue/submit', 'POST', job))
    const read = async () => queueJobDetailSchema.parse(await call(`/queue/${job_id}`))
    await expect.poll(async () => (await read()).completed_at, { timeout: 120_000 }).not.toBeNull()
    const result = jobResultSchema.parse(await call(`/api/results/${job_id}`))
    expect(result).toMatchObject({ status: 'completed', stdout: `trains in ${project}\n` })
    expect(await readFile(join(project, 'model.txt'), 'utf8')).toBe('weights')
    expect(await lstat(join(project, 'model.txt'))).toMatchObject({ uid: owner })

    expect((await fetch(`${server}/queue`)).status).toBe(401)
    const shown = await runExample('demo_gpu_orchestration.py')
    expect(shown).toContain('of 16 free')
    expect(shown).toContain('demo-large: completed, exit code 0')
    expect(shown).toContain('demo-cancelled: cancelled')
    expect(await runExample('test_gpu_orchestration.py')).toMatch(/\nRan \d+ tests in .*\n\nOK\n$/)
  } finally {
    running.child.kill('SIGINT')
    expect(await running.ended, running.text).toBe(0)
  }
})
