import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CountingProxy } from './counting-proxy'
import { openBarrier, waitAtBarrier } from './program-barrier'
import { downloadClient, runPython, startPython } from './run-python'
import { theSystem } from './system/the-system'
import { createUser, noLimits, type TestUser } from './test-users'

/** Runs the Python client, as the server provides it, through a proxy that loses connections. */

const MiB = 1024 * 1024
/** Keyword arguments of a job with minimal requests. */
const small = 'gpus=0, cpu=0.5, memory_gb=0.25, expected_time=60'

let home: string
let person: TestUser
let proxy: CountingProxy

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gpuq-python-'))
  person = await createUser({ name: 'pythonista', limits: noLimits })
  proxy = await CountingProxy.open(theSystem().url)
  await downloadClient(home)
})
afterAll(async () => {
  proxy.close()
  await rm(home, { recursive: true, force: true })
})

const start = (program: string, env: Record<string, string> = {}) =>
  startPython(home, `import gpuq, json\n${program}`, {
    GPUQ_URL: proxy.url,
    GPUQ_TOKEN: person.token,
    ...env,
  })
const run = (program: string, env: Record<string, string> = {}) =>
  runPython(home, `import gpuq, json\n${program}`, {
    GPUQ_URL: proxy.url,
    GPUQ_TOKEN: person.token,
    ...env,
  })

async function directory(files: Record<string, string | Buffer>): Promise<string> {
  const root = await mkdtemp(join(home, 'dir-'))
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(root, dirname(path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  return root
}

it('a log is live, and continues without loss or repetition after a broken connection', async () => {
  await writeFile(
    join(home, 'solution.py'),
    `import sys\nprint("first", sys.argv[1])\n${waitAtBarrier}\nprint('{"loss": 0.5,  "step": 1}')\nprint("no line feed", end="")\n`,
  )
  const running = await start(`
job = gpuq.submit("solution.py", args=["an argument"], name="live", ${small})
print(job.id, job.url)
for line in job.log():
    print(line)
print(json.dumps([job.status, job.reason, job.exit_code, job.results, job.output]))
`)
  await expect.poll(() => running.out).toContain('first an argument\n')
  const id = running.out.split(' ')[0] ?? ''
  expect(running.out).toContain(`${id} ${proxy.url}/jobs/${id}`)
  proxy.cut()
  await openBarrier(id)
  expect([await running.ended, running.err]).toEqual([0, ''])
  const [, ...lines] = running.out.trimEnd().split('\n')
  expect(lines.slice(0, 3)).toEqual(['first an argument', '{"loss": 0.5,  "step": 1}', 'no line feed'])
  expect(JSON.parse(lines[3] ?? '')).toEqual([
    'completed',
    expect.any(String),
    0,
    [{ loss: 0.5, step: 1 }],
    'first an argument\n{"loss": 0.5,  "step": 1}\nno line feed',
  ])
})

it('a dry run says what would happen, and a job that would be refused sends no directory', async () => {
  const root = await directory({ 'main.py': 'print(1)\n' })
  const told = await run(`
answer = gpuq.submit(${JSON.stringify(root)}, project_id="tried", dry_run=True, ${small})
try:
    gpuq.submit(${JSON.stringify(root)}, project_id="tried", environment="unknown")
except gpuq.Error as error:
    refused = error.status
print(json.dumps([answer["dry_run"], answer["project_note"], refused, len(gpuq.jobs(project_id="tried"))]))
`)
  expect(told).toEqual([true, expect.stringContaining('private project "tried"'), 422, 0])
})

it('waiting continues over broken connections, and ends after its timeout', async () => {
  await writeFile(join(home, 'waits.py'), waitAtBarrier)
  const running = await start(`
job = gpuq.submit("waits.py", ${small})
try:
    job.wait(timeout=0.5)
except TimeoutError as error:
    print(job.id)
print(job.wait().status)
`)
  await expect.poll(() => running.out).toMatch(/^[0-9a-f-]{36}\n$/)
  const id = running.out.trim()
  for (let count = 0; count < 3; count++) {
    const { cuts } = proxy
    proxy.lostAnswers = 1
    await expect.poll(() => proxy.cuts).toBe(cuts + 1)
  }
  await openBarrier(id)
  expect([await running.ended, running.err]).toEqual([0, ''])
  expect(running.out).toBe(`${id}\ncompleted\n`)
})

it('a submission whose answer is lost is repeated, and is one job', async () => {
  await writeFile(join(home, 'once.py'), 'print(1)')
  const { cuts } = proxy
  proxy.lostAnswers = 2
  const [id, found] = (await run(`
job = gpuq.submit("once.py", project_id="once", ${small})
print(json.dumps([job.id, [found.id for found in gpuq.jobs(project_id="once")]]))
`)) as [string, string[]]
  expect(proxy.cuts).toBe(cuts + 2)
  expect(found).toEqual([id])
})

it('a directory is sent as git would, and unchanged files are not sent again', async () => {
  const large = randomBytes(6 * MiB)
  const dir = await directory({
    '.gitignore': '*.ckpt\nout/\n',
    'train.sh':
      '#!/bin/sh\nfind . -type f -o -type l | sort; mkdir -p /results; cat "$1" > /results/copy.txt\n',
    'data/labels.txt': 'labels\n',
    'model.ckpt': randomBytes(6 * MiB),
    'out/log': 'old',
    large,
    ...Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`many/f${index}`, randomBytes(100_000)])),
  })
  await chmod(join(dir, 'train.sh'), 0o755)
  await symlink('data/labels.txt', join(dir, 'latest'))
  const program = `
job = gpuq.submit(${JSON.stringify(dir)}, command="./train.sh latest", project_id="dirs", ${small})
lines = [line for line in job.log() if "/many/" not in line]
print(json.dumps([job.status, lines, job.detail["archive"]["files"], [str(path) for path in job.download("saved")]]))
`
  const { cuts } = proxy
  // The first connection that sends contents is cut.
  proxy.cutAfter = 2 * MiB
  const first = await proxy.count(async () => {
    expect(await run(program)).toEqual([
      'completed',
      ['./.gitignore', './data/labels.txt', './large', './latest', './train.sh'],
      45,
      [join('saved', 'copy.txt')],
    ])
  })
  expect(proxy.cuts).toBe(cuts + 1)
  expect(await readFile(join(home, 'saved', 'copy.txt'), 'utf8')).toBe('labels\n')
  expect(first).toBeGreaterThan(10 * MiB)
  await writeFile(join(dir, 'data/labels.txt'), 'changed\n')
  await writeFile(join(dir, 'copy of large'), large)
  const second = await proxy.count(async () => {
    expect(await run(program)).toEqual([
      'completed',
      expect.arrayContaining(['./copy of large']),
      46,
      expect.any(Array),
    ])
  })
  expect(second).toBeLessThan(0.2 * MiB)
  expect(await readFile(join(home, 'saved', 'copy.txt'), 'utf8')).toBe('changed\n')
})

