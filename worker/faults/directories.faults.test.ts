import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { killWorker } from '../testing/chaos'
import { startCli } from '../testing/cli-process'
import { DatabaseGate } from '../testing/database-gate'
import type { Lab } from '../testing/lab'
import type { LabFixtures } from '../testing/lab-test'
import { makeEnvironment, makeSender, uploadForm } from '../testing/upload'
import { giveDirectory, giveMount } from '../testing/uploaded-directory'
import { WebProcess } from '../testing/web-process'
import { testFault } from './fault'
import type { Moment } from './moment'

const run = promisify(execFile)
const done = { status: 'completed', attempt: 1 }

/** Compares every file of the working directory and of /data with its list of checksums. */
const checkAll = `
import hashlib
for root in ("/work", "/data"):
    lines = open(root + "/sums.txt").read().splitlines()
    for line in lines:
        digest, name = line.split(" ", 1)
        content = open(root + "/" + name, "rb").read()
        assert hashlib.sha256(content).hexdigest() == digest, root + "/" + name
    print(root, len(lines), "complete")
`
const complete = (files: number) => [`/work ${files} complete`, `/data ${files} complete`]

/** Random files with a list of their checksums. Each directory has new contents, so that nothing was stored before. */
function makeFiles(moment: Moment, mostBytes: number): { files: Record<string, Buffer>; count: number } {
  const count = moment.between(20, 80)
  const files: Record<string, Buffer> = {}
  const sums: string[] = []
  for (let index = 0; index < count; index++) {
    const name = `part-${index % 7}/file-${index}`
    const content = randomBytes(moment.between(0, mostBytes))
    files[name] = content
    sums.push(`${createHash('sha256').update(content).digest('hex')} ${name}`)
  }
  return { files: { ...files, 'sums.txt': Buffer.from(sums.join('\n')) }, count }
}

/** A disk of its own at a path, which can be filled. */
async function mountDisk(lab: Lab, path: string, megabytes: number) {
  await mkdir(path, { recursive: true })
  await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'gpuq-test-disk', path])
  lab.afterwards(() => run('umount', ['-l', path]))
  const filler = join(path, 'filler')
  return {
    // It ends with an error when the disk is full.
    fill: () => run('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1M']).catch(() => {}),
    free: () => rm(filler, { force: true }),
  }
}

/** A lab with a web server and a user who uploads directories. */
async function openUploads({ openLab }: Pick<LabFixtures, 'openLab'>) {
  const lab = await openLab()
  await makeEnvironment(lab)
  const gate = await DatabaseGate.open(lab.database.url)
  lab.afterwards(async () => gate.close())
  await lab.startWorker({ node: 'a', gpus: 2 })
  const disk = await mountDisk(lab, lab.blobsDirectory, 1_024)
  const web = await WebProcess.start(lab, gate.through, { GPUQ_MIN_FREE_GIB: '0' })
  return { lab, gate, web, disk }
}
type Uploads = Awaited<ReturnType<typeof openUploads>>

/** Starts `gpuq push` of a directory. */
const startPush = (place: Uploads, token: string, directory: string) =>
  startCli(place, token, ['push', directory, '--name', 'data', '--project', 'faults'])

/** What happens during an upload. Each returns when the system can be used again. */
const interruptions: ((place: Uploads, moment: Moment, kill: () => void) => Promise<void>)[] = [
  async (_place, _moment, kill) => kill(),
  async ({ web }, moment) => {
    await web.kill()
    await moment.wait(1_000)
    await web.startAgain()
  },
  async ({ gate }, moment) => {
    gate.cut()
    await moment.wait(2_000)
    gate.restore()
  },
  async ({ disk }, moment) => {
    await disk.fill()
    await moment.wait(2_000)
    await disk.free()
  },
]

