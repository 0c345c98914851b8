import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Script } from '../runtime/testing/fake-container'
import { cancel } from '../testing/cancel'
import { FakeLab } from '../testing/fake-lab'
import { endless, onceMore, short } from '../testing/scripts'
import { expectAllTrue } from '../testing/truth'
import { until } from '../testing/until'
import { provision } from './provisioner'

const spec = { fresh_nodes: true, gpu_count: 1, cpu: 0.2, memory_gb: 0.25 }

/**
 * A lab with a provisioner and a node for other jobs. Its commands write down that they ran; the nodes are workers that the test
 * starts and ends.
 * @param up what the first command does then. `$LAB` is the directory of the lab.
 */
async function openProvisioned({ up = 'true', down = 'true' } = {}) {
  const lab = await FakeLab.open()
  lab.startWorker({ node: 'own' })
  const log = join(lab.directory, 'commands')
  await writeFile(log, '')
  const command = (name: string, rest: string) =>
    `LAB=${lab.directory}; echo ${name} >> ${log}; echo "command ${name}"; ${rest}`
  const commands = { up: command('up', up), down: command('down', down), deadlineS: 3600 }
  const start = () => lab.startService((signal) => provision(commands, signal))
  /** The commands that ran, in their order. */
  const ran = async () => (await readFile(log, 'utf8')).split('\n').slice(0, -1)
  const untilRan = (...names: string[]) =>
    lab.jobs.until(`the commands ran: ${names}`, async () => `${await ran()}` === `${names}`)
  const startNode = (job: string, index: number) =>
    lab.startWorker({ node: `fresh-${index}`, dedicatedTo: job })
  const untilEnded = (job: string) =>
    lab.jobs.until('its nodes are taken down', async () => {
      const { rows } = await lab.database.pool.query<{
        problem: string | null
        output: string
        round: number
      }>(`SELECT problem, output, round FROM provisions WHERE job_id = $1 AND status = 'ended'`, [job])
      return rows[0]
    })
  return { lab, provisioner: start(), start, ran, untilRan, startNode, untilEnded }
}

interface End {
  end: string
  script: Script
  timeLimitS?: number
  act?: (lab: FakeLab, job: string) => Promise<void>
  expected: { status: string; reason: string }
}

const ends: End[] = [
  { end: 'completed', script: short, expected: { status: 'completed', reason: 'finished' } },
  { end: 'failed', script: async () => 3, expected: { status: 'failed', reason: 'exit_code' } },
  { end: 'timed out', script: endless, timeLimitS: 1, expected: { status: 'failed', reason: 'timeout' } },
  {
    end: 'was cancelled',
    script: endless,
    act: async (lab, job) => {
      await lab.jobs.untilPrinted(job, /in/)
      await cancel(lab, job)
    },
    expected: { status: 'cancelled', reason: 'cancelled_by_user' },
  },
  {
    end: 'lost its worker for good',
    script: endless,
    act: async (lab, job) => {
      await lab.jobs.untilPrinted(job, /in/)
      await lab.workers.at(-1)?.kill()
      await lab.expireLease('fresh-0')
    },
    expected: { status: 'failed', reason: 'node_lost' },
  },
]

