import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { testedValues } from '@/lib/env/testing/test-matrix'
import { expectAdopted, expectNothingLost } from './testing/adoption'
import { cancel } from './testing/cancel'
import { EngineGate } from './testing/engine-gate'
import { it } from './testing/lab-test'
import { listBelow } from './testing/list-below'
import { expectAllTrue } from './testing/truth'
import { giveDirectory } from './testing/uploaded-directory'
import { isWarm, startWarmWorker, untilWarm, warmSteps, warmUp } from './testing/warm'

describe('a warm container', () => {
  it('runs a job as a cold one does: output, arguments, variables, exit code', async ({ openLab }) => {
    const lab = await openLab()
    const cold = await lab.startWorker({ node: 'a' })
    const code = `
import json, os, resource, signal, sys
left_out = {"GPUQ_JOB_ID"}
print(json.dumps([sys.argv[1:], {k: v for k, v in os.environ.items() if k not in left_out}, os.getcwd(), os.getsid(0),
  sorted(os.listdir("/proc/self/fd")), os.readlink("/proc/self/fd/0"), sys.stdin.read(), os.umask(0), os.getpgrp() == os.getpid(),
  [str(signal.getsignal(s)) for s in (signal.SIGPIPE, signal.SIGTERM, signal.SIGINT)], resource.getrlimit(resource.RLIMIT_NOFILE)]))
print("é ā 中", file=sys.stderr)
${isWarm}
sys.exit(3)`
    const args = ['a b', "it's", '$HOME `id` "x" \\', 'é ā 中 \u0081', '', 'line\nbreak\n', '-u', '=', '*']
    const env = { WORD: "$(id) 'q'\nnext", PWD: '/x', EMPTY: '' }
    const submit = async () => {
      const job = await lab.jobs.submit(code, { spec: { args, env } })
      expect(await lab.jobs.untilFinal(job)).toMatchObject({ reason: 'exit_code', exitCode: 3 })
      const [printed = '', warm] = await lab.jobs.lines(job)
      return { printed: JSON.parse(printed), warm, errors: await lab.jobs.stderr(job) }
    }
    const expected = await submit()
    expect(expected).toMatchObject({ warm: 'False', errors: 'é ā 中\n' })
    expect(expected.printed[0]).toEqual(args)
    cold.signal('SIGTERM')
    await cold.ended()

    await startWarmWorker(lab)
    expect(await submit()).toEqual({ ...expected, warm: 'True' })
    await expectAllTrue(lab)
  })

  it('finds an uploaded directory, its files in /results are stored, and those left in /work are named', async ({
    openLab,
  }) => {
    const lab = await openLab()
    await startWarmWorker(lab)
    const content = randomBytes(3_000_000)
    const code = `
import shutil
${isWarm}
print(open("data/a b.txt").read(), end="")
shutil.copy("big", "/results/big")
open("left", "w").write("x")`
    const job = await lab.jobs.submit(code, { held: true })
    await giveDirectory(lab, job, { 'data/a b.txt': 'text\n', big: content })
    await lab.jobs.letGo(job)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({
      status: 'completed',
      reasonDetail: expect.stringContaining('left 1 file (1 B) in /work, which was not kept: left.'),
    })
    expect(await lab.jobs.lines(job)).toEqual(['True', 'text'])
    const { rows } = await lab.database.pool.query<{ path: string; bytes: string }>(
      'SELECT path, bytes FROM artifacts WHERE job_id = $1',
      [job],
    )
    expect(rows.map(({ path, bytes }) => [path, Number(bytes)])).toEqual([['big', content.length]])
    await expectAllTrue(lab)
  })

  it('is stopped by cancel, at the time limit, and at the memory limit', async ({ openLab }) => {
    const lab = await openLab()
    await startWarmWorker(lab)
    const sleeping = `import time\n${isWarm}\ntime.sleep(100)`
    const cancelled = await lab.jobs.submit(sleeping)
    await lab.jobs.untilPrinted(cancelled, /True/)
    await cancel(lab, cancelled)
    expect(await lab.jobs.untilFinal(cancelled)).toMatchObject({ reason: 'cancelled_by_user' })
    await untilWarm(lab)
    const late = await lab.jobs.submit(sleeping, { timeLimitS: 2 })
    expect(await lab.jobs.untilFinal(late)).toMatchObject({ reason: 'timeout' })
    expect(await lab.jobs.lines(late)).toEqual(['True'])
    await untilWarm(lab)
    const small = { spec: { memory_gb: 0.25 } }
    await lab.jobs.untilFinal(await lab.jobs.submit('print("first")', small))
    await untilWarm(lab, 2)
    const code = `${isWarm}\nblocks = []\nwhile True: blocks.append(b"x" * 10_000_000)`
    const large = await lab.jobs.submit(code, small)
    expect(await lab.jobs.untilFinal(large)).toMatchObject({ reason: 'out_of_memory' })
    expect(await lab.jobs.lines(large)).toEqual(['True'])
    await expectAllTrue(lab)
  })

  it('runs one job: files, processes, memory, keys and variables do not pass to the next one', async ({
    openLab,
  }) => {
    const lab = await openLab()
    await startWarmWorker(lab)
    const search = await readFile(join(import.meta.dirname, 'runtime/testing/attacks/find-secret.py'), 'utf8')
    const hold = await readFile(join(import.meta.dirname, 'runtime/testing/attacks/hold-secret.py'), 'utf8')
    const secret = `secret-${randomBytes(8).toString('hex')}`
    const look = `
import glob, os
print(os.getuid())
print(sorted(os.listdir("/work") + os.listdir("/tmp") + os.listdir("/dev/shm") + os.listdir("/results") + os.listdir("/dev/mqueue")))
print(sorted(p for p in os.listdir("/proc") if p.isdigit()).__len__())
print("EARLIER" in os.environ, any(b"EARLIER" in open(p, "rb").read() for p in glob.glob("/proc/[0-9]*/environ")))`
    const first = await lab.jobs.submit(
      `${isWarm}\n${look}\n
import subprocess
for directory in ("/work", "/tmp", "/dev/shm", "/results"): open(directory + "/left", "w").write("${secret}")
subprocess.Popen(["sleep", "1000"], start_new_session=True)
${hold.replace('time.sleep(60)', '')}`,
      { spec: { env: { EARLIER: secret } } },
    )
    expect(await lab.jobs.untilFinal(first)).toMatchObject({ status: 'completed' })
    const [before] = await untilWarm(lab)
    const second = await lab.jobs.submit(`${isWarm}\n${look}\n${search}`)
    expect(await lab.jobs.untilFinal(second)).toMatchObject({ status: 'completed' })
    const [warm, user, ...found] = await lab.jobs.lines(second)
    const [, other] = await lab.jobs.lines(first)
    expect([warm, ...found]).toEqual(['True', '[]', '2', 'False False', '[]'])
    expect(user).not.toBe(other)
    await lab.jobs.until('the container of the job is removed', async () =>
      lab.engine.inspect(before ?? '').then(
        () => false,
        () => true,
      ),
    )
    await expectAllTrue(lab)
  })

  it('is not used by a job that requests something else, which starts cold', async ({ openLab }) => {
    const lab = await openLab()
    await startWarmWorker(lab)
    for (const spec of [{ memory_gb: 1.5 }, { cpu: 1.5 }, { run_name: 'run' }]) {
      const job = await lab.jobs.submit(isWarm, { spec })
      expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed' })
      expect(await lab.jobs.lines(job)).toEqual(['False'])
    }
    await expectAllTrue(lab)
  })

  it('a warm container of an image without a shell does not exist: its jobs start cold', async ({
    openLab,
    startEngine,
  }) => {
    // Its image holds nothing but Python.
    const engine = await startEngine({ liveRestore: false })
    const lab = await openLab({ engine: engine.engine })
    await lab.startWorker({
      node: 'a',
      engineSocket: engine.socketPath,
      variables: { GPUQ_WARM_CONTAINERS: '4' },
    })
    for (const _ of [1, 2]) {
      const job = await lab.jobs.submit('print("ran")')
      expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed' })
      expect(await lab.jobs.lines(job)).toEqual(['ran'])
    }
    await expectAllTrue(lab)
  })
})

