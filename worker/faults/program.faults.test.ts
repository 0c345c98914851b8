import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { cancel } from '../testing/cancel'
import { killWorker } from '../testing/chaos'
import type { LabFixtures } from '../testing/lab-test'
import { upload } from '../testing/upload'
import type { WorkerProcess } from '../testing/worker-process'
import { testFault } from './fault'
import type { Moment } from './moment'

const run = promisify(execFile)
const mib = 1024 * 1024
const small = { cpu: 0.1, memory_gb: 0.125, max_retries: 0 }

const openWith =
  (maxOutputMib = 64) =>
  async ({ openLab }: Pick<LabFixtures, 'openLab'>) => {
    const lab = await openLab()
    return { lab, worker: await lab.startWorker({ node: 'a', gpus: 2, maxOutputMib }) }
  }

/** The most memory that the worker ever had, in bytes. */
async function peakMemory(worker: WorkerProcess): Promise<number> {
  const status = await readFile(`/proc/${worker.pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024
}

/** Takes memory in pieces of a random size, after a random time, until it is killed. */
const eat = (moment: Moment) => `
import time
time.sleep(${moment.between(0, 1_500)} / 1000)
held = []
while True: held.append(bytearray(${moment.between(1, 64) * 65_536}))`

testFault({
  name: 'The program runs out of memory',
  checked: 'failed with out_of_memory and exit code 137; output complete',
  places: 3,
  open: openWith(),
  async happen({ lab }, moment) {
    const job = await upload(lab, `print("eating", flush=True)\n${eat(moment)}`, small)
    moment.strike()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({
      status: 'failed',
      reason: 'out_of_memory',
      exitCode: 137,
      attempt: 1,
    })
    expect(await lab.jobs.lines(job)).toEqual(['eating'])
  },
})

testFault({
  name: 'A child of the program runs out of memory, and the program ends with 0',
  checked: 'failed with out_of_memory and exit code 0; output complete',
  places: 3,
  open: openWith(),
  async happen({ lab }, moment) {
    // The engine is told of the child and of the end by two notices, which may overtake each other on a busy machine.
    const code = `
import subprocess, sys, time
print(subprocess.run([sys.executable, "-c", ${JSON.stringify(eat(moment))}]).returncode)
time.sleep(1)`
    const job = await upload(lab, code, small)
    moment.strike()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({
      status: 'failed',
      reason: 'out_of_memory',
      exitCode: 0,
      attempt: 1,
    })
    expect(await lab.jobs.lines(job)).toEqual(['-9'])
  },
})

testFault({
  name: 'A cancelled job ignores SIGTERM',
  checked: 'cancelled, and its container is gone',
  note: 'The time includes the 10 s between SIGTERM and SIGKILL.',
  places: 5,
  open: openWith(),
  async happen({ lab }, moment) {
    const code = `
import os, signal, time
for number in range(1, 32):
    if number not in (signal.SIGKILL, signal.SIGSTOP): signal.signal(number, signal.SIG_IGN)
if os.fork() == 0: os.setsid()
print("deaf", flush=True)
while True: time.sleep(1)`
    const job = await upload(lab, code, small)
    await lab.jobs.untilPrinted(job, /deaf/)
    await moment.wait(1_000)
    moment.strike()
    await cancel(lab, job)
    const ended = await lab.jobs.untilFinal(job)
    expect(ended).toMatchObject({ status: 'cancelled', reason: 'cancelled_by_user' })
  },
})

testFault({
  name: 'A program prints 1,000,000 lines at full speed',
  checked: 'every line stored, in order; the worker uses less than 512 MiB',
  note: 'In every second moment the worker is killed meanwhile.',
  places: 2,
  open: openWith(256),
  async happen({ lab, worker }, moment) {
    const end = 'x'.repeat(moment.between(0, 20))
    const code = `
import os
text = b"".join(b"%d${end}\\n" % i for i in range(1_000_000))
print("ready", flush=True)
while text: text = text[os.write(1, text[:${moment.between(1, 1 << 20)}]):]`
    const job = await upload(lab, code, { max_retries: 0, memory_gb: 1 })
    await lab.jobs.untilPrinted(job, /ready/)
    moment.strike()
    if (moment.number % 2 === 1) {
      await moment.wait(2_000)
      await killWorker({ worker }, 200)
    }
    const ended = await lab.jobs.untilFinal(job, 600_000)
    expect(ended, await lab.jobs.describe(job)).toMatchObject({ status: 'completed', attempt: 1 })
    const lines = await lab.jobs.lines(job)
    expect(lines).toHaveLength(1_000_001)
    expect(lines.slice(1).findIndex((line, i) => line !== `${i}${end}`)).toBe(-1)
    expect(await peakMemory(worker)).toBeLessThan(512 * mib)
  },
})

testFault({
  name: 'A program prints without end and without a newline',
  checked:
    'failed with output_limit; the output is cut at the limit and says so; the worker uses less than 512 MiB',
  note: 'Stands for 5 GB without a newline: the limit of 32 MiB ends a job of any size, and the memory of the worker is bounded by it.',
  places: 2,
  open: openWith(32),
  async happen({ lab, worker }, moment) {
    const job = await upload(
      lab,
      `import os\nwhile True: os.write(1, b"a" * ${moment.between(1, 1 << 21)})`,
      small,
    )
    moment.strike()
    const ended = await lab.jobs.untilFinal(job)
    expect(ended).toMatchObject({ status: 'failed', reason: 'output_limit', attempt: 1 })
    const file = await lab.jobs.file(job)
    expect(file.length).toBeGreaterThan(31 * mib)
    expect(file.length).toBeLessThan(33 * mib)
    const records = await lab.jobs.records(job)
    expect(records.filter(({ type }) => type === 'truncated')).toEqual([
      expect.objectContaining({ limit_bytes: 32 * mib }),
    ])
    expect(await peakMemory(worker)).toBeLessThan(512 * mib)
  },
})

/** NUL, a wrong byte, halves of characters, a surrogate, an overlong form, then text of one to four bytes. */
const pieces = [
  ...(['00', 'ff', 'c3', 'e282', 'f09f98', 'eda080', 'c0af'] as const),
  ...(['61', '0a', '0d', 'c3a9', 'e282ac', 'f09f9880'] as const),
] as const

testFault({
  name: 'A program prints NUL and invalid UTF-8',
  checked: 'both streams are stored as the text that the bytes decode to',
  places: 4,
  open: openWith(),
  async happen({ lab }, moment) {
    const bytes = Buffer.concat(
      Array.from({ length: moment.between(1, 300) }, () => Buffer.from(moment.pick(pieces), 'hex')),
    )
    const size = moment.between(1, 64)
    const code = `
import os
text = bytes.fromhex("${bytes.toString('hex')}")
for stream in (1, 2):
    for at in range(0, len(text), ${size}): os.write(stream, text[at:at + ${size}])`
    const job = await upload(lab, code, small)
    moment.strike()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
    expect(await lab.jobs.stdout(job)).toBe(text)
    expect(await lab.jobs.stderr(job)).toBe(text)
  },
})

testFault({
  name: 'The disk for results is full',
  checked: 'jobs complete; their output waits in the database, complete, until there is space',
  places: 4,
  async open(fixtures) {
    const place = await openWith()(fixtures)
    const { lab } = place
    await run('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', lab.resultsDirectory])
    lab.afterwards(() => run('umount', [lab.resultsDirectory]))
    return place
  },
  async happen({ lab, worker }, moment) {
    const lines = moment.between(20_000, 60_000)
    const filler = `${lab.resultsDirectory}/filler`
    const job = await upload(lab, `for i in range(${lines}): print("a long line number", i)`, small)
    await moment.wait(1_500)
    moment.strike()
    // It fails when the disk is full.
    await run('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k']).catch(() => {})
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    if (moment.pick([true, false])) await killWorker({ worker }, 0)
    await rm(filler)
    const expected = Array.from({ length: lines }, (_, i) => `a long line number ${i}`)
    expect(await lab.jobs.lines(job)).toEqual(expected)
  },
})