testFault({
  name: 'The upload of a directory is interrupted: its client or the web server is killed, the database is cut, the disk is full',
  checked:
    'the repeated upload succeeds; jobs find every file of the snapshot as it was, unpacked and mounted',
  places: 2,
  open: openUploads,
  async happen(place, moment) {
    const { lab, web } = place
    // A user may submit only a few jobs per minute.
    const { token } = await makeSender(lab)
    const { files, count } = makeFiles(moment, 500_000)
    const directory = await mkdtemp(join(lab.directory, 'pushed-'))
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(directory, name)), { recursive: true })
      await writeFile(join(directory, name), content)
    }
    const first = await startPush(place, token, directory)
    await moment.wait(2_500)
    moment.strike()
    await interruptions[moment.number % interruptions.length]?.(place, moment, first.kill)
    await first.ended
    const second = await (await startPush(place, token, directory)).ended
    expect(second, second.err).toMatchObject({ code: 0 })
    await rm(directory, { recursive: true })

    const snapshot = second.out.trim()
    const keys = {
      archive: snapshot,
      mounts: { '/data': snapshot },
      cpu: 0.2,
      memory_gb: 0.25,
      max_retries: 0,
    }
    const body = uploadForm(token, checkAll, keys)
    const answer = await fetch(`${web.url}/api/submit?wait=0`, { method: 'POST', body })
    expect(answer.ok, await answer.clone().text()).toBe(true)
    const { job_id: job } = (await answer.json()) as { job_id: string }
    expect(await lab.jobs.untilFinal(job), await lab.jobs.describe(job)).toMatchObject(done)
    expect(await lab.jobs.lines(job)).toEqual(complete(count))
  },
})

/** A lab whose worker reaches the database through a gate, and keeps its files on a disk of its own. */
async function openUnpacking({ openLab }: Pick<LabFixtures, 'openLab'>) {
  const lab = await openLab()
  const gate = await DatabaseGate.open(lab.database.url)
  lab.afterwards(async () => gate.close())
  const variables = { GPUQ_MIN_FREE_GIB: '0' }
  const worker = await lab.startWorker({ node: 'a', gpus: 2, databaseUrl: gate.through, variables })
  await worker.kill()
  const disk = await mountDisk(lab, join(worker.options.dataDir, 'snapshots'), 768)
  worker.start()
  await lab.untilReady(1)
  return { lab, gate, worker, disk }
}
type Unpacking = Awaited<ReturnType<typeof openUnpacking>>

/** Waits until the worker unpacks, and then for a random time. */
async function waitInUnpacking({ lab, worker }: Unpacking, moment: Moment): Promise<void> {
  const partial = join(worker.options.dataDir, 'snapshots', worker.options.node, 'partial')
  await lab.jobs.until('it is being unpacked', async () => (await readdir(partial)).length > 0)
  await moment.wait(400)
}

/** Queues a job that compares the files of its working directory and of a snapshot. */
async function queueCheck(lab: Lab, { files }: ReturnType<typeof makeFiles>): Promise<string> {
  const spec = { cpu: 0.2, memory_gb: 0.5 }
  const job = await lab.jobs.submit(checkAll, { spec, maxRetries: 0, held: true })
  await giveMount(lab, job, '/data', files)
  await giveDirectory(lab, job, files)
  await lab.jobs.letGo(job)
  return job
}

testFault({
  name: 'The worker is killed, or its database is cut, while it unpacks directories',
  checked: 'the job finds every file as it was, and no attempt is lost',
  places: 4,
  open: openUnpacking,
  async happen(place, moment) {
    const { lab, gate, worker } = place
    const made = makeFiles(moment, 4_000_000)
    const job = await queueCheck(lab, made)
    await waitInUnpacking(place, moment)
    moment.strike()
    if (moment.number % 2 === 0) await killWorker({ worker }, moment.between(0, 1_000))
    else {
      gate.cut()
      await moment.wait(2_000)
      gate.restore()
    }
    expect(await lab.jobs.untilFinal(job), await lab.jobs.describe(job)).toMatchObject(done)
    expect(await lab.jobs.lines(job)).toEqual(complete(made.count))
  },
})

testFault({
  name: 'The disk of a node is full while it unpacks a snapshot',
  checked: 'the job completes, or fails with the disk as its reason; the next job finds every file',
  places: 4,
  open: openUnpacking,
  async happen(place, moment) {
    const { lab, disk } = place
    const made = makeFiles(moment, 4_000_000)
    const job = await queueCheck(lab, made)
    await waitInUnpacking(place, moment)
    moment.strike()
    await disk.fill()
    const ended = await lab.jobs.untilFinal(job)
    if (ended.status === 'completed') expect(await lab.jobs.lines(job)).toEqual(complete(made.count))
    else expect(ended, await lab.jobs.describe(job)).toMatchObject({ reason: 'snapshot_unavailable' })
    await disk.free()
    const next = await queueCheck(lab, made)
    expect(await lab.jobs.untilFinal(next), await lab.jobs.describe(next)).toMatchObject(done)
    expect(await lab.jobs.lines(next)).toEqual(complete(made.count))
  },
})
