import { expect } from 'vitest'
import type { NodeCheck } from '@/lib/node-checks/contract'
import { FakeNvidiaSmi } from '../gpus/testing/fake-nvidia-smi'
import type { Lab } from '../testing/lab'
import { it } from '../testing/lab-test'
import { expectAllTrue } from '../testing/truth'

interface StoredReport {
  nodeId: string
  checkedAt: Date
  failures: number
  checks: NodeCheck[]
}

async function storedReport(lab: Lab): Promise<StoredReport | undefined> {
  const { rows } = await lab.database.pool.query<StoredReport>(
    `SELECT node_id AS "nodeId", checked_at AS "checkedAt", failures, checks FROM node_reports WHERE checked_at IS NOT NULL`,
  )
  return rows[0]
}

async function reportAfter(lab: Lab, time: Date | undefined): Promise<StoredReport> {
  await lab.jobs.until('the node was checked', async () => {
    const report = await storedReport(lab)
    return report !== undefined && (time === undefined || report.checkedAt > time)
  })
  const report = await storedReport(lab)
  if (!report) throw new Error('There is no report.')
  return report
}

const statusesOf = ({ checks }: StoredReport) =>
  Object.fromEntries(checks.map(({ id, status }) => [id, status]))

async function containersOfChecks(lab: Lab, nodeId: string) {
  const containers = await lab.engine.containers('gpuq.task')
  return containers.filter((container) => container.nodeId === `check-${nodeId}`)
}

const defaultEnvironment = `INSERT INTO environments (id, name, image, is_default)
  VALUES (gen_random_uuid(), 'default-of-checks', 'gpuq/python:2', true)`

it('a node checks itself at its start and on request, with a container of the default image', async ({
  openLab,
}) => {
  const lab = await openLab()
  await lab.database.pool.query('UPDATE environments SET is_default = false')
  await lab.database.pool.query(defaultEnvironment)
  await lab.startWorker({ node: 'a', variables: { GPUQ_CHECK_INTERVAL_H: '6' } })
  const first = await reportAfter(lab, undefined)
  expect(statusesOf(first)).toMatchObject({
    seccomp: 'ok',
    data_disk: expect.stringMatching(/ok|warning/),
    clock: 'ok',
    image: 'ok',
    nvidia_smi: 'not_applicable',
    gpu_visible: 'not_applicable',
    gpu_compute: 'not_applicable',
  })
  for (const { id, status, action } of first.checks)
    expect(action === null, id).toBe(status === 'ok' || status === 'not_applicable')

  await lab.database.pool.query('UPDATE node_reports SET requested_at = clock_timestamp()')
  const second = await reportAfter(lab, first.checkedAt)
  expect(statusesOf(second)).toEqual(statusesOf(first))
  expect(await containersOfChecks(lab, second.nodeId)).toEqual([])
  await expectAllTrue(lab)
})

it('says that stand-in GPUs do not compute, and uses only the free one', async ({ openLab, startEngine }) => {
  const standIn = await FakeNvidiaSmi.make()
  await standIn.prints([
    '0, GPU-aaaa, Stand-in, 81920, 4, 0, 31, 61.02, Disabled',
    '1, GPU-bbbb, Stand-in, 81920, 76800, 99, 71, 390.55, Disabled',
  ])
  const own = await startEngine({ liveRestore: false, pretendsGpus: true })
  const lab = await openLab({ engine: own.engine })
  lab.afterwards(() => standIn.remove())
  await lab.database.pool.query('UPDATE environments SET is_default = false')
  await lab.database.pool.query(defaultEnvironment)
  await lab.startWorker({
    node: 'a',
    nvidiaSmi: standIn.directory,
    engineSocket: own.socketPath,
    variables: { GPUQ_CHECK_INTERVAL_H: '6' },
  })
  const report = await reportAfter(lab, undefined)
  expect(statusesOf(report)).toMatchObject({
    nvidia_smi: 'ok',
    image: 'ok',
    image_cuda: 'failure',
    gpu_visible: 'failure',
    gpu_compute: 'not_applicable',
  })
  expect(report.checks.find(({ id }) => id === 'gpu_visible')?.found).toBe(
    'A container does not see GPU 0: libcuda.so.1 of the driver is not in the container.',
  )
  expect(await containersOfChecks(lab, report.nodeId)).toEqual([])
  await expectAllTrue(lab)
})
