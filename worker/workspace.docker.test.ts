import { chmod, chown, lstat, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeUser } from '@/lib/cluster/testing/rows'
import { Lab } from './testing/lab'
import { expectAllTrue } from './testing/truth'

const isRoot = process.getuid?.() === 0
const uid = isRoot ? 23_456 : (process.getuid?.() ?? 0)
const gid = isRoot ? 34_567 : (process.getgid?.() ?? 0)

let lab: Lab
/** The root of all, as on shared storage: it and what it lies in can be changed by root alone. */
let root = ''
/** The directory of one project that has a path of its own. */
let apart = ''

beforeAll(async () => {
  const made = await mkdtemp(join(isRoot ? '/srv' : homedir(), 'gpuq-test-'))
  await chmod(made, 0o755)
  root = join(made, 'all')
  apart = join(made, 'apart')
  for (const path of ['all/ada/thesis', 'all/bob/secret', 'all/eve/open', 'apart'])
    await mkdir(join(made, path), { recursive: true })
  lab = await Lab.open()
  lab.afterwards(() => rm(made, { recursive: true }))
  await lab.startWorker({ node: 'a', variables: { GPUQ_WORKSPACES: `${root},ada/special=${apart}` } })
})
afterAll(() => lab.close())

interface Submission {
  owner: string
  project: string
  /** Submits without a uid that an admin set. */
  plain?: boolean
  code?: string
}

/** Submits a command, or a program, of somebody's project. */
async function submit(
  command: string | null,
  { owner, project, plain, code = '' }: Submission,
): Promise<string> {
  const { pool } = lab.database
  const ownerId = await makeUser(owner, pool)
  await pool.query('UPDATE users SET unix_uid = $2, unix_gid = $3 WHERE id = $1', [
    ownerId,
    plain ? null : uid,
    plain ? null : gid,
  ])
  return lab.jobs.submit(code, { userId: ownerId, project, command, maxRetries: 0, timeLimitS: 120 })
}

async function untilCompleted(id: string): Promise<string> {
  expect(await lab.jobs.untilFinal(id), await lab.jobs.describe(id)).toMatchObject({ status: 'completed' })
  return lab.jobs.stdout(id)
}

describe('a project with a directory on shared storage', () => {
  it('has it at the same path, to read and write as the user who submits, and starts in it', async () => {
    const own = join(root, 'ada/thesis')
    await writeFile(join(own, 'in.txt'), 'given\n')
    await chown(own, uid, gid)
    await chmod(own, 0o700)
    const command =
      'pwd; cat in.txt; echo "$GPUQ_WORKSPACE"; id -u; id -g; mkdir d; echo made > d/out.txt; touch /work/x /tmp/x /results/x'
    const printed = await untilCompleted(await submit(command, { owner: 'ada', project: 'thesis' }))
    expect(printed.split('\n')).toEqual([own, 'given', own, String(uid), String(gid), ''])
    expect(await readFile(join(own, 'd/out.txt'), 'utf8')).toBe('made\n')
    for (const path of ['d', 'd/out.txt']) {
      expect(await lstat(join(own, path))).toMatchObject({ uid, gid })
    }
  })

  it('may have a path of its own; a program that was uploaded starts in /work and finds it', async () => {
    await chown(apart, uid, gid)
    const code = 'import os\nprint(os.getcwd())\nopen(os.environ["GPUQ_WORKSPACE"] + "/made", "w").write("x")'
    const job = await submit(null, { owner: 'ada', project: 'special', code })
    expect(await untilCompleted(job)).toBe('/work\n')
    expect(await lstat(join(apart, 'made'))).toMatchObject({ uid })
  })

  it('cannot see another project, neither through links nor parent directories', async () => {
    const secret = join(root, 'bob/secret/key.txt')
    await writeFile(secret, 'of bob', { mode: 0o644 })
    const own = join(root, 'ada/thesis')
    await symlink(secret, join(own, 'absolute'))
    await symlink('../../bob/secret/key.txt', join(own, 'relative'))
    await symlink(join(root, 'bob'), join(own, 'directory'))
    await symlink('/proc/1/root', join(own, 'process'))
    const ways = [
      'absolute',
      'relative',
      'directory/secret/key.txt',
      '../../bob/secret/key.txt',
      secret,
      `process${secret}`,
      `/proc/self/root${secret}`,
    ]
    const command = `for way in ${ways.join(' ')}; do cat "$way" && echo "seen by $way"; done; ls ${root} ${root}/ada; ln -sfn ${root}/bob/secret ${own} ; mv ${own} ${root}/ada/gone; mount --bind / . ; echo end`
    const printed = await untilCompleted(await submit(command, { owner: 'ada', project: 'thesis' }))
    expect(printed).not.toMatch(/of bob|seen by/)
    expect(printed.split('\n').filter((line) => line === 'bob')).toEqual([])
    expect(printed).toMatch(/thesis\n(.*\n)*end\n/)
    expect((await lstat(own)).isDirectory()).toBe(true)
  })
})

describe('a directory that cannot be mounted', () => {
  async function untilRefused(submission: Submission): Promise<string> {
    const job = await submit('echo never', submission)
    const row = await lab.jobs.untilFinal(job)
    expect(row).toMatchObject({ status: 'failed', reason: 'workspace_unavailable', exitCode: null })
    return row.reasonDetail ?? ''
  }

  it('because it does not exist fails the job with its path and node', async () => {
    const said = await untilRefused({ owner: 'ada', project: 'missing' })
    expect(said).toBe(`${root}/ada/missing does not exist on a. Create or mount it.`)
  })

  it('because it is a link, wherever it leads', async () => {
    await symlink(join(root, 'bob/secret'), join(root, 'ada/link'))
    expect(await untilRefused({ owner: 'ada', project: 'link' })).toMatch(/ada\/link is a link on a/)
    await symlink(join(root, 'bob'), join(root, 'mallory'))
    expect(await untilRefused({ owner: 'mallory', project: 'secret' })).toMatch(/mallory is a link on a/)
  })

  it('because it is a file', async () => {
    await writeFile(join(root, 'ada/file'), '')
    expect(await untilRefused({ owner: 'ada', project: 'file' })).toMatch(/is not a directory/)
  })

  it('because other users than root could replace it', async () => {
    await chmod(join(root, 'eve'), 0o777)
    expect(await untilRefused({ owner: 'eve', project: 'open' })).toMatch(
      /Users other than root can change .*eve on a/,
    )
    if (!isRoot) return
    await chmod(join(root, 'eve'), 0o755)
    await chown(join(root, 'eve'), uid, gid)
    expect(await untilRefused({ owner: 'eve', project: 'open' })).toMatch(
      /Users other than root can change .*eve on a/,
    )
  })

  it('because the user has no uid', async () => {
    const said = await untilRefused({ owner: 'bob', project: 'secret', plain: true })
    expect(said).toMatch(/^bob has no uid/)
  })

  it('does not count as a failure of the node', async () => {
    const { rows } = await lab.database.pool.query('SELECT failures_in_row, quarantined_at FROM nodes')
    expect(rows).toEqual([{ failures_in_row: 0, quarantined_at: null }])
    await expectAllTrue(lab)
  })
})
