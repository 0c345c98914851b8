import { spawn } from 'node:child_process'
import { appendFile, chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { JobSummary } from '@/lib/contract/jobs'
import { makeCondaStandIn } from '@/worker/testing/conda-stand-in'
import { PseudoTerminal } from './pseudo-terminal'

/**
 * Types the whole document of the scheduler of one machine (docs/documents.md, document 002) in a terminal, in an empty
 * directory. GPUs are simulated and the conda environments are stand-ins; everything else is real.
 */

vi.setConfig({ testTimeout: 900_000 })

const program = join(import.meta.dirname, '..', 'dist', 'cli.js')
const logDirectory = '/tmp/gpu_scheduler_logs'
/** A node takes no jobs until it has looked for containers of an earlier worker. */
const untilRun = { timeout: 240_000 }
const often = ['--monitor-interval', '1', '--state-interval', '0.5']

let home: string
let project: string
let port: number
let scheduler: PseudoTerminal

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gpuq-document-'))
  project = join(home, 'project')
  port = await freePort()
  await mkdir(join(home, 'bin'), { recursive: true })
  await mkdir(project)
  const base = join(home, 'miniconda3')
  await makeCondaStandIn(base)
  await makeCondaStandIn(join(base, 'envs', 'myenv'))
  const info = JSON.stringify({ root_prefix: base, envs: [base], envs_dirs: [join(base, 'envs')] })
  await writeFile(join(home, 'bin', 'conda'), `#!/bin/sh\necho '${info}'\n`)
  await chmod(join(home, 'bin', 'conda'), 0o755)
  await writeFile(
    join(home, 'llm_config.json'),
    JSON.stringify({ default_requirement: 1.0, models: { 'qwen2.5-3b-inst': 0.5, 'qwen2.5-7b-inst': 1.0 } }),
  )
  await writeFile(join(project, 'sibling.py'), 'word = "from the sibling"\n')
  // Prints, saves a checkpoint, and can wait or fail.
  await writeFile(
    join(project, 'script.py'),
    `import os, sys, time
import sibling
if sys.stdout.isatty():
    print("\\x1b[31mred\\x1b[0m")
print(sibling.word, os.path.basename(sys.prefix), sys.argv[1:])
with open("checkpoint-" + sys.argv[sys.argv.index("--name") + 1], "w") as file:
    file.write("weights")
while "--wait" in sys.argv and not os.path.exists("go"):
    time.sleep(0.1)
if "--ask" in sys.argv:
    print("heard", input("say> ").upper())
if "--fail" in sys.argv and not os.path.exists("repaired"):
    sys.exit(3)
`,
  )
})

