import { describe, expect } from 'vitest'
import { cancel } from './testing/cancel'
import { it } from './testing/lab-test'
import { expectAllTrue } from './testing/truth'

const byOwner = { status: 'cancelled', reason: 'cancelled_by_user' }

/** The promise of the time from a cancel to a container that is gone. */
const promisedMs = 12_000

// Alone, because of the time that is promised. cancel.db.test.ts cancels jobs at every step, without containers.
describe('a cancelled job', () => {
  it('a cancelled job that runs is told to stop, and its last output is stored', async ({ openLab }) => {
    const lab = await openLab()
    await lab.startWorker({ node: 'a' })
    const polite = `
import signal, sys, time
def stop(*_):
    print("saved")
    sys.exit(0)
signal.signal(signal.SIGTERM, stop)
# In one piece: the signal must not come between the line and its end.
sys.stdout.write("in\\n")
time.sleep(1000)`
    const job = await lab.jobs.submit(polite)
    await lab.jobs.untilPrinted(job, /in\n/)
    await cancel(lab, job)
    expect(await lab.jobs.untilFinal(job)).toMatchObject(byOwner)
    expect(await lab.jobs.lines(job)).toEqual(['in', 'saved'])
    await expectAllTrue(lab)
  })

  it('stops in time although it ignores all signals that a program can ignore', async ({ openLab }) => {
    const lab = await openLab()
    await lab.startWorker({ node: 'a' })
    const deaf = `
import os, signal, time
for number in range(1, 32):
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
print("deaf")
while True:
    time.sleep(1)`
    const job = await lab.jobs.submit(deaf)
    await lab.jobs.untilPrinted(job, /deaf/)
    await cancel(lab, job)
    await lab.jobs.until(
      'the container is gone',
      async () => (await lab.containers()).length === 0,
      promisedMs,
    )
    expect(await lab.jobs.untilFinal(job)).toMatchObject(byOwner)
    await expectAllTrue(lab)
  })
})
