import { describe, expect } from 'vitest'
import { allLines, counting, onCall, short } from './testing/engine-programs'
import { it } from './testing/lab-test'
import { expectAllTrue } from './testing/truth'
import { Watch } from './testing/watch'

/** Runs on without end, but for a second attempt. */
const endlessAtFirst = counting('itertools.count() if os.environ["GPUQ_ATTEMPT"] == "1" else range(80)')

describe.concurrent('an engine that restarts', () => {
  it('an engine that restarts and stops its containers does not fail the job, which starts again', async ({
    openLabOnEngine,
  }) => {
    const { lab, own } = await openLabOnEngine({ liveRestore: false })
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

  it('an engine that restarts under live-restore loses no job and no line', async ({ openLabOnEngine }) => {
    const { lab, own } = await openLabOnEngine({ liveRestore: true })
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
