import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFile, chmod, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, vi } from 'vitest'
import { makePerson } from '@/lib/access/testing/people'
import { initializeSimulatedNodes } from '@/lib/cluster/simulated/simulated-nodes'
import type { JobOptions } from '@/lib/cluster/testing/rows'
import { cancel } from '../testing/cancel'
import type { Lab } from '../testing/lab'
import { it } from '../testing/lab-test'
import { expectAllTrue } from '../testing/truth'
import { giveMount, type UploadedEntry } from '../testing/uploaded-directory'
import type { WorkerProcess } from '../testing/worker-process'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const run = promisify(execFile)

/** Queues a job that mounts a snapshot at /data; `onceThere` runs before any worker can take the job. */
async function queue(
  lab: Lab,
  code: string,
  files: Record<string, UploadedEntry>,
  options: JobOptions = {},
  onceThere: (hash: string) => Promise<void> = async () => {},
): Promise<string> {
  const job = await lab.jobs.submit(code, { ...options, held: true })
  const { hash } = await giveMount(lab, job, '/data', files)
  await onceThere(hash)
  await lab.jobs.letGo(job)
  return job
}

const cacheOf = ({ options: { dataDir, node } }: WorkerProcess) => join(dataDir, 'snapshots', node)
const readySnapshots = (worker: WorkerProcess) => readdir(join(cacheOf(worker), 'ready'))
const partials = (worker: WorkerProcess) => readdir(join(cacheOf(worker), 'partial'))

async function loseStore(lab: Lab): Promise<void> {
  await rm(lab.blobsDirectory, { recursive: true })
  await mkdir(lab.blobsDirectory)
}

const show = 'import os; print(sorted(os.listdir("/data")), open("/data/one").read(), flush=True)'

/** Everything that a hostile program could try, with the name of the error that it gets. */
const attack = `
import ctypes, errno, os, stat
libc = ctypes.CDLL(None, use_errno=True)
MS_REMOUNT, MS_BIND = 32, 4096
def call(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), "")
tries = {
    "create": lambda: open("/data/new", "w"),
    "append": lambda: open("/data/one", "a"),
    "truncate": lambda: os.truncate("/data/one", 0),
    "chmod": lambda: os.chmod("/data/one", 0o777),
    "utime": lambda: os.utime("/data/one"),
    "remove": lambda: os.remove("/data/one"),
    "rename": lambda: os.rename("/data/one", "/data/two"),
    "mkdir": lambda: os.mkdir("/data/new"),
    "symlink": lambda: os.symlink("/etc", "/data/new"),
    "through a link": lambda: open("/data/sub/link", "a"),
    "remount": lambda: call(libc.mount(None, b"/data", None, MS_REMOUNT | MS_BIND, None)),
    "unmount": lambda: call(libc.umount(b"/data")),
    "device": lambda: os.mknod("/data/new", 0o600 | stat.S_IFBLK, os.makedev(8, 0)),
}
for name, attempt in tries.items():
    try:
        attempt()
        print(name, "WORKED")
    except OSError as error:
        print(name, errno.errorcode[error.errno])
print(os.path.samefile("/data/..", "/"), os.path.exists("/data/record.json"), os.path.exists("/data/../record.json"))
print(open("/data/sub/link").read(), oct(os.stat("/data/run.sh").st_mode), os.stat("/data/one").st_mode & 0o7022)
line = [line for line in open("/proc/self/mountinfo") if " /data " in line][0]
print(line.split()[5].split(",")[0])
`

describe('a job that mounts a snapshot', () => {
  it.concurrent('reads it, cannot write to it, and cannot leave it', async ({ openLab }) => {
    const lab = await openLab()
    const worker = await lab.startWorker({ node: 'a' })
    const files = { one: 'text', 'run.sh': { program: '#!/bin/sh\n' }, 'sub/link': { target: '../one' } }
    const job = await queue(lab, attack, files)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed' })
    const lines = await lab.jobs.lines(job)
    const tries = lines.slice(0, -3)
    expect(tries).toHaveLength(13)
    for (const line of tries) expect(line).toMatch(/ (EROFS|EACCES|EPERM)$/)
    expect(lines.slice(-3)).toEqual(['True False False', 'text 0o100555 0', 'ro'])
    expect(await readySnapshots(worker)).toHaveLength(1)
    await expectAllTrue(lab)
  })

  it.concurrent('finds it on the node, although the store has lost it', async ({ openLab }) => {
    const lab = await openLab()
    const worker = await lab.startWorker({ node: 'a' })
    const files = { one: 'text', big: randomBytes(3_000_000) }
    const first = await queue(lab, show, files)
    expect(await lab.jobs.untilFinal(first)).toMatchObject({ status: 'completed' })
    await worker.kill()
    worker.start()
    const second = await queue(lab, show, files, {}, () => loseStore(lab))
    expect(await lab.jobs.untilFinal(second)).toMatchObject({ status: 'completed' })
    expect(await lab.jobs.lines(second)).toEqual(["['big', 'one'] text"])
  })

  it.concurrent('gets the files as they were uploaded if the cache was changed', async ({ openLab }) => {
    const lab = await openLab()
    const worker = await lab.startWorker({ node: 'a' })
    const first = await queue(lab, show, { one: 'text' })
    await lab.jobs.untilFinal(first)
    const [hash = ''] = await readySnapshots(worker)
    const changed = join(cacheOf(worker), 'ready', hash, 'files/one')
    await chmod(changed, 0o644)
    await appendFile(changed, ' changed')
    const second = await queue(lab, show, { one: 'text' })
    expect(await lab.jobs.untilFinal(second)).toMatchObject({ status: 'completed' })
    expect(await lab.jobs.lines(second)).toEqual(["['one'] text"])
    expect(worker.log).toContain('the files of a snapshot were changed in the cache')
  })

  it.concurrent('does not start if a link in it leads outside', async ({ openLab }) => {
    const lab = await openLab()
    const worker = await lab.startWorker({ node: 'a' })
    const job = await queue(lab, show, { one: 'text', host: { target: '/etc' } }, { maxRetries: 0 })
    expect(await lab.jobs.untilFinal(job)).toMatchObject({
      status: 'failed',
      reason: 'snapshot_unavailable',
      reasonDetail: 'The list of files of the snapshot data/set@1 is damaged. Upload it again.',
    })
    expect([...(await readySnapshots(worker)), ...(await partials(worker))]).toEqual([])
  })

  it.concurrent('runs on several simulated nodes, which share the cache of their machine', async ({
    openLab,
  }) => {
    const lab = await openLab()
    const worker = await lab.startWorker({ node: 'a', gpus: 0 })
    await lab.untilReady(1)
    await lab.inDatabase(async () => {
      const { actor } = await makePerson('admin')
      await initializeSimulatedNodes(actor, { nodeCount: 2, gpusPerNode: 1 })
    })
    await lab.untilReady(3)
    const spec = { gpu_count: 1, instance_count: 2, cpu: 0.2, memory_gb: 0.25 }
    const job = await queue(lab, show, { one: 'text' }, { spec })
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed' })
    expect(await lab.jobs.lines(job)).toEqual(["['one'] text", "['one'] text"])
    expect(await readySnapshots(worker)).toHaveLength(1)
    await expectAllTrue(lab)
  })
})

