import { expect } from 'vitest'
import type { Lab } from './testing/lab'
import { it } from './testing/lab-test'
import { expectAllTrue } from './testing/truth'

const engineFault =
  'HTTP/1.1 500 Internal Server Error\r\nContent-Type: application/json\r\nContent-Length: 27\r\nConnection: close\r\n\r\n{"message":"no disk space"}'

async function quarantine(lab: Lab): Promise<void> {
  await lab.database.pool.query(
    `UPDATE nodes SET quarantined_at = now() - interval '1 minute', quarantine_reason = 'Too many jobs failed.'`,
  )
}

async function node(lab: Lab) {
  const { rows } = await lab.database.pool.query<{
    quarantined: boolean
    probes: number
    error: string | null
  }>('SELECT quarantined_at IS NOT NULL AS quarantined, probes, probe_error AS error FROM nodes')
  return rows[0]
}

it('a quarantined node tests itself until its probe passes, then runs the jobs that waited', async ({
  openGatedLab,
}) => {
  const { lab, gate } = await openGatedLab({ gpus: 1 })
  await lab.untilReady(1)
  const stopLying = gate.lie(/^POST \/containers\/create/, engineFault)
  await quarantine(lab)
  const waiting = await lab.jobs.submit('print("ran")')
  await lab.jobs.until('a probe failed', async () => (await node(lab))?.probes === 1)
  expect(await node(lab)).toEqual({
    quarantined: true,
    probes: 1,
    error: 'The engine could not create the container: no disk space',
  })
  expect(await lab.jobs.row(waiting)).toMatchObject({ status: 'pending', attempt: 0 })

  stopLying()
  await lab.database.pool.query(`UPDATE nodes SET probed_at = now() - interval '2 minutes'`)
  expect(await lab.jobs.untilFinal(waiting)).toMatchObject({ status: 'completed', attempt: 1 })
  expect(await node(lab), 'the job reset the count').toEqual({ quarantined: false, probes: 0, error: null })
  const { rows } = await lab.database.pool.query('SELECT count(*)::int AS jobs FROM jobs')
  expect(rows, 'a probe is no job').toEqual([{ jobs: 1 }])
  const left = await lab.engine.containers('gpuq.task')
  const { rows: nodes } = await lab.database.pool.query<{ id: string }>('SELECT id FROM nodes')
  expect(left.filter(({ nodeId }) => nodeId === `probe-${nodes[0]?.id}`)).toEqual([])
  await expectAllTrue(lab)
})
