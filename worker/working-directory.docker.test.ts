import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, vi } from 'vitest'
import type { JobOptions } from '@/lib/cluster/testing/rows'
import { testedValues } from '@/lib/env/testing/test-matrix'
import { artifactKey } from '@/lib/results/name'
import type { Lab } from './testing/lab'
import { it } from './testing/lab-test'
import { expectAllTrue } from './testing/truth'
import { giveDirectory, type UploadedEntry } from './testing/uploaded-directory'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))

const place = '/workspace/experiments'
const script = `${place}/train_bert.sh`

/** Queues a shell command whose directory is at {@link place}, or at another path. */
async function queue(
  lab: Lab,
  command: string,
  files: Record<string, UploadedEntry>,
  { path = place, ...options }: JobOptions & { path?: string } = {},
): Promise<string> {
  const spec = { ...options.spec, working_directory: path }
  const job = await lab.jobs.submit('', { ...options, spec, command, held: true })
  if (Object.keys(files).length > 0) await giveDirectory(lab, job, files)
  await lab.jobs.letGo(job)
  return job
}

/** The stored files of a job, with their content. */
async function returned(lab: Lab, jobId: string): Promise<Record<string, string>> {
  const { rows } = await lab.database.pool.query<{ id: string; attempt: number; rank: number; path: string }>(
    'SELECT id, attempt, rank, path FROM working_files WHERE job_id = $1 ORDER BY path',
    [jobId],
  )
  const files = rows.map(async ({ id, path, ...task }) => {
    const key = artifactKey({ jobId, ...task }, id)
    return [path, await readFile(join(lab.directory, 'a', key), 'utf8').catch(() => 'replaced')] as const
  })
  return Object.fromEntries(await Promise.all(files))
}

/** The file systems of a lab's tasks. */
async function mounts(lab: Lab): Promise<string[]> {
  const table = await readFile('/proc/self/mounts', 'utf8')
  return table.split('\n').flatMap((line) => line.split(' ').filter((word) => word.startsWith(lab.directory)))
}

/** Writes a file into the working directory of a running job, as a sign to its program. */
async function give(lab: Lab, jobId: string, name: string): Promise<void> {
  const task = await lab.jobs.task(jobId)
  const directory = (await mounts(lab)).find((path) => path.endsWith(`.work/${task?.id}`))
  await writeFile(join(directory ?? '', name), '')
}

const training = `
cd /
set -e
echo "step 1 of $(cat ${place}/data/set.txt)" >> ${place}/train.log
while [ ! -e ${place}/go ]; do sleep 0.1; done
echo "step 2" >> ${place}/train.log
mkdir ${place}/checkpoints
echo weights > ${place}/checkpoints/model.pt
`

/** A home directory of the image, and other places. */
const places = testedValues(['/home/ada/project'], ['/root/project', '/tmp/agent-1', '/work'])

