import { chmod, chown, lstat, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeCondaStandIn } from './testing/conda-stand-in'
import { Lab } from './testing/lab'

const isRoot = process.getuid?.() === 0
const uid = isRoot ? 23_456 : (process.getuid?.() ?? 0)
const gid = isRoot ? 34_567 : (process.getgid?.() ?? 0)

const look = `import os
print("look.py" in os.listdir("."), "a" in os.listdir("."))
try:
    print(os.listdir("a"))
except PermissionError:
    # With runc 1.3. Earlier ones let jobs read the empty directory.
    print([])
try:
    open("a/made", "w")
except OSError:
    print("read-only")
`

let lab: Lab
/** The directory of a user's script. */
let home = ''
/** A stand-in for a conda environment. */
let prefix = ''

beforeAll(async () => {
  const made = await mkdtemp(join(isRoot ? '/srv' : homedir(), 'gpuq-host-'))
  await chmod(made, 0o755)
  home = join(made, 'home')
  prefix = join(made, 'envs', 'stand-in')
  await mkdir(join(home, 'project'), { recursive: true })
  await makeCondaStandIn(prefix)
  await writeFile(join(home, 'project/sibling.py'), 'def words():\n    return "from the sibling"\n')
  await writeFile(
    join(home, 'project/train.py'),
    `import os, sys
import sibling
print(sibling.words(), os.getcwd(), os.getuid(), os.getgid(), sys.argv[1:])
print(sys.executable, os.environ.get("STAND_IN"), os.environ.get("CONDA_DEFAULT_ENV"))
open("checkpoint.pt", "w").write("weights")
try:
    open(os.path.join(os.environ.get("CONDA_PREFIX", "/usr"), "x"), "w")
except OSError as error:
    print(type(error).__name__)
`,
  )
  await symlink(join(home, 'project'), join(made, 'linked'))
  for (const path of [home, join(home, 'project')]) await chown(path, uid, gid)
  await chmod(home, 0o700)
  lab = await Lab.open()
  lab.afterwards(() => rm(made, { recursive: true }))
  // The worker's data directory is inside the lab's directory.
  await writeFile(join(lab.directory, 'look.py'), look)
  await lab.startWorker({ node: 'a', variables: { GPUQ_HOST_FILES: 'true' } })
})
afterAll(() => lab.close())

async function run(spec: Record<string, unknown>): Promise<string> {
  const id = await lab.jobs.submit('print("the uploaded copy")', { spec, maxRetries: 0, timeLimitS: 120 })
  expect(await lab.jobs.untilFinal(id), await lab.jobs.describe(id)).toMatchObject({ status: 'completed' })
  return lab.jobs.stdout(id)
}

it('a script runs in its own directory, as its user, beside its modules and checkpoints', async () => {
  const printed = await run({ host_script: join(home, 'project/train.py'), args: ['--x', '1'] })
  const [first, second] = printed.split('\n')
  expect(first).toBe(`from the sibling ${home}/project ${uid} ${gid} ['--x', '1']`)
  expect(second).toMatch(/python\S* None None$/)
  const checkpoint = join(home, 'project/checkpoint.pt')
  expect(await readFile(checkpoint, 'utf8')).toBe('weights')
  expect(await lstat(checkpoint)).toMatchObject({ uid, gid })
})

it('a conda environment runs it, active and read-only', async () => {
  const printed = await run({ host_script: join(home, 'project/train.py'), conda_prefix: prefix })
  expect(printed.split('\n').slice(1)).toEqual([`${prefix}/bin/python active stand-in`, 'OSError', ''])
})

it('a script behind a link finds its modules at both paths', async () => {
  const linked = join(home, '..', 'linked')
  expect(await run({ host_script: join(linked, 'train.py') })).toContain(`from the sibling ${linked} `)
})

it('a script beside the data of gpuq does not see it', async () => {
  expect(await run({ host_script: join(lab.directory, 'look.py') })).toBe('True True\n[]\nread-only\n')
})

it('a script in /tmp has its directory there', async () => {
  const directory = await mkdtemp('/tmp/gpuq-host-')
  try {
    await chown(directory, uid, gid)
    await writeFile(
      join(directory, 'a.py'),
      'open("made", "w").write("x")\nprint(open("/tmp/free", "w").name)\n',
    )
    expect(await run({ host_script: join(directory, 'a.py') })).toBe('/tmp/free\n')
    expect(await lstat(join(directory, 'made'))).toMatchObject({ uid, gid })
  } finally {
    await rm(directory, { recursive: true })
  }
})

it('a missing script fails the job with its path', async () => {
  const id = await lab.jobs.submit('', { spec: { host_script: join(home, 'gone.py') }, maxRetries: 0 })
  const row = await lab.jobs.untilFinal(id)
  expect(row).toMatchObject({ status: 'failed', reason: 'workspace_unavailable' })
  expect(row.reasonDetail).toContain(`${home}/gone.py does not exist`)
})