describe('the cache', () => {
  it.concurrent('removes what a killed worker has not finished, and the job runs', async ({ openLab }) => {
    const lab = await openLab()
    const worker = await lab.startWorker({ node: 'a' })
    const parts = Array.from({ length: 20 }, (_, i) => [`part-${i}`, randomBytes(20 << 20)] as const)
    const job = await queue(lab, show, { ...Object.fromEntries(parts), one: 'text' })
    await lab.jobs.until('it is being unpacked', async () => (await partials(worker)).length === 1)
    await worker.kill()
    const left = await partials(worker)
    expect(left).toHaveLength(1)
    expect(await readySnapshots(worker)).toEqual([])
    worker.start()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed' })
    expect(await lab.jobs.stdout(job)).toContain('text')
    expect(await partials(worker)).toEqual([])
    await expectAllTrue(lab)
  })

  it.concurrent('keeps what a container mounts, also after the worker was killed', async ({ openLab }) => {
    const lab = await openLab()
    const variables = { GPUQ_SNAPSHOT_CACHE_GIB: '0' }
    const worker = await lab.startWorker({ node: 'a', gpus: 2, variables })
    const reading = `
import itertools, time
for i in itertools.count():
    print("read", i, open("/data/one").read(), flush=True)
    time.sleep(0.2)`
    const spec = { cpu: 0.2, memory_gb: 0.25 }
    const long = await queue(lab, reading, { one: 'kept' }, { spec })
    await lab.jobs.untilPrinted(long, /read 2 kept/)
    await worker.kill()
    worker.start()
    const other = await queue(lab, show, { one: 'other' }, { spec })
    expect(await lab.jobs.untilFinal(other)).toMatchObject({ status: 'completed' })
    const reads = (await lab.jobs.untilPrinted(long, /read/)).split('\n').length
    await lab.jobs.untilPrinted(long, new RegExp(`read ${reads + 5} kept`))
    expect(await readySnapshots(worker)).toHaveLength(1)
    await cancel(lab, long)
    expect(await lab.jobs.untilFinal(long)).toMatchObject({ status: 'cancelled', attempt: 1 })
    const next = await queue(lab, show, { one: 'next' }, { spec })
    await lab.jobs.untilFinal(next)
    await lab.jobs.until('nothing is kept', async () => (await readySnapshots(worker)).length === 0)
  })

  it.concurrent('the cache on a full disk leaves nothing partial, and the reason names the node and the disk', async ({
    openLab,
  }) => {
    const lab = await openLab()
    const worker = await lab.startWorker({ node: 'a', variables: { GPUQ_MIN_FREE_GIB: '0' } })
    await worker.kill()
    const directory = join(worker.options.dataDir, 'snapshots')
    await mkdir(directory, { recursive: true })
    await run('mount', ['-t', 'tmpfs', '-o', 'size=30m,nr_inodes=30', 'gpuq-test-disk', directory])
    lab.afterwards(() => run('umount', ['-l', directory]))
    worker.start()
    const refused = (detail: RegExp) => ({
      status: 'failed',
      reason: 'snapshot_unavailable',
      attempt: 1,
      reasonDetail: expect.stringMatching(detail),
    })
    const large = await queue(lab, show, { one: randomBytes(40 << 20) }, { maxRetries: 0 })
    expect(await lab.jobs.untilFinal(large)).toMatchObject(
      refused(
        /^The disk of a with \S+snapshots\/a has 30 MiB free, and 0 B must stay free: data\/set@1 does not fit/,
      ),
    )
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`file-${i}`, `${i}`]))
    const full = await queue(lab, show, { ...many, one: 'text' }, { maxRetries: 0 })
    expect(await lab.jobs.untilFinal(full)).toMatchObject(
      refused(/^The disk of a with \S+snapshots\/a is full: data\/set@1 does not fit/),
    )
    expect([...(await readySnapshots(worker)), ...(await partials(worker))]).toEqual([])
    const small = await queue(lab, show, { one: 'text' })
    expect(await lab.jobs.untilFinal(small)).toMatchObject({ status: 'completed' })
  })
})
