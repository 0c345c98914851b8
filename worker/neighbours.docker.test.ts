import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { cancel } from './testing/cancel'
import type { Lab } from './testing/lab'
import { it } from './testing/lab-test'
import { neighbour, reachFrom, superuser } from './testing/neighbour'
import { expectAllTrue } from './testing/truth'
import { giveDirectory, giveMount } from './testing/uploaded-directory'
import { isWarm, startWarmWorker } from './testing/warm'

/** Prints whether its container was warm, writes to every place that is on the host, and waits for its end. */
const program = `
import os, time
${isWarm}
for place in ("/results", os.environ.get("GPUQ_CHECKPOINT_DIR"), os.getcwd()):
    if place: open(place + "/written", "w").write(os.environ["HF_TOKEN"])
print("written", flush=True)
while True: time.sleep(0.1)`

/** Makes a data directory that other accounts can enter, with the directories that an earlier version left open. */
async function makeOldData(lab: Lab): Promise<string> {
  await chmod(lab.directory, 0o755)
  const dataDir = join(lab.directory, 'a')
  await mkdir(dataDir, { mode: 0o755 })
  await symlink(lab.resultsDirectory, join(dataDir, 'results'))
  await symlink(lab.blobsDirectory, join(dataDir, 'blobs'))
  for (const name of ['tasks', 'tasks.warm', 'tasks.results', 'tasks.work', 'snapshots/a', 'checkpoints']) {
    await mkdir(join(dataDir, name), { recursive: true, mode: 0o755 })
    await chmod(join(dataDir, name), 0o755)
  }
  return dataDir
}

/** Starts a job for each place where a node keeps files of jobs. */
async function startJobs(lab: Lab, secret: string): Promise<Record<string, string>> {
  const env = { HF_TOKEN: secret }
  const small = { env, memory_gb: 0.25, cpu: 0.1 }
  const submit = (spec: object) => lab.jobs.submit(program, { spec: { ...small, ...spec }, held: true })
  const jobs = {
    warm: await lab.jobs.submit(program, { spec: { env }, held: true }),
    cold: await submit({}),
    working: await submit({ working_directory: '/home/ada/project' }),
    snapshot: await submit({}),
    checkpoints: await submit({ run_name: 'base' }),
  }
  await giveDirectory(lab, jobs.cold, { 'data/uploaded': secret })
  await giveDirectory(lab, jobs.working, { uploaded: secret })
  await giveMount(lab, jobs.snapshot, '/data', { 'deep/snapshot': secret })
  await lab.jobs.letAllGo()
  for (const [name, job] of Object.entries(jobs))
    expect(await lab.jobs.untilPrinted(job, /written/), name).toContain(name === 'warm' ? 'True' : 'False')
  return jobs
}

/** The uid of a process. */
async function uidOf(pid: number): Promise<number> {
  const [, uid] = /^Uid:\t(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(uid)
}

it('another account of the node reaches no file, variable or process of any job, and finds only their mounts', async ({
  openLab,
}) => {
  const lab = await openLab()
  const dataDir = await makeOldData(lab)
  await startWarmWorker(lab, { gpus: 5, dataDir })
  const secret = `hf_${randomBytes(16).toString('hex')}`
  const jobs = await startJobs(lab, secret)
  const tasks = await Promise.all(Object.values(jobs).map((job) => lab.jobs.task(job)))

  const byRoot = await reachFrom(superuser, lab.directory, secret)
  const files = ['solution.py', 'config.yaml', 'written', 'data/uploaded', 'deep/snapshot', '.start']
  for (const file of files)
    expect(byRoot.paths, file).toContainEqual(expect.stringMatching(new RegExp(`/${file}$`)))
  expect(byRoot.processes).toContainEqual(expect.stringMatching(/environ$/))

  // The uid of a job may be that of an account, which has another group.
  const [first] = await lab.containers()
  const sameUid = { ...neighbour, uid: await uidOf((await lab.engine.inspect(first?.id ?? '')).State.Pid) }
  for (const account of [neighbour, sameUid]) {
    const reached = await reachFrom(account, lab.directory, secret)
    for (const task of tasks)
      expect(reached.mounts).toContainEqual(expect.stringContaining(task?.id ?? 'no task'))
    expect({ ...reached, mounts: [] }).toEqual({ mounts: [], paths: [dataDir], processes: [] })
  }
  for (const part of await readdir(dataDir))
    expect([part, (await stat(join(dataDir, part))).mode & 0o777]).toEqual([part, 0o700])
  expect(byRoot.processes.filter((path) => path.endsWith('cmdline'))).toEqual([])

  for (const job of Object.values(jobs)) await cancel(lab, job)
  for (const job of Object.values(jobs)) await lab.jobs.untilFinal(job)
  await expectAllTrue(lab)
})