it('a config file, the login of the command line and the keys of a call are used', async () => {
  await writeFile(join(home, 'solution.py'), 'import os\nprint(os.environ["WORD"])\n')
  const config = `competition_id: "c"\nproject_id: "from-file" # a comment\nexpected_time: 60\ngpu_count: 0\nmemory_gb: 0.25\ntoken: "${person.token}"\n`
  await writeFile(join(home, 'config.yaml'), config)
  const ask = 'print(json.dumps([job.wait().output, job.detail["project_id"], job.detail["tags"]]))'
  const expected = ['ü\n', 'from-file', ['x']]
  expect(
    await run(
      `job = gpuq.submit("solution.py", config="config.yaml", env={"WORD": "ü"}, tags=["x"])\n${ask}`,
      { GPUQ_TOKEN: '' },
    ),
  ).toEqual(expected)

  await mkdir(join(home, '.config', 'gpuq'), { recursive: true })
  const login = { server: proxy.url, token: person.token }
  await writeFile(join(home, '.config', 'gpuq', 'config.json'), JSON.stringify(login))
  expect(
    await run(
      `base = {"project_id": "from-file", "gpu_count": 1, "memory_gb": 0.25}\njob = gpuq.submit("solution.py", config=base, gpus=0, env={"WORD": "ü"}, tags=["x"])\n${ask}`,
      { GPUQ_TOKEN: '' },
    ),
  ).toEqual(expected)
  await rm(join(home, '.config'), { recursive: true })

  // With a directory, `archive` is added to the text of the file.
  const dir = await directory({ 'main.py': 'print(open("data").read())', data: 'text' })
  expect(await run(`job = gpuq.submit(${JSON.stringify(dir)}, config="config.yaml")\n${ask}`)).toEqual([
    'text\n',
    'from-file',
    [],
  ])
})

