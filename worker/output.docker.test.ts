import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { describe, expect } from 'vitest'
import type { JobOptions } from '@/lib/cluster/testing/rows'
import { testedValues } from '@/lib/env/testing/test-matrix'
import { counting, expectCounted } from './testing/adoption'
import { findMisplaced, readCrashingPrograms } from './testing/crashing-programs'
import { it, type LabFixtures } from './testing/lab-test'
import { expectAllTrue } from './testing/truth'
import type { WorkerProcess } from './testing/worker-process'

const run = promisify(execFile)

const mib = 1024 * 1024

async function startLab(openLab: LabFixtures['openLab'], maxOutputMib = 64) {
  const lab = await openLab()
  return { lab, worker: await lab.startWorker({ node: 'a', gpus: 2, maxOutputMib }) }
}

/** Most memory that the worker ever had, in bytes. */
async function peakMemory(worker: WorkerProcess): Promise<number> {
  const status = await readFile(`/proc/${worker.pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024
}

describe.concurrent('output', () => {
  const counts = testedValues([200_000], [1_000_000])
  it.for(counts)(
    'of %i lines at full speed is stored completely and in order',
    async (count, { openLab }) => {
      const { lab, worker } = await startLab(openLab, 256)
      const code = `
import os
text = b"".join(b"%d\\n" % i for i in range(${count}))
for at in range(0, len(text), 65536):
    os.write(1, text[at:at + 65536])`
      const job = await lab.jobs.submit(code)
      expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed' })
      const lines = await lab.jobs.lines(job)
      expect(lines).toHaveLength(count)
      expect(lines.findIndex((line, i) => line !== String(i))).toBe(-1)
      expect(await peakMemory(worker)).toBeLessThan(512 * mib)
      await expectAllTrue(lab)
    },
  )

  it('has its first lines if the program ran before the start was answered', async ({ openGatedLab }) => {
    const { lab, gate } = await openGatedLab()
    const first = gate.hold(/POST \S*\/containers\/\w+\/start/, 'before')
    const job = await lab.jobs.submit(counting(30, 20))
    await first.reached
    // The request is still on its way when its connection breaks.
    const next = gate.hold(/POST \S*\/containers\/\w+\/(start|attach)/, 'before')
    gate.breakAll()
    first.release()
    await next.reached
    const [container] = await lab.containers()
    await lab.engine.start(container?.id ?? '')
    await lab.jobs.until('it has printed', async () =>
      (await lab.engine.log(container?.id ?? '')).includes('line 5'),
    )
    next.release()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectCounted(lab, job, 30)
    await expectAllTrue(lab)
  })

  it('output without an end or a newline is cut at the limit, with a note', async ({ openLab }) => {
    const { lab, worker } = await startLab(openLab, 32)
    const job = await lab.jobs.submit('import os\nwhile True:\n    os.write(1, b"a" * 1048576)')
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'failed', reason: 'output_limit' })
    const file = await lab.jobs.file(job)
    expect(file.length).toBeGreaterThan(31 * mib)
    expect(file.length).toBeLessThan(33 * mib)
    const records = await lab.jobs.records(job)
    const cut = records.filter(({ type }) => type === 'truncated')
    expect(cut).toEqual([expect.objectContaining({ limit_bytes: 32 * mib })])
    expect(await peakMemory(worker)).toBeLessThan(512 * mib)
    await expectAllTrue(lab)
  })

  it('output of any bytes is stored as text, and invalid bytes are counted', async ({ openLab }) => {
    const { lab } = await startLab(openLab)
    const code = `
import os, sys
os.write(1, b"nul \\x00 here\\n")
os.write(1, b"broken \\xff\\xfe \\xc3\\n")
os.write(2, bytes(range(256)) + b"\\n")
os.write(1, '{"type":"exit","status":"completed"}'.encode() + b"\\n")
os.write(1, b"half")`
    const job = await lab.jobs.submit(code)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed' })
    const records = await lab.jobs.records(job)
    expect(await lab.jobs.stdout(job)).toContain('nul \0 here\nbroken \ufffd\ufffd \ufffd\n')
    expect(records).toContainEqual(expect.objectContaining({ type: 'stdout', replaced: 3 }))
    expect(records).toContainEqual(expect.objectContaining({ type: 'stderr', replaced: 128 }))
    expect(records.filter(({ type }) => type === 'exit')).toHaveLength(1)
    expect(records).toContainEqual(expect.objectContaining({ type: 'result' }))
    await expectAllTrue(lab)
  })

  it('is never taken for a record of gpuq, on whatever descriptor and by whichever process', async ({
    openLab,
  }) => {
    const { lab } = await startLab(openLab)
    const code = `
import os, time
forged = b'{"type":"exit","status":"completed","reason":"finished","exit_code":0}\\n'
def attempt(write):
    try: write()
    except OSError: pass
for descriptor in range(256):
    if descriptor != 0: attempt(lambda: os.write(descriptor, forged))
for name in ("/proc/self/fd/1", "/proc/self/fd/2", "/proc/1/fd/1", "/proc/1/fd/2", "/dev/stdout", "/dev/console", "/dev/tty"):
    attempt(lambda: os.write(os.open(name, os.O_WRONLY), forged))
if os.fork() == 0:
    os.setsid()
    while True:
        os.write(2, forged)
        time.sleep(0.01)
time.sleep(0.2)
os._exit(7)`
    const job = await lab.jobs.submit(code)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({
      status: 'failed',
      reason: 'exit_code',
      exitCode: 7,
    })
    const records = await lab.jobs.records(job)
    expect(records).toContainEqual(expect.objectContaining({ type: 'result' }))
    expect(records).toContainEqual(expect.objectContaining({ type: 'stderr' }))
    const ends = records.filter(({ type }) => type === 'exit')
    expect(ends).toEqual([expect.objectContaining({ status: 'failed', exit_code: 7 })])
    await expectAllTrue(lab)
  })

  // tracebacks.release.test.ts has all programs, three times.
  it('has each traceback in one piece, after what was flushed before it', async ({ openLab }) => {
    const { lab } = await startLab(openLab)
    const programs = (await readCrashingPrograms()).filter((_, index) => index % 16 === 0)
    const misplaced = await Promise.all(
      programs.map(async ({ name, code }) => {
        const job = await lab.jobs.submit(code, { spec: { memory_gb: 1 }, maxRetries: 0 })
        await lab.jobs.untilFinal(job)
        return { name, found: findMisplaced(await lab.jobs.records(job)) }
      }),
    )
    expect(misplaced).toEqual(programs.map(({ name }) => ({ name, found: [] })))
  })

  it('waits in the database while the disk for results is full, and delays no other job', async ({
    openLab,
  }) => {
    const { lab } = await startLab(openLab)
    await run('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', lab.resultsDirectory])
    lab.afterwards(() => run('umount', [lab.resultsDirectory]))
    const large = await lab.jobs.submit('for i in range(40_000):\n    print("a long line number", i)')
    expect(await lab.jobs.untilFinal(large)).toMatchObject({ status: 'completed' })
    const small = await lab.jobs.submit('print("small")')
    expect(await lab.jobs.lines(small)).toEqual(['small'])
    expect(await lab.jobs.row(large)).toMatchObject({ status: 'completed', resultStored: false })

    await run('mount', ['-o', 'remount,size=64m', lab.resultsDirectory])
    const lines = Array.from({ length: 40_000 }, (_, i) => `a long line number ${i}`)
    expect(await lab.jobs.lines(large)).toEqual(lines)
    await expectAllTrue(lab)
  })
})

describe.concurrent('memory over its limit', () => {
  const small: JobOptions = { spec: { memory_gb: 0.125 } }
  const eat = 'held = []\nwhile True:\n    held.append(bytearray(1 << 20))'

  it('is the reason if the program is killed for it', async ({ openLab }) => {
    const { lab } = await startLab(openLab)
    const job = await lab.jobs.submit(`print("eating")\n${eat}`, small)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({
      status: 'failed',
      reason: 'out_of_memory',
      attempt: 1,
      exitCode: 137,
    })
    expect(await lab.jobs.lines(job)).toEqual(['eating'])
    await expectAllTrue(lab)
  })

  it('is the reason if a child process is killed for it, although the program completes', async ({
    openLab,
  }) => {
    const { lab } = await startLab(openLab)
    // The engine is told of the child and of the end by two notices, which may overtake each other on a busy machine.
    const code = `
import subprocess, sys, time
print(subprocess.run([sys.executable, "-c", ${JSON.stringify(eat)}]).returncode)
time.sleep(1)`
    const job = await lab.jobs.submit(code, small)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({
      status: 'failed',
      reason: 'out_of_memory',
      exitCode: 0,
    })
    expect(await lab.jobs.lines(job)).toEqual(['-9'])
    await expectAllTrue(lab)
  })
})
