import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import type { Lab } from './testing/lab'
import { it, type LabFixtures } from './testing/lab-test'
import { expectAllTrue } from './testing/truth'
import { Watch } from './testing/watch'

/** A lab whose one worker runs on an engine of its own. */
async function openLabOn(
  { startEngine, openLab }: Pick<LabFixtures, 'startEngine' | 'openLab'>,
  liveRestore: boolean,
) {
  const own = await startEngine({ liveRestore })
  const lab = await openLab({ engine: own.engine })
  await lab.startWorker({ node: 'a', gpus: 2, engineSocket: own.socketPath })
  return { lab, own }
}

const counting = (turns: string) => `
import itertools, os, time
print("attempt", os.environ["GPUQ_ATTEMPT"])
for i in ${turns}:
    print("line ", end="")
    time.sleep(0.05)
    print(i)
print("end")`

const short = counting('range(80)')
/** Runs on without end, but for a second attempt. */
const endlessAtFirst = counting('itertools.count() if os.environ["GPUQ_ATTEMPT"] == "1" else range(80)')

/**
 * Stands still in the middle of line 20 until SIGUSR1: an engine that is killed there has handed on all that it has
 * read. From then on it prints without end, until SIGUSR2.
 */
const onCall = `
import itertools, os, signal, sys, time
told = []
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
signal.signal(signal.SIGUSR2, lambda *_: told.append(True))
print("attempt", os.environ["GPUQ_ATTEMPT"])
for i in itertools.count():
    if told: break
    print("line ", end="")
    sys.stdout.flush()
    if i == 20: signal.sigwait([signal.SIGUSR1])
    time.sleep(0.05)
    print(i)
print("end")`

const allLines = (lines: number) => Array.from({ length: lines }, (_, i) => `line ${i}`)

/** The failures in a row that count against the lab's node. */
async function nodeHealth(lab: Lab) {
  const { rows } = await lab.database.pool.query<{ failures: number; quarantined: boolean }>(
    'SELECT failures_in_row AS failures, quarantined_at IS NOT NULL AS quarantined FROM nodes',
  )
  return rows[0]
}

describe.concurrent('an engine that restarts', () => {
  it('and stops its containers does not fail the job, which starts again', async ({
    startEngine,
    openLab,
  }) => {
    const { lab, own } = await openLabOn({ startEngine, openLab }, false)
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const job = await lab.jobs.submit(endlessAtFirst)
      await lab.jobs.untilPrinted(job, /line 5\n/)
      const watch = new Watch(lab)
      await own.end(signal)
      await own.startAgain()
      expect(await lab.jobs.untilFinal(job), signal).toMatchObject({ status: 'completed', attempt: 2 })
      expect(await lab.jobs.lines(job)).toEqual(['attempt 2', ...allLines(80), 'end'])
      expect(await watch.stop()).toMatchObject({ jobsTwice: [], gpusTwice: [], falseBooks: [] })
    }
    // Such an end does not count against the node either.
    const { rows } = await lab.database.pool.query('SELECT DISTINCT reason FROM tasks WHERE attempt = 1')
    expect(rows).toEqual([{ reason: 'engine_restarted' }])
    await own.end('SIGTERM')
    const waiting = await lab.jobs.submit(short)
    await lab.jobs.untilStatus(waiting, 'scheduled')
    await own.startAgain()
    expect(await lab.jobs.untilFinal(waiting)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectAllTrue(lab)
  })

  it('under live-restore loses no job and no line', async ({ startEngine, openLab }) => {
    const { lab, own } = await openLabOn({ startEngine, openLab }, true)
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const job = await lab.jobs.submit(onCall)
      await lab.jobs.untilPrinted(job, /line 19\nline $/)
      const container = (await lab.containers()).find(({ jobId }) => jobId === job)
      if (!container) throw new Error('no container')
      const { Pid: pid } = (await own.engine.inspect(container.id)).State
      await own.end(signal)
      process.kill(pid, 'SIGUSR1')
      await own.startAgain()
      await lab.jobs.untilPrinted(job, /line 30\n/)
      // Not before the engine is back, which would not know what the program had come to.
      process.kill(pid, 'SIGUSR2')
      expect(await lab.jobs.untilFinal(job), signal).toMatchObject({ status: 'completed', attempt: 1 })
      const lines = await lab.jobs.lines(job)
      expect(lines, signal).toEqual(['attempt 1', ...allLines(lines.length - 2), 'end'])
    }
    await expectAllTrue(lab)
  })

  it('is killed three times under live-restore while short and long jobs run: all complete, and the node stays open', async ({
    startEngine,
    openLab,
  }) => {
    const { lab, own } = await openLabOn({ startEngine, openLab }, true)
    const long = await lab.jobs.submit(onCall)
    await lab.jobs.untilPrinted(long, /line 19\nline $/)
    const [container] = await lab.containers()
    if (!container) throw new Error('no container')
    const { Pid: pid } = (await own.engine.inspect(container.id)).State
    const jobs: string[] = []
    for (let kill = 0; kill < 3; kill++) {
      for (let i = 0; i < 4; i++) jobs.push(await lab.jobs.submit(short))
      const latest = jobs.at(-2) ?? long
      await lab.jobs.until('a short job runs', async () => (await lab.jobs.row(latest)).status !== 'pending')
      await own.end('SIGKILL')
      // The short jobs that run end without an engine.
      if (kill === 1) await sleep(6_000)
      await own.startAgain()
    }
    process.kill(pid, 'SIGUSR1')
    await lab.jobs.untilPrinted(long, /line 30\n/)
    process.kill(pid, 'SIGUSR2')
    expect(await lab.jobs.untilFinal(long)).toMatchObject({ status: 'completed', attempt: 1 })
    for (const job of jobs) {
      expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed' })
      expect((await lab.jobs.lines(job)).slice(1)).toEqual([...allLines(80), 'end'])
    }
    expect(await nodeHealth(lab)).toEqual({ failures: 0, quarantined: false })
    await expectAllTrue(lab)
  })
})

describe.concurrent('another machine with the name of a node', () => {
  it('is refused while the node is served, and takes over when the lease has expired', async ({
    startEngine,
    openLab,
  }) => {
    const own = await startEngine({ liveRestore: false })
    const lab = await openLab()
    const here = await lab.startWorker({ node: 'b' })
    const endless = 'import time\nfor i in range(1000):\n    print("line", i)\n    time.sleep(0.1)'
    const job = await lab.jobs.submit(
      `import os\nif os.environ["GPUQ_ATTEMPT"] == "2": raise SystemExit(0)\n${endless}`,
    )
    await lab.jobs.untilPrinted(job, /line 3\n/)
    const there = await lab.startWorker({ node: 'b', engineSocket: own.socketPath }, 'another')
    expect(await there.ended()).toBe(1)
    expect(there.log).toContain('Another machine already serves the node')
    expect(await lab.jobs.row(job)).toMatchObject({ status: 'running', attempt: 1 })

    here.signal('SIGSTOP')
    await lab.expireLease('b')
    there.start()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    // The node is another machine's now, but the container of the old attempt runs here: it has to go.
    here.signal('SIGCONT')
    expect(await here.ended()).toBe(1)
    await expectAllTrue(lab)
    await expectAllTrue(lab, own.engine)
  })
})