it('a job can be cancelled, found and listed', async () => {
  const listed = await run(`
job = gpuq.submit(command="sleep 3600", ${small}, max_time=3600, project_id="cancel")
again = gpuq.job(job.id)
job.cancel()
ended = again.wait()
print(json.dumps([ended.status, ended.done, again.results, [found.id == job.id for found in gpuq.jobs(status="cancelled", project_id="cancel")]]))
`)
  expect(listed).toEqual(['cancelled', true, [], [true]])
})

it('a job can depend on jobs and groups of the client', async () => {
  const [group, job, plan] = (await run(`
group = gpuq.sweep(command="sleep 600 # {n}", n=[1], ${small})
job = gpuq.submit(command="sleep 600", ${small})
plan = gpuq.submit(command="true", depends_on=[{"id": group, "when": "any"}, job], dry_run=True, ${small})
group.cancel()
job.cancel()
print(json.dumps([group.id, job.id, plan]))
`)) as [string, string, object]
  expect(plan).toMatchObject({
    waits_for: [group, job],
    expected_start_text: `It would wait for others. Not completed: ${job}. Waits for group ${group}: 0 of 1 ended.`,
  })
})

it('an error is a sentence that says what to change', async () => {
  const dir = await directory({ a: '' })
  await symlink('/etc/passwd', join(dir, 'outside'))
  await writeFile(join(home, 'solution.py'), 'print(1)')
  const errorOf = (call: string, env = {}) =>
    run(
      `try:\n    ${call}\nexcept gpuq.Error as error:\n    print(json.dumps([error.status, error.code, str(error)]))`,
      env,
    )
  expect(await errorOf('gpuq.submit("solution.py", expected_time=-1)')).toEqual([
    422,
    'invalid_fields',
    expect.stringMatching(/^expected_time: must be/),
  ])
  expect(await errorOf('gpuq.submit("solution.py", expected_tim=1)')).toEqual([
    422,
    'invalid_fields',
    expect.stringContaining('expected_tim'),
  ])
  expect(await errorOf('gpuq.submit("solution.py", gpu=1)')).toMatchObject([
    422,
    'invalid_fields',
    'gpu: unknown key `gpu`: did you mean `gpus`?',
  ])
  for (const gpus of ['"x"', '[1]', 'True'])
    expect(await errorOf(`gpuq.submit("solution.py", gpus=${gpus})`)).toMatchObject([
      0,
      'client',
      expect.stringMatching(/^gpus must be a number, such as 2, or 0\.5 for half a GPU, not /),
    ])
  expect(await errorOf('gpuq.submit("missing.py")')).toMatchObject([
    0,
    'client',
    expect.stringContaining('missing.py'),
  ])
  expect(await errorOf(`gpuq.submit(${JSON.stringify(dir)}, command="ls")`)).toMatchObject([
    422,
    'invalid_fields',
    expect.stringContaining('outside → /etc/passwd leads to an absolute path'),
  ])
  expect(await errorOf('gpuq.jobs()', { GPUQ_TOKEN: 'gpuq_wrong' })).toMatchObject([
    401,
    'unauthenticated',
    expect.any(String),
  ])
  // From a file with the line ends of Windows.
  expect(await run('gpuq.jobs(); print(1)', { GPUQ_TOKEN: `${person.token}\r` })).toBe(1)
  expect(await errorOf('gpuq.jobs()', { GPUQ_TOKEN: '' })).toEqual([
    0,
    'unauthenticated',
    expect.stringContaining(`${proxy.url}/tokens`),
  ])
  expect(await errorOf('gpuq.jobs()', { GPUQ_URL: 'http://127.0.0.1:1' })).toEqual([
    0,
    'unreachable',
    expect.stringContaining('http://127.0.0.1:1 did not answer'),
  ])
  expect(await errorOf('gpuq.job("0190a3b4-0000-7000-8000-000000000001")')).toMatchObject([
    404,
    'not_found',
    expect.any(String),
  ])
})

it('a submission over a limit waits as long as the server says', async () => {
  const limited = await createUser({ name: 'limited', limits: { ...noLimits, max_active_jobs: 1 } })
  const running = await start(
    `
first = gpuq.submit(command="sleep 3600", ${small}, max_time=3600)
print(first.id)
second = gpuq.submit(command="true", ${small})
print(second.wait().status)
`,
    { GPUQ_TOKEN: limited.token },
  )
  await expect.poll(() => running.err).toContain('your limit is 1')
  await limited.client.jobs.cancel(running.out.trim())
  expect(await running.ended).toBe(0)
  expect(running.out).toMatch(/\ncompleted\n$/)
})
