import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '@/worker/testing/until'
import { storedData } from './stored-data'
import { theSystem } from './system/the-system'

/** Python code that blocks a program until the test releases it. */
export const waitAtBarrier = `
import os, time
while not os.path.exists("/job/go"):
    time.sleep(0.1)
`

/** Releases a blocked job: creates a file in the directory that its container mounts as /job. */
export async function openBarrier(jobId: string): Promise<void> {
  const directory = async () => {
    const { rows } = await storedData().pool.query<{ node: string; task: string }>(
      `SELECT t.node_id AS node, t.id AS task
         FROM tasks t JOIN jobs j ON j.id = t.job_id AND j.attempt = t.attempt WHERE j.id = $1`,
      [jobId],
    )
    return join(theSystem().dataDir, 'tasks', rows[0]?.node ?? 'none yet', rows[0]?.task ?? 'none yet')
  }
  await until(`job ${jobId} has a directory`, async () =>
    writeFile(join(await directory(), 'go'), '').then(
      () => true,
      () => false,
    ),
  )
}