afterAll(async () => {
  scheduler?.type('\u0003')
  await scheduler?.ended
  const ids = (await readFile(join(home, 'ids'), 'utf8').catch(() => '')).split('\n').filter(Boolean)
  for (const name of await readdir(logDirectory).catch(() => []))
    if (ids.some((id) => name.includes(id))) await rm(join(logDirectory, name))
  await rm(home, { recursive: true, force: true })
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

function environment(): Record<string, string> {
  const { PATH = '', DOCKER_HOST } = process.env
  const env = {
    PATH: `${join(home, 'bin')}:${PATH}`,
    HOME: home,
    GPUQ_NODE_NAME: `node-${port}`,
    TERM: 'xterm',
  }
  return DOCKER_HOST ? { ...env, DOCKER_HOST } : env
}

/** Types `gpuq start` in a terminal. */
async function start(...options: string[]): Promise<void> {
  const words = ['start', '--gpus', '8', '--port', String(port), '--data-dir', join(home, 'data'), ...often]
  const line = [process.execPath, program, ...words, ...options].map((word) => `'${word}'`).join(' ')
  scheduler = await PseudoTerminal.open(['sh', '-c', `cd '${home}' && exec ${line}`], environment())
  await expect.poll(() => scheduler.output, untilRun).toContain('Watching jobs.txt')
}

async function stop(): Promise<void> {
  scheduler.type('\u0003')
  // Ctrl-C also ends the shell of the terminal.
  await scheduler.ended
  expect(await mainLog(), scheduler.output).toMatch(/Stopped\.\n$/)
}

const gpuq = (...args: string[]) => gpuqWith({}, ...args)

async function gpuqWith(
  env: Record<string, string>,
  ...args: string[]
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: home,
    env: { ...environment(), NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const seen = { out: '', err: '' }
  child.stdout.on('data', (text: Buffer) => {
    seen.out += text
  })
  child.stderr.on('data', (text: Buffer) => {
    seen.err += text
  })
  return new Promise((resolve) => child.once('close', (code) => resolve({ ...seen, code })))
}

async function run(...args: string[]): Promise<string> {
  const ended = await gpuq(...args)
  expect(ended.code, ended.err).toBe(0)
  return ended.out
}

const jobs = async () => JSON.parse(await run('jobs', '--limit', '200', '--json')) as JobSummary[]
const mainLog = () => readFile(join(home, 'gpu_scheduler.log'), 'utf8')

interface State {
  paused_gpus: number[]
  gpus: { gpu: number; allocation: number; state: string; jobs: { job_id: string }[] }[]
  jobs: { job_id: string; status: string; gpus: number[] }[]
}
const stateFile = () => join(home, 'gpu_scheduler_state.json')
const state = async () => JSON.parse(await readFile(stateFile(), 'utf8')) as State

/** The ids of the jobs that the main log knows by the name of their line, such as `--name one`. */
async function idOf(line: number): Promise<string> {
  const pattern = new RegExp(`line ${line}: .* submitted as job (\\S+)`)
  await expect.poll(mainLog).toMatch(pattern)
  const [, id = ''] = pattern.exec(await mainLog()) ?? []
  await appendFile(join(home, 'ids'), `${id}\n`)
  return id
}

async function ended(id: string, status = 'completed'): Promise<void> {
  await expect.poll(mainLog, untilRun).toContain(`job ${id} (script.py) ${status}`)
}

const script = () => join(project, 'script.py')

it('the scheduler starts, and runs the lines of the jobs file on their GPUs, with its lines on the terminal', async () => {
  await writeFile(
    join(home, 'jobs.txt'),
    `# Comments start with #
0,${script()},myenv,--llm qwen2.5-7b-inst --name one,0-3
1,${script()},,--llm qwen2.5-32b-inst --batch_size 1 --name two,4,5,6,7
`,
  )
  await start()
  const [one, two] = [await idOf(2), await idOf(3)]
  for (const id of [one, two]) await ended(id)
  await scheduler.shows(
    "| from the sibling myenv ['--llm', 'qwen2.5-7b-inst', '--name', 'one', '--cuda', '0']",
  )
  await scheduler.shows(
    "| from the sibling miniconda3 ['--llm', 'qwen2.5-32b-inst', '--batch_size', '1', '--name', 'two', '--cuda', '0']",
  )
  const log = await mainLog()
  expect(log).toMatch(new RegExp(`job ${one} \\(script\\.py\\) started on GPU [0-3] of node-${port}\\.`))
  expect(log).toMatch(new RegExp(`job ${two} \\(script\\.py\\) started on GPU [4-7] of node-${port}\\.`))
})

it('each job has a log file, and its checkpoint lies beside the script and belongs to its user', async () => {
  const id = await idOf(2)
  const names = (await readdir(logDirectory)).filter((name) => name.includes(id))
  expect(names).toEqual([expect.stringMatching(new RegExp(`^job_${id}_\\d{8}_\\d{6}\\.log$`))])
  expect(await readFile(join(logDirectory, names[0] ?? ''), 'utf8')).toMatch(/^from the sibling myenv /)
  const [checkpoint, owner] = [await stat(join(project, 'checkpoint-one')), await stat(project)]
  expect([checkpoint.uid, checkpoint.gid]).toEqual([owner.uid, owner.gid])
})

it('the add command writes a line or queues at once, and two halves share one GPU', async () => {
  const args = (name: string) => `--llm qwen2.5-3b-inst --wait --name ${name}`
  const options = ['--conda', 'myenv', '--priority', '0', '--gpus', '2']
  await run('add', 'project/script.py', ...options, '--args', args('half'), '--output-file', 'jobs.txt')
  const first = await idOf(4)
  const second = (await run('add', 'project/script.py', ...options, '--args', args('other'))).trim()
  await appendFile(join(home, 'ids'), `${second}\n`)
  await expect
    .poll(async () => (await state()).gpus.find(({ gpu }) => gpu === 2))
    .toMatchObject({ allocation: 1, jobs: [{ job_id: expect.any(String) }, { job_id: expect.any(String) }] })
  await expect.poll(() => run('status')).toMatch(/2 running/)
  await expect
    .poll(() => readdir(project))
    .toEqual(expect.arrayContaining(['checkpoint-half', 'checkpoint-other']))
  await writeFile(join(project, 'go'), '')
  for (const id of [first, second]) await ended(id)
  await rm(join(project, 'go'))
})

it('a paused GPU takes no job until it is resumed, also through the state file', async () => {
  await run('pause', '0')
  await expect.poll(async () => (await state()).paused_gpus).toEqual([0])
  await appendFile(join(home, 'jobs.txt'), `0,${script()},myenv,--name paused,0\n`)
  const id = await idOf(5)
  await expect
    .poll(async () => (await state()).jobs.find(({ job_id }) => job_id === id)?.status)
    .toBe('pending')
  expect(await run('status')).toContain('paused')
  await run('resume', '0')
  await ended(id)
  await writeFile(stateFile(), JSON.stringify({ ...(await state()), paused_gpus: [3] }))
  await scheduler.shows(`GPU 3 on node-${port} paused as requested in`)
})

it('a completed job is not queued again, and a failed line runs again when it is added again', async () => {
  const failing = `0,${script()},myenv,--name failing --fail,`
  await appendFile(join(home, 'jobs.txt'), `${failing}\n0,${script()},myenv,--name paused,0\n`)
  const failed = await idOf(6)
  await ended(failed, 'failed')
  expect(await mainLog()).toContain('Exit code 3')
  await expect.poll(mainLog).toMatch(/line 7: .* already exists: job \S+, completed/)
  await appendFile(join(home, 'jobs.txt'), `${failing}\n`)
  await ended(await idOf(8), 'failed')
  await appendFile(join(home, 'jobs.txt'), `0,${script()},missing_env,,\n`)
  await scheduler.shows('line 9 skipped: environment: there is no environment "missing_env"')
  await scheduler.shows('conda on this machine has myenv')
})

it('after a restart with --screen, pauses are kept, no line repeats, and each job has a session', async () => {
  await stop()
  const before = (await jobs().catch(() => [])).length
  expect(before, 'the server has stopped').toBe(0)
  await start('--screen')
  const count = (await jobs()).length
  expect((await state()).paused_gpus).toEqual([3])
  await appendFile(join(home, 'jobs.txt'), `0,${script()},myenv,--mode train --ask --name asks,1\n`)
  const id = await idOf(10)
  expect((await jobs()).length).toBe(count + 1)
  const name = `gpujob_1_train_${id}`
  await scheduler.shows(`screen -r ${name}`, untilRun)
  await expect.poll(() => run('screens')).toContain(name)

  const screen = await PseudoTerminal.open(['screen', '-r', name], environment())
  await screen.shows('say> ')
  expect(screen.output, 'colours are kept').toContain('\u001b[31mred')
  screen.type('\u0001d')
  expect(await screen.ended).toBe(0)
  expect((await jobs()).find(({ job_id }) => job_id === id)?.status).toBe('running')
  const again = await PseudoTerminal.open(['screen', '-r', name], environment())
  await again.shows('say> ')
  again.type('hello\r')
  await again.ended
  await ended(id)
  expect(scheduler.output).not.toContain('| from the sibling')
  const [file = ''] = (await readdir(logDirectory)).filter((one) => one.includes(id))
  expect(await readFile(join(logDirectory, file), 'utf8')).toContain('heard HELLO')
  await expect.poll(() => run('screens', '--json')).not.toContain(name)
})

it('a job runs on after Ctrl-C, a closed terminal and kill -9, and the next start continues with it', async () => {
  const wait = `0,${script()},myenv,--wait --name outlives,2\n`
  await appendFile(join(home, 'jobs.txt'), wait)
  const id = await idOf(11)
  await expect.poll(mainLog, untilRun).toContain(`job ${id} (script.py) started on GPU 2`)
  await expect.poll(() => readdir(project), untilRun).toContain('checkpoint-outlives')
  const goesOn = async () => {
    expect((await jobs()).find(({ job_id }) => job_id === id)?.status).toBe('running')
    expect(await mainLog()).not.toMatch(new RegExp(`job ${id} .*\\(attempt 2\\)`))
  }
  await stop()
  await scheduler.shows('Running jobs go on, and the next start continues with them. To end them: gpuq stop.')
  await start('--screen')
  await goesOn()

  // The terminal is closed: gpuq goes on.
  scheduler.close()
  const pid = JSON.parse(await readFile(join(home, 'data', 'running.json'), 'utf8')).pid as number
  await run('status')
  const parent = /^PPid:\t(\d+)$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]
  process.kill(Number(parent), 'SIGKILL')
  await expect.poll(() => stat(`/proc/${pid}`).catch(() => null), untilRun).toBeNull()
  await start('--screen')
  await goesOn()
  await stop()
  // The name of the node is only in the environment of the start.
  const stopAll = () => gpuqWith({ GPUQ_NODE_NAME: '' }, 'stop', '--data-dir', join(home, 'data'))
  const ended = await stopAll()
  expect(ended, ended.err).toMatchObject({ code: 0 })
  expect(ended.out).toContain('1 job was running and ended. The next start runs it again')
  expect((await stopAll()).out).toContain('gpuq does not run, and no job runs.')
  const never = join(home, 'never-started')
  expect((await gpuq('stop', '--data-dir', never)).out).toContain('gpuq was never started with')
  await expect(stat(never)).rejects.toThrow('ENOENT')
  await writeFile(join(project, 'go'), '')
  await start('--screen')
  await expect.poll(mainLog, untilRun).toContain(`job ${id} (script.py) completed`)
  await rm(join(project, 'go'))
})

it('deleting the state file resets pauses and lines: failed lines run again, completed ones do not', async () => {
  await writeFile(join(project, 'repaired'), '')
  const count = (await jobs()).length
  await rm(stateFile())
  await scheduler.shows('gpu_scheduler_state.json was deleted')
  await expect.poll(async () => (await state().catch(() => null))?.paused_gpus).toEqual([])
  await expect.poll(async () => (await jobs()).length).toBe(count + 1)
  await expect
    .poll(
      async () => (await jobs()).map(({ status }) => status).filter((status) => status === 'failed').length,
    )
    .toBe(2)
  const [newest] = await jobs()
  await appendFile(join(home, 'ids'), `${newest?.job_id}\n`)
  await ended(newest?.job_id ?? '')
  await stop()
})

it('the thresholds are those of the options, and --isolated runs the uploaded script alone', async () => {
  await start('--isolated', '--mem-threshold', '0.6', '--load-threshold', '0.7')
  const { token } = JSON.parse(await readFile(join(home, '.config', 'gpuq', 'config.json'), 'utf8'))
  const policy = await fetch(`http://localhost:${port}/orchestrator/policy`, {
    headers: { 'x-auth-token': token },
  })
  expect(await policy.json()).toMatchObject({ memory_threshold: 0.6, load_threshold: 0.7 })
  await writeFile(join(project, 'alone.py'), 'import os\nprint(os.getcwd(), os.path.exists("sibling.py"))\n')
  await appendFile(
    join(home, 'jobs.txt'),
    `0,${join(project, 'alone.py')},,,\n0,${join(project, 'alone.py')},myenv,,\n`,
  )
  await scheduler.shows('| /work False', untilRun)
  await scheduler.shows('environment: there is no environment "myenv"')
  await appendFile(join(home, 'ids'), `${(await jobs())[0]?.job_id}\n`)
})

it('without GNU Screen, an error says how to install it', async () => {
  const child = spawn(process.execPath, [program, 'start', '--screen'], {
    cwd: home,
    env: { HOME: home, PATH: join(home, 'bin'), NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let text = ''
  child.stderr.on('data', (bytes: Buffer) => {
    text += bytes
  })
  expect(await new Promise((resolve) => child.once('close', resolve))).not.toBe(0)
  expect(text).toContain('sudo apt-get install screen')
})