describe.concurrent('a job with a working directory', () => {
  it('finds its script at the same absolute path, and its log returns while it runs', async ({ openLab }) => {
    const lab = await openLab()
    await lab.startWorker({ node: 'a' })
    const files = { 'train_bert.sh': training, 'data/set.txt': 'squad', '.gpuqignore': '*.tmp\n' }
    const job = await queue(lab, `pwd; touch x.tmp; sh ${script}`, files)
    await lab.jobs.until('the log has returned', async () => {
      return (await returned(lab, job))['train.log'] === 'step 1 of squad\n'
    })
    expect(await returned(lab, job)).toEqual({ 'train.log': 'step 1 of squad\n' })
    expect(await lab.jobs.row(job)).toMatchObject({ status: 'running' })
    await give(lab, job, 'go')
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', reasonDetail: null })
    expect(await lab.jobs.lines(job)).toEqual([place])
    expect(await returned(lab, job)).toEqual({
      'checkpoints/model.pt': 'weights\n',
      go: '',
      'train.log': 'step 1 of squad\nstep 2\n',
    })
    await expectAllTrue(lab)
    expect(await mounts(lab)).toEqual([])
  })

  it.for(places)('can work at %s', async (path, { openLab }) => {
    const lab = await openLab()
    await lab.startWorker({ node: 'a' })
    const files = {
      'run.sh': { program: '#!/bin/sh\npwd\nexec ./answer.sh\n' },
      'answer.sh': { program: '#!/bin/sh\necho 42 > answer\n' },
    }
    const job = await queue(lab, `${path}/run.sh`, files, { path })
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed' })
    expect(await lab.jobs.lines(job)).toEqual([path])
    expect(await returned(lab, job)).toEqual({ answer: '42\n' })
  })

  it('starts in an empty directory if nothing was sent, and keeps what a failed program wrote', async ({
    openLab,
  }) => {
    const lab = await openLab()
    await lab.startWorker({ node: 'a' })
    const job = await queue(lab, 'ls -A; echo text > file; exit 3', {})
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'failed', exitCode: 3 })
    expect(await lab.jobs.lines(job)).toEqual([])
    expect(await returned(lab, job)).toEqual({ file: 'text\n' })
  })

  it('cannot make gpuq read what is outside, or fill the node', async ({ openLab }) => {
    const lab = await openLab()
    await lab.startWorker({ node: 'a' })
    const attack = `
ln -s /etc/passwd passwd; ln -s /job/config.yaml config; ln -s / root; mkfifo pipe; mkdir -p .git/hooks
echo attack > .git/hooks/post-commit; truncate -s 900G holes
head -c 400M /dev/zero > large 2>/dev/null; rm large
until echo text > file; do sleep 0.1; done
`
    const job = await queue(lab, attack, { data: 'x' }, { spec: { memory_gb: 0.5 } })
    expect(await lab.jobs.untilFinal(job)).toMatchObject({
      status: 'completed',
      reasonDetail: expect.stringContaining('holes (it is sparse'),
    })
    expect(await returned(lab, job)).toEqual({ file: 'text\n' })
    await expectAllTrue(lab)
  })

  it('is continued by a new worker, which stores only what is new', async ({ openLab }) => {
    const lab = await openLab()
    const worker = await lab.startWorker({ node: 'a' })
    const job = await queue(lab, `sh ${script}`, { 'train_bert.sh': training, 'data/set.txt': 'squad' })
    await lab.jobs.until('the log has returned', async () => 'train.log' in (await returned(lab, job)))
    const versions = 'SELECT version FROM working_files WHERE job_id = $1'
    const before = (await lab.database.pool.query(versions, [job])).rows
    await worker.kill()
    await lab.startWorker({ node: 'a' })
    await give(lab, job, 'first')
    await lab.jobs.until('a later file has returned', async () => 'first' in (await returned(lab, job)))
    expect((await lab.database.pool.query(`${versions} AND path = 'train.log'`, [job])).rows).toEqual(before)
    await give(lab, job, 'go')
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed' })
    expect((await returned(lab, job))['train.log']).toBe('step 1 of squad\nstep 2\n')
  })

  it('has the files of an earlier attempt in the next one', async ({ openLab }) => {
    const lab = await openLab()
    const worker = await lab.startWorker({ node: 'a' })
    const program = `
if [ "$GPUQ_ATTEMPT" = 1 ]; then
  rm -r data new; echo a file now > data; mkdir new; echo step 1 > new/log
  sleep 3600
fi
cat data new/log latest; ls
`
    const files = { 'run.sh': program, 'data/x': 'uploaded', new: { target: 'data' }, latest: 'end\n' }
    const job = await queue(lab, 'sh run.sh', files)
    await lab.jobs.until('the log has returned', async () => 'new/log' in (await returned(lab, job)))
    worker.signal('SIGINT')
    await worker.ended()
    await lab.startWorker({ node: 'a' })
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    expect(await lab.jobs.lines(job)).toEqual([
      'a file now',
      'step 1',
      'end',
      'data',
      'latest',
      'new',
      'run.sh',
    ])
  })
})