describe('nodes provisioned for one job', () => {
  it.for(ends)(
    'are removed after their job $end, and run no other job',
    async ({ script, timeLimitS = 900, act, expected }) => {
      const { lab, untilRan, startNode, untilEnded } = await openProvisioned()
      const job = await lab.submit(script, { spec, timeLimitS, maxRetries: 0 })
      const other = await lab.submit(short)
      await untilRan('up')
      startNode(job, 0)
      await act?.(lab, job)
      expect(await lab.jobs.untilFinal(job)).toMatchObject(expected)
      expect(await lab.jobs.task(job)).toMatchObject({ node: 'fresh-0' })
      expect(await lab.jobs.untilFinal(other)).toMatchObject({ status: 'completed' })
      expect(await lab.jobs.task(other)).toMatchObject({ node: 'own' })
      expect(await untilEnded(job)).toMatchObject({
        problem: null,
        round: 1,
        output: 'command up\ncommand down\n',
      })
      await untilRan('up', 'down')
    },
  )

  it('nodes provisioned for one job of which one is lost: they are provisioned again, and the job runs again there', async () => {
    const { lab, untilRan, startNode, untilEnded } = await openProvisioned()
    const job = await lab.submit(onceMore, { spec })
    await untilRan('up')
    const node = startNode(job, 0)
    await lab.jobs.untilPrinted(job, /attempt 1/)
    await node.kill()
    lab.engine.removeByHand((await lab.containers())[0]?.id ?? '')
    await lab.expireLease('fresh-0')
    await untilRan('up', 'up')
    startNode(job, 1)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    expect(await lab.jobs.lines(job)).toEqual(['attempt 2'])
    expect(await untilEnded(job)).toMatchObject({ round: 2, problem: null })
    await untilRan('up', 'up', 'down')
  })

  it('nodes provisioned for one job that cannot be provisioned: their job fails with the reason', async () => {
    const { lab, untilRan, untilEnded } = await openProvisioned({ up: 'echo "no machine is left"; exit 7' })
    const job = await lab.submit(short, { spec })
    expect(await lab.jobs.untilFinal(job)).toMatchObject({
      status: 'failed',
      reason: 'not_provisioned',
      reasonDetail: 'The provisioning command failed. It ended with exit code 7.',
    })
    const { output } = await untilEnded(job)
    expect(output).toBe('command up\nno machine is left\ncommand down\n')
    await untilRan('up', 'down')
  })

  const hanging = 'echo $$ > $LAB/pid; exec sleep 600'

  it('nodes provisioned for one job whose job is cancelled while they are requested: the command is ended, and they are removed', async () => {
    const { lab, untilRan, untilEnded } = await openProvisioned({ up: hanging })
    const job = await lab.submit(short, { spec })
    await untilRan('up')
    await cancel(lab, job)
    await untilEnded(job)
    await untilRan('up', 'down')
    expect(await lab.jobs.row(job)).toMatchObject({ status: 'cancelled' })
  })

  it('nodes provisioned for one job whose provisioner is killed while it requests them: the next one removes and requests them again', async () => {
    const { lab, provisioner, start, untilRan, startNode, untilEnded } = await openProvisioned({
      up: `[ -e $LAB/pid ] || { ${hanging}; }`,
      down: 'kill -9 $(cat $LAB/pid) 2> /dev/null || true',
    })
    const job = await lab.submit(short, { spec })
    const pid = join(lab.directory, 'pid')
    await until('the command hangs', async () => (await readFile(pid, 'utf8').catch(() => '')) !== '')
    await provisioner.kill()
    start()
    await untilRan('up', 'down', 'up')
    startNode(job, 0)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await untilEnded(job)
    await untilRan('up', 'down', 'up', 'down')
    await expectAllTrue(lab)
  })

  it('nodes provisioned for one job whose provisioner is killed while their job runs: they keep serving it, and are removed afterwards', async () => {
    const { lab, provisioner, start, ran, untilRan, startNode, untilEnded } = await openProvisioned()
    const job = await lab.submit(endless, { spec })
    await untilRan('up')
    startNode(job, 0)
    await lab.jobs.untilPrinted(job, /in/)
    await provisioner.kill()
    start()
    await cancel(lab, job)
    await untilEnded(job)
    expect(await ran()).toEqual(['up', 'down'])
    await expectAllTrue(lab)
  })

  it('nodes provisioned for one job whose provisioner is killed after the end of their job, and whose removal fails at first: they are removed', async () => {
    const { lab, provisioner, start, untilRan, startNode, untilEnded } = await openProvisioned({
      down: '[ -e $LAB/failed ] || { touch $LAB/failed; exit 1; }',
    })
    const job = await lab.submit(short, { spec })
    await untilRan('up')
    startNode(job, 0)
    await untilRan('up', 'down')
    await provisioner.kill()
    start()
    await untilRan('up', 'down', 'down')
    await untilEnded(job)
    expect(await lab.jobs.row(job)).toMatchObject({ status: 'completed' })
  })
})
