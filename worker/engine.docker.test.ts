import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { allLines, onCall, short } from './testing/engine-programs'
import type { Lab } from './testing/lab'
import { it } from './testing/lab-test'
import { expectAllTrue } from './testing/truth'

/** The failures in a row that count against the lab's node. */
async function nodeHealth(lab: Lab) {
  const { rows } = await lab.database.pool.query<{ failures: number; quarantined: boolean }>(
    'SELECT failures_in_row AS failures, quarantined_at IS NOT NULL AS quarantined FROM nodes',
  )
  return rows[0]
}

// engine.db.test.ts has other failures of an engine, without one.
describe('an engine that restarts', () => {
  it('is killed three times under live-restore while short and long jobs run: all complete, and the node stays open', async ({
    openLabOnEngine,
  }) => {
    const { lab, own } = await openLabOnEngine({ liveRestore: true })
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
