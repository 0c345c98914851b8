import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { JobOptions } from '@/lib/cluster/testing/rows'
import { artifactKey } from '@/lib/results/name'
import type { Lab } from './testing/lab'
import { it, type LabFixtures } from './testing/lab-test'
import { listBelow } from './testing/list-below'
import { expectAllTrue } from './testing/truth'
import { giveDirectory } from './testing/uploaded-directory'

async function startLab(openLab: LabFixtures['openLab']) {
  const lab = await openLab()
  return { lab, worker: await lab.startWorker({ node: 'a', gpus: 2 }) }
}

interface Row {
  id: string
  attempt: number
  rank: number
  path: string
  bytes: string
}

/** What is recorded of a job, with the content that is stored of it where it is small. */
async function artifacts(lab: Lab, jobId: string): Promise<Record<string, string | number>> {
  const { rows } = await lab.database.pool.query<Row>(
    'SELECT id, attempt, rank, path, bytes FROM artifacts WHERE job_id = $1 ORDER BY path',
    [jobId],
  )
  const read = rows.map(async ({ id, path, bytes, ...task }) => {
    const content = await readFile(join(lab.directory, 'a', artifactKey({ jobId, ...task }, id)))
    expect(content.length).toBe(Number(bytes))
    return [path, content.length > 1000 ? content.length : content.toString()] as const
  })
  return Object.fromEntries(await Promise.all(read))
}

/** Where the worker mounted what tasks see as /results. */
async function mounts(lab: Lab): Promise<string[]> {
  const table = await readFile('/proc/self/mounts', 'utf8')
  return table.split('\n').filter((line) => line.includes(lab.directory))
}

describe.concurrent('/work', () => {
  it('is deleted with the job, which says what was in it', async ({ openLab }) => {
    const { lab } = await startLab(openLab)
    const job = await lab.jobs.submit(
      `
import os
os.makedirs("outputs/2024-01-01")
open("outputs/2024-01-01/best.ckpt", "wb").write(b"x" * 1000)
open("data/sent.txt").read()
os.makedirs(".cache")
open(".cache/library", "w").write("x")
raise SystemExit(3)`,
      { held: true },
    )
    await giveDirectory(lab, job, { 'data/sent.txt': 'text' })
    await lab.jobs.letGo(job)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({
      status: 'failed',
      reasonDetail:
        'Exit code 3. The program left 1 file (1000 B) in /work, which was not kept: outputs/2024-01-01/best.ckpt. Write files to /results to keep them.',
    })
    await expectAllTrue(lab)
    await lab.jobs.until('nothing is mounted', async () => (await mounts(lab)).length === 0)
  })
})

const large: JobOptions = { spec: { memory_gb: 1.75 } }

describe.concurrent('/results', () => {
  it('is stored file by file before the final status, and nothing stays on the node', async ({ openLab }) => {
    const { lab } = await startLab(openLab)
    const job = await lab.jobs.submit(`
import os
os.makedirs("/results/a/b")
open("/results/a/b/model.bin", "wb").write(b"x" * 3_000_000)
open("/results/notes.txt", "w").write("done\\n")
open("/results/empty", "w")
open("/results/" + "\\u202ename\\n\\x1b[31m<script>", "w").write("odd")
os.chmod("/results/a", 0)
os.chmod("/results/notes.txt", 0)`)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', reasonDetail: null })
    expect(await artifacts(lab, job)).toEqual({
      'a/b/model.bin': 3_000_000,
      empty: '',
      'notes.txt': 'done\n',
      '\u202ename\n\x1b[31m<script>': 'odd',
    })
    await expectAllTrue(lab)
    await lab.jobs.until('nothing is mounted', async () => (await mounts(lab)).length === 0)
    const left = async () =>
      (await listBelow(join(lab.directory, 'a', 'tasks'))).filter((path) => /\//.test(path))
    await lab.jobs.until('nothing of it is left', async () => (await left()).length === 0)
  })

  it('stores only regular files, and lists the omitted ones', async ({ openLab }) => {
    const { lab } = await startLab(openLab)
    const job = await lab.jobs.submit(`
import os, socket
os.symlink("/etc/passwd", "/results/link")
os.symlink("/", "/results/root")
os.mkfifo("/results/pipe")
socket.socket(socket.AF_UNIX).bind("/results/socket")
with open("/results/giant", "w") as giant: giant.truncate(1 << 40)
os.close(os.open(b"/results/\\xff\\xfe", os.O_CREAT | os.O_WRONLY))
open("/results/real", "w").write("real")
os.link("/results/real", "/results/again")
raise SystemExit(3)`)
    const { status, reason, reasonDetail } = await lab.jobs.untilFinal(job)
    expect({ status, reason }).toEqual({ status: 'failed', reason: 'exit_code' })
    expect(reasonDetail).toMatch(/^Exit code 3\. 6 files of \/results were not kept: .* and 3 more\.$/)
    expect(await artifacts(lab, job)).toEqual({ real: 'real', again: 'real' })
    await expectAllTrue(lab)
  })

  it('is limited in size and number of files, also for deleted files that are open', async ({ openLab }) => {
    const { lab } = await startLab(openLab)
    const job = await lab.jobs.submit(
      `
import os
def fill(name, unlink):
    file = open(name, "wb")
    if unlink: os.unlink(name)
    written = 0
    try:
        while True:
            written += file.write(b"\\0" * (1 << 20))
            file.flush()
    except OSError as error:
        print(error.errno, written >> 20)
    return file
fill("/results/unseen", True).raw.close()
made = 0
try:
    while True:
        os.close(os.open(f"/results/f{made}", os.O_CREAT))
        made += 1
except OSError as error:
    print(error.errno, made)`,
      large,
    )
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', reasonDetail: null })
    expect(await lab.jobs.lines(job)).toEqual(['28 1024', '28 4096'])
    expect(Object.keys(await artifacts(lab, job))).toHaveLength(4096)
    await expectAllTrue(lab)
  })

  it('is kept if the worker restarts, whether or not the program ends in the meantime', async ({
    openLab,
  }) => {
    const { lab, worker } = await startLab(openLab)
    const code = (seconds: number) => `
import time
open("/results/early", "w").write("early")
print("written", flush=True)
time.sleep(${seconds})
open("/results/late", "w").write("late")`
    const [short, long] = [await lab.jobs.submit(code(1)), await lab.jobs.submit(code(20))]
    for (const job of [short, long]) await lab.jobs.untilPrinted(job, /written/)
    await worker.kill()
    await lab.jobs.until('the short one has ended', async () =>
      (await lab.containers()).some(({ state }) => state === 'exited'),
    )
    worker.start()
    for (const job of [short, long]) {
      expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
      expect(await artifacts(lab, job)).toEqual({ early: 'early', late: 'late' })
    }
    await expectAllTrue(lab)
  })

  it('is kept if the job reaches its time limit', async ({ openLab }) => {
    const { lab } = await startLab(openLab)
    const job = await lab.jobs.submit('open("/results/x", "w").write("x")\nimport time\ntime.sleep(60)', {
      timeLimitS: 10,
    })
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'failed', reason: 'timeout' })
    expect(await artifacts(lab, job)).toEqual({ x: 'x' })
    await expectAllTrue(lab)
  })
})