const steps = testedValues(warmSteps.slice(0, 1), warmSteps.slice(1))

describe('a worker with warm containers', () => {
  it.concurrent('a worker with warm containers that is killed twice continues the same process', async ({
    openLab,
  }) => {
    await expectAdopted(await openLab(), 2, (lab) => startWarmWorker(lab))
  })

  it.concurrent.for(steps)(
    'a worker with warm containers that is killed when the task was %s loses nothing',
    async ([, request, step], { openLab }) => {
      const lab = await openLab()
      const gate = await EngineGate.open()
      lab.afterwards(() => gate.close())
      const worker = await startWarmWorker(lab, { engineSocket: gate.socketPath })
      await expectNothingLost(lab, worker, gate.hold(request, step))
    },
  )

  it.concurrent('a worker with warm containers that was killed leaves none: the next one removes them, with their files', async ({
    openLab,
  }) => {
    const lab = await openLab()
    const worker = await startWarmWorker(lab)
    const [before = ''] = await untilWarm(lab)
    await worker.kill()
    worker.start()
    await lab.jobs.until('the old container is removed', async () =>
      (await lab.warmContainers()).every(({ id }) => id !== before),
    )
    await warmUp(lab, 1)
    await lab.jobs.until('the database has their number and memory', async () => {
      const { rows } = await lab.database.pool.query<{ containers: number; memory: number }>(
        'SELECT warm_containers AS containers, warm_memory_mib AS memory FROM nodes',
      )
      const [node] = rows
      return node && node.memory > 0 && node.containers === (await lab.warmContainers()).length
    })
    worker.signal('SIGTERM')
    await worker.ended()
    expect(await lab.warmContainers()).toEqual([])
    expect(await readFile('/proc/self/mounts', 'utf8')).not.toContain(lab.directory)
    const files = await listBelow(join(worker.options.dataDir, 'tasks'))
    expect(files.filter((path) => path.includes('.warm/'))).toEqual([])
  })

  it.concurrent('a worker with warm containers that stops while jobs get them leaves no container, file or mount', async ({
    openLab,
  }) => {
    const lab = await openLab()
    const worker = await lab.startWorker({ node: 'a', variables: { GPUQ_WARM_CONTAINERS: '4' } })
    for (const _ of testedValues([1], [2, 3])) {
      await warmUp(lab, 1)
      const job = await lab.jobs.submit(`${isWarm}\nimport time; time.sleep(100)`)
      await lab.jobs.until('the job has a node', async () => (await lab.jobs.row(job)).status !== 'pending')
      worker.signal('SIGINT')
      expect(await worker.ended()).toBe(0)
      expect([...(await lab.containers()), ...(await lab.warmContainers())]).toEqual([])
      const left = await listBelow(join(worker.options.dataDir, 'tasks'))
      expect(left.filter((path) => path.includes('.warm/'))).toEqual([])
      expect(await readFile('/proc/self/mounts', 'utf8')).not.toContain(lab.directory)
      await cancel(lab, job)
      worker.start()
    }
  })
})
