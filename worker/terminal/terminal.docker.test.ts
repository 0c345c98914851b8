import { describe, expect } from 'vitest'
import { cancel } from '../testing/cancel'
import type { Lab } from '../testing/lab'
import { it, type LabFixtures } from '../testing/lab-test'
import { expectAllTrue } from '../testing/truth'

async function startLab(openLab: LabFixtures['openLab']) {
  const lab = await openLab()
  const worker = await lab.startWorker({ node: 'a', gpus: 2 })
  const submit = (code: string) => lab.jobs.submit(code, { spec: { tty: true } })
  return { lab, worker, submit }
}

/** As the API does it; `bytes` may hold anything. */
async function type(lab: Lab, job: string, bytes: string | Buffer): Promise<void> {
  await lab.database.pool.query(
    `WITH typed AS (INSERT INTO terminal_inputs (task_id, bytes) SELECT id, $2 FROM tasks WHERE job_id = $1 RETURNING task_id)
     SELECT pg_notify('gpuq_terminal', task_id::text) FROM typed`,
    [job, Buffer.from(bytes)],
  )
}

async function resize(lab: Lab, job: string, columns: number, rows: number): Promise<void> {
  await lab.database.pool.query(
    `WITH sized AS (UPDATE tasks SET tty_columns = $2, tty_rows = $3 WHERE job_id = $1 RETURNING id)
     SELECT pg_notify('gpuq_terminal', id::text) FROM sized`,
    [job, columns, rows],
  )
}

const waitingBytes = async (lab: Lab) => {
  const { rows } = await lab.database.pool.query<{ sum: number }>(
    'SELECT coalesce(sum(octet_length(bytes)), 0)::int AS sum FROM terminal_inputs',
  )
  return rows[0]?.sum
}

/** Says what it has, then answers every line until it is told to go. */
const talker = `
import os, signal, sys
print([os.isatty(n) for n in range(3)], os.environ["TERM"], "\\033[31mred\\033[0m")
signal.signal(signal.SIGWINCH, lambda *_: print("size", *os.get_terminal_size()))
while (line := input("say> ")) != "go":
    print("heard", repr(line))
`

/** The terminal's first size may come after it. */
const prompt = /say> (size \d+ \d+\r\n)?$/

describe('a job with a terminal', () => {
  it.concurrent('has size, prompts, echo, colours, and keys that send signals', async ({ openLab }) => {
    const { lab, submit } = await startLab(openLab)
    const job = await submit(
      `${talker}\nimport time\ntry:\n    print("sleeping")\n    time.sleep(100)\nexcept KeyboardInterrupt:\n    sys.exit(7)`,
    )
    const first = await lab.jobs.untilPrinted(job, prompt)
    expect(first).toContain('[True, True, True] xterm-256color \x1b[31mred\x1b[0m\r\n')
    await resize(lab, job, 101, 37)
    await lab.jobs.untilPrinted(job, /size 101 37/)
    // Ctrl-P and Ctrl-Q are the engine's own keys to detach, and must reach the program.
    await type(lab, job, 'h')
    await lab.jobs.untilPrinted(job, /say> .*h$/s)
    await type(lab, job, Buffer.from('é€😀').subarray(0, 3))
    await type(lab, job, Buffer.concat([Buffer.from('é€😀').subarray(3), Buffer.from('\x10')]))
    await type(lab, job, '\x11\r')
    expect(await lab.jobs.untilPrinted(job, /heard .*\r\n/)).toContain("heard 'hé€😀\\x10")
    await type(lab, job, 'go\r')
    await lab.jobs.untilPrinted(job, /sleeping\r\n/)
    await type(lab, job, '\x03')
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'failed', exitCode: 7 })
    await expectAllTrue(lab)
  })

  it.concurrent('continues after a restart of its worker, with each key once', async ({ openLab }) => {
    const { lab, worker, submit } = await startLab(openLab)
    const job = await submit(talker)
    await lab.jobs.untilPrinted(job, prompt)
    // From here on no size comes between what is typed and what is answered.
    await resize(lab, job, 101, 37)
    await lab.jobs.untilPrinted(job, /size 101 37\r\n/)
    await type(lab, job, 'one\r')
    await lab.jobs.untilPrinted(job, /heard 'one'\r\nsay> $/)
    for (const word of ['two', 'three']) {
      await worker.kill()
      await type(lab, job, word)
      worker.start()
      // What is typed shows before its line is finished.
      await lab.jobs.untilPrinted(job, new RegExp(`say> ${word}$`))
      await type(lab, job, '\r')
      await lab.jobs.untilPrinted(job, new RegExp(`heard '${word}'\r\nsay> $`))
    }
    await type(lab, job, 'go\r')
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    const talk = (await lab.jobs.stdout(job)).slice((await lab.jobs.stdout(job)).indexOf('say> '))
    const answers = ['one', 'two', 'three'].map((word) => `say> ${word}\r\nheard '${word}'\r\n`)
    expect(talk.replaceAll(/size \d+ \d+\r\n/g, '')).toBe(`${answers.join('')}say> go\r\n`)
    await expectAllTrue(lab)
  })

  it.concurrent('a job with a terminal that never reads delays only its own keys, and ends when it is cancelled', async ({
    openLab,
  }) => {
    const { lab, submit } = await startLab(openLab)
    const deaf = await submit('import time\nprint("deaf")\ntime.sleep(1000)')
    await lab.jobs.untilPrinted(deaf, /deaf/)
    for (let piece = 0; piece < 16; piece++) await type(lab, deaf, 'x\n'.repeat(32 * 1024))
    await lab.jobs.until('some of it was taken', async () => ((await waitingBytes(lab)) ?? 0) < 1024 * 1024)
    const other = await submit('print("and others go on", input())')
    await lab.jobs.untilStatus(other, 'running')
    await type(lab, other, 'yes\r')
    expect(await lab.jobs.untilFinal(other)).toMatchObject({ status: 'completed' })
    // Its worker has had the time to serve another: the rest stays in the database, not in the worker.
    expect(await waitingBytes(lab)).toBeGreaterThan(512 * 1024)
    await cancel(lab, deaf)
    expect(await lab.jobs.untilFinal(deaf)).toMatchObject({ status: 'cancelled' })
    await lab.jobs.file(deaf)
    expect(await waitingBytes(lab)).toBe(0)
    await expectAllTrue(lab)
  })
})
