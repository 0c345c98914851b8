import { mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { killWorker } from '../testing/chaos'
import { startCli } from '../testing/cli-process'
import { DatabaseGate } from '../testing/database-gate'
import type { Lab } from '../testing/lab'
import type { LabFixtures } from '../testing/lab-test'
import { makeEnvironment, makeSender } from '../testing/upload'
import { WebProcess } from '../testing/web-process'
import { testFault } from './fault'
import type { Moment } from './moment'

/** A lab whose web server and worker reach the database through one gate. */
async function openSync({ openLab }: Pick<LabFixtures, 'openLab'>) {
  const lab = await openLab()
  await makeEnvironment(lab)
  const gate = await DatabaseGate.open(lab.database.url)
  lab.afterwards(async () => gate.close())
  const worker = await lab.startWorker({ node: 'a', gpus: 2, databaseUrl: gate.through })
  const web = await WebProcess.start(lab, gate.through)
  // Both have one store.
  await symlink(join(worker.options.dataDir, 'artifacts'), join(lab.directory, 'web', 'artifacts'))
  return { lab, gate, worker, web }
}
type Place = Awaited<ReturnType<typeof openSync>>

/** Appends to a log, and replaces a file, again and again. */
const training = (lines: number) => `
set -e
mkdir -p checkpoints
for i in $(seq ${lines}); do
  echo "line $i" >> train.log
  echo "$i" > checkpoints/new && mv checkpoints/new checkpoints/latest
  sleep 0.05
done
echo weights > checkpoints/model.pt
`

/** What happens while files return. Each returns when the system can be used again. */
const interruptions: ((place: Place, moment: Moment, kill: () => void) => Promise<void>)[] = [
  async (_place, _moment, kill) => kill(),
  async ({ worker }, moment) => killWorker({ worker }, moment.between(0, 1_000)),
  async ({ gate }, moment) => {
    gate.cut()
    await moment.wait(2_000)
    gate.restore()
  },
  async ({ web }, moment) => {
    await web.kill()
    await moment.wait(1_000)
    await web.startAgain()
  },
]

async function findJob(lab: Lab, userId: string): Promise<string | undefined> {
  const { rows } = await lab.database.pool.query<{ id: string }>('SELECT id FROM jobs WHERE user_id = $1', [
    userId,
  ])
  expect(rows.length).toBeLessThan(2)
  return rows[0]?.id
}

testFault({
  name: 'The return of files to a working directory is interrupted: the client, the worker or the web server is killed, the database is cut',
  checked:
    'the working directory has the last version of each file, and no file was taken for a local change',
  places: 2,
  open: openSync,
  async happen(place, moment) {
    const { lab } = place
    const { token, userId } = await makeSender(lab)
    const lines = moment.between(20, 80)
    const directory = await mkdtemp(join(lab.directory, 'work-'))
    await writeFile(join(directory, 'train.sh'), training(lines))
    await mkdir(join(directory, 'data'))
    await writeFile(join(directory, 'data', 'set.txt'), 'uploaded')
    const start = (args: readonly string[]) => startCli(place, token, args, directory)
    const run = ['run', '--sync', '--gpus', '0', '--cpu', '0.2', '--memory', '0.25', '--', 'sh train.sh']

    const first = await start(run)
    await moment.wait(5_000)
    moment.strike()
    await interruptions[moment.number % interruptions.length]?.(place, moment, first.kill)
    const ended = await first.ended
    // It was interrupted before or after the submission, or not at all.
    const submitted = await findJob(lab, userId)
    const last =
      submitted === undefined
        ? await (await start(run)).ended
        : ended.code === 0
          ? ended
          : await (await start(['sync', submitted])).ended
    expect(last, last.err).toMatchObject({ code: 0 })

    const job = (await findJob(lab, userId)) ?? ''
    expect(await lab.jobs.untilFinal(job), await lab.jobs.describe(job)).toMatchObject({
      status: 'completed',
      attempt: 1,
    })
    const read = (path: string) => readFile(join(directory, path), 'utf8')
    expect((await readdir(directory)).sort()).toEqual(['checkpoints', 'data', 'train.log', 'train.sh'])
    // A file that the job removes stays, if it was there for long enough to return.
    const checkpoints = (await readdir(join(directory, 'checkpoints'))).filter((name) => name !== 'new')
    expect(checkpoints.sort()).toEqual(['latest', 'model.pt'])
    expect(await read('train.log')).toBe(Array.from({ length: lines }, (_, i) => `line ${i + 1}\n`).join(''))
    expect(await read('checkpoints/latest')).toBe(`${lines}\n`)
    expect(await read('checkpoints/model.pt')).toBe('weights\n')
    expect(await read('data/set.txt')).toBe('uploaded')
  },
})
