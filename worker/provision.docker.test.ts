import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { Lab } from './testing/lab'
import { expectAllTrue } from './testing/truth'
import { until } from './testing/until'
import { bundleWorker } from './testing/worker-bundle'

const labs: Lab[] = []
afterAll(() => Promise.all(labs.map((lab) => lab.close())))

const spec = { fresh_nodes: true, gpu_count: 1, cpu: 0.2, memory_gb: 0.25 }

/** A provisioner whose nodes are further workers on this machine. What it has started stands in `nodes/JOB`. */
async function openLab(up: string): Promise<Lab & { provisioned: string }> {
  const lab = await Lab.open({ postgresDirectory: inject('postgresDirectory') })
  labs.push(lab)
  const bundle = await bundleWorker()
  lab.afterwards(bundle.remove)
  const provisioned = join(lab.directory, 'nodes')
  await mkdir(provisioned)
  const files = {
    // Each worker is started once; one that is gone is started again.
    'start.sh': `
      dir=$NODES/$GPUQ_PROVISION_JOB; mkdir -p $dir; i=0
      while [ $i -lt $GPUQ_PROVISION_NODES ]; do
        if ! kill -0 $(cat $dir/$i 2>/dev/null) 2>/dev/null; then
          mkdir -p $dir/data-$i; ln -sfn $RESULTS $dir/data-$i/results
          GPUQ_NODE_NAME=fresh-$i GPUQ_NODE_FOR_JOB=$GPUQ_PROVISION_JOB GPUQ_DATA_DIR=$dir/data-$i \\
          GPUQ_SIMULATED_GPUS=$GPUQ_PROVISION_GPUS_PER_NODE ${process.execPath} ${bundle.file} >> $dir/log-$i 2>&1 &
          echo $! > $dir/$i; echo "node fresh-$i is coming up"
        fi
        i=$((i + 1))
      done`,
    'up.sh': up,
    'down.sh': `
      for pid in $NODES/$GPUQ_PROVISION_JOB/[0-9]* $NODES/$GPUQ_PROVISION_JOB/up; do
        kill -9 $(cat $pid 2>/dev/null) 2>/dev/null; rm -f $pid
      done
      echo down >> $NODES/downs; echo "all gone"`,
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(provisioned, name), text)
  return Object.assign(lab, { provisioned })
}

const startLeader = (lab: Lab & { provisioned: string }, node = 'leader') =>
  lab.startWorker({
    node,
    variables: {
      NODES: lab.provisioned,
      RESULTS: lab.resultsDirectory,
      GPUQ_PROVISION_UP: `sh ${lab.provisioned}/up.sh`,
      GPUQ_PROVISION_DOWN: `sh ${lab.provisioned}/down.sh`,
      GPUQ_PROVISION_DEADLINE_S: '120',
    },
  })

const untilEnded = (lab: Lab, job: string) =>
  lab.jobs.until('its nodes are taken down', async () => {
    const { rows } = await lab.database.pool.query<{ problem: string | null; output: string; round: number }>(
      `SELECT problem, output, round FROM provisions WHERE job_id = $1 AND status = 'ended'`,
      [job],
    )
    return rows[0]
  })

describe('nodes brought up for one job', () => {
  it('run it, show what their commands print, and are taken down after it', async () => {
    const lab = await openLab('. $NODES/start.sh')
    await startLeader(lab)
    const job = await lab.jobs.submit('print("fresh")', { spec })
    const other = await lab.jobs.submit('print("other")', { spec: { ...spec, fresh_nodes: false } })
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    expect(await lab.jobs.task(job)).toMatchObject({ node: 'fresh-0' })
    expect(await lab.jobs.untilFinal(other)).toMatchObject({ status: 'completed' })
    expect(await lab.jobs.task(other)).toMatchObject({ node: 'leader' })
    expect(await untilEnded(lab, job)).toMatchObject({
      problem: null,
      round: 1,
      output: 'node fresh-0 is coming up\nall gone\n',
    })
    expect(await lab.jobs.lines(job)).toEqual(['fresh'])
  }, 120_000)

  it('are brought up again when one is lost, and the job goes on there', async () => {
    const lab = await openLab('. $NODES/start.sh')
    await startLeader(lab)
    const code = `
import os, time
print("attempt", os.environ["GPUQ_ATTEMPT"], flush=True)
time.sleep(300 if os.environ["GPUQ_ATTEMPT"] == "1" else 0)`
    const job = await lab.jobs.submit(code, { spec })
    await lab.jobs.untilPrinted(job, /attempt 1/)
    process.kill(Number(await readFile(join(lab.provisioned, job, '0'), 'utf8')), 'SIGKILL')
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    expect(await lab.jobs.lines(job)).toEqual(['attempt 2'])
    expect(await untilEnded(lab, job)).toMatchObject({ round: 2, problem: null })
    await expectAllTrue(lab)
  }, 240_000)

  it('fail their job with what went wrong when they cannot be had', async () => {
    const lab = await openLab('echo "no machine is left"; exit 7')
    await startLeader(lab)
    const job = await lab.jobs.submit('print("never")', { spec })
    expect(await lab.jobs.untilFinal(job)).toMatchObject({
      status: 'failed',
      reason: 'not_provisioned',
      reasonDetail: 'The command that brings them up failed. It ended with exit code 7.',
    })
    expect(await untilEnded(lab, job)).toMatchObject({ output: 'no machine is left\nall gone\n' })
  }, 120_000)

  it('survive the death of the leader whose command was under way', async () => {
    // The first time it hangs; what is left of it is for the other command to end.
    const lab = await openLab(`
      mkdir -p $NODES/$GPUQ_PROVISION_JOB; echo $$ > $NODES/$GPUQ_PROVISION_JOB/up
      [ -e $NODES/downs ] || { touch $NODES/hangs; sleep 600; }
      . $NODES/start.sh`)
    const leader = await startLeader(lab)
    const job = await lab.jobs.submit('print("at last")', { spec })
    await until('the command hangs', () =>
      readFile(join(lab.provisioned, 'hangs')).then(
        () => true,
        () => false,
      ),
    )
    await leader.kill()
    leader.start()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await untilEnded(lab, job)
    expect(await readFile(join(lab.provisioned, 'downs'), 'utf8')).toBe('down\ndown\n')
  }, 180_000)
})
