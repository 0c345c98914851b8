import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JobOptions } from '@/lib/cluster/testing/rows'
import { Lab } from './testing/lab'
import { expectAllTrue } from './testing/truth'
import { giveDirectory, type UploadedEntry } from './testing/uploaded-directory'

let lab: Lab
beforeAll(async () => {
  lab = await Lab.open()
})
afterAll(() => lab.close())

/** Queues a job with a directory, which is there before any worker can take the job; `onceThere` runs in between. */
async function queue(
  code: string,
  files: Record<string, UploadedEntry>,
  options: JobOptions = {},
  onceThere: () => Promise<void> = async () => {},
): Promise<string> {
  const job = await lab.jobs.submit(code, { ...options, held: true })
  await giveDirectory(lab, job, files)
  await onceThere()
  await lab.jobs.letGo(job)
  return job
}

describe('a job with a directory', () => {
  it('finds its files, programs and links where it starts, and may change them', async () => {
    await lab.startWorker({ node: 'a' })
    const job = await queue(
      `
import os, subprocess
from pathlib import Path
from pkg.numbers import answer
print(os.getcwd(), answer, sorted(os.listdir(Path(__file__).parent)))
print(open("data/a b.txt").read(), os.readlink("latest"), open("latest").read())
print(subprocess.run(["./run.sh"], capture_output=True, text=True).stdout.strip())
print(os.access("pkg/numbers.py", os.X_OK))
open("data/a b.txt", "a").write("more"); os.mkdir("data/new"); os.remove("run.sh")
print(os.stat("pkg").st_uid == os.getuid(), open("big", "rb").seek(0, 2))
try:
    open("/job/dir/big", "ab")
except OSError as error:
    print(error.strerror)
`,
      {
        'pkg/numbers.py': 'answer = 42\n',
        'pkg/__init__.py': '',
        'data/a b.txt': 'text',
        latest: { target: 'data/a b.txt' },
        'run.sh': { program: '#!/bin/sh\necho it runs\n' },
        big: randomBytes(3_000_000),
        '-rf': 'a hostile name',
        'solution.py': { target: 'big' },
      },
    )
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed' })
    expect(await lab.jobs.lines(job)).toEqual([
      "/work 42 ['-rf', 'big', 'data', 'latest', 'pkg', 'run.sh', 'solution.py']",
      'text data/a b.txt text',
      'it runs',
      'False',
      'True 3000000',
      'Permission denied',
    ])
  })

  it('gets a fresh copy in each attempt, and leaves nothing on the node', async () => {
    const job = await queue(
      `
import os, time
print("attempt", os.environ["GPUQ_ATTEMPT"], os.environ["GPUQ_RUN_NAME"], open("state").read(), flush=True)
open("state", "w").write("changed")
time.sleep(100 if os.environ["GPUQ_ATTEMPT"] == "1" else 0)`,
      { state: 'as uploaded' },
      { spec: { run_name: 'base-2' } },
    )
    await lab.jobs.untilPrinted(job, /attempt 1/)
    const container = (await lab.containers()).find(({ jobId }) => jobId === job)
    await lab.engine.remove(container?.id ?? '')
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    expect(await lab.jobs.lines(job)).toEqual(['attempt 2 base-2 as uploaded'])
    await lab.jobs.until('nothing is left', async () => (await lab.taskDirectories()).length === 0)
    await expectAllTrue(lab)
  })

  it.each([
    ['its script', { code: '', spec: { entrypoint: 'src/run.sh', args: ['a b'] } }],
    [
      'its command',
      { code: '', command: '#!/bin/bash\r\ncd src\r\nset -o pipefail\r\nA=("a b" x)\r\necho $A' },
    ],
  ])('runs %s with the program of its first line, also with the line ends of Windows', async (_, options) => {
    const script = [
      '#!/usr/bin/env bash',
      'cd "$(dirname "$0")"',
      'set -o pipefail',
      'A=("$@")',
      'echo $A',
      '',
    ]
    const job = await queue('', { 'src/run.sh': script.join('\r\n'), 'src/out': 'x' }, options)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed' })
    expect(await lab.jobs.lines(job)).toContain('a b')
  })

  it('does not start if the directory is larger than its memory, and says what to request', async () => {
    const job = await queue('print(1)', { big: randomBytes(40 << 20) }, { spec: { memory_gb: 0.06 } })
    expect(await lab.jobs.untilFinal(job)).toMatchObject({
      status: 'failed',
      reason: 'out_of_memory',
      attempt: 1,
      reasonDetail: expect.stringMatching(/memory_gb: \d/),
    })
  })

  it('lost by the storage fails as a fault of the system', async () => {
    const lose = () => rm(lab.blobsDirectory, { recursive: true })
    const job = await queue('print(1)', { file: 'lost' }, { maxRetries: 0 }, lose)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'failed', reason: 'internal_error' })
  })
})
