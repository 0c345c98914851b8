import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeUser } from '@/lib/cluster/testing/rows'
import { latch } from './runtime/testing/latch'
import { FakeLab } from './testing/fake-lab'
import { expectAllTrue } from './testing/truth'

it('jobs of two members with the same run name run at the same time, each with its own directory on the shared disk', async () => {
  const lab = await FakeLab.open()
  const { pool } = lab.database
  lab.startWorker({ node: 'a', gpus: 2 })
  const [ownerId, member] = [await makeUser(undefined, pool), await makeUser(undefined, pool)]
  const spec = { run_name: 'base' }
  const start = async (userId: string) => {
    const end = latch()
    const script = async () => {
      await end.opened
      return 0
    }
    return { job: await lab.submit(script, { userId, ownerId, spec, timeLimitS: 3600 }), end }
  }
  const jobs = [await start(ownerId), await start(member)]
  for (const { job } of jobs) await lab.untilContainer(job, 'running')
  const { rows } = await pool.query<{ project: string; directory: string }>(
    'SELECT project_id AS project, directory FROM runs ORDER BY directory',
  )
  expect(rows).toHaveLength(2)
  const directories = rows.map(({ directory }) => directory)
  const shared = join(lab.directory, 'a', 'checkpoints', rows[0]?.project ?? '')
  expect((await readdir(shared)).sort()).toEqual(directories)
  for (const { job, end } of jobs) {
    end.open()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed' })
  }
  const again = await start(member)
  again.end.open()
  expect(await lab.jobs.untilFinal(again.job)).toMatchObject({ status: 'completed' })
  expect((await readdir(shared)).sort()).toEqual(directories)
  await expectAllTrue(lab)
})
