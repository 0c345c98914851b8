import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'vitest'
import { endProcess } from './end-process'
import { GcloudStandIn, queuedResourcesScript } from './gcloud-stand-in'
import { Lab } from './lab'
import { listBelow } from './list-below'
import type { WorkerProcess } from './worker-process'

/** Each worker is started once; one that is gone is started again. */
const start = (bundle: string) => `
  dir=$NODES/$GPUQ_PROVISION_JOB; mkdir -p $dir; i=0
  while [ $i -lt $GPUQ_PROVISION_NODES ]; do
    if ! kill -0 $(cat $dir/$i 2>/dev/null) 2>/dev/null; then
      mkdir -p $dir/data-$i; ln -sfn $RESULTS $dir/data-$i/results
      GPUQ_NODE_NAME=fresh-$i GPUQ_NODE_FOR_JOB=$GPUQ_PROVISION_JOB GPUQ_DATA_DIR=$dir/data-$i \\
      GPUQ_SIMULATED_GPUS=$GPUQ_PROVISION_GPUS_PER_NODE ${process.execPath} ${bundle} >> $dir/log-$i 2>&1 &
      echo $! > $dir/$i; echo "node fresh-$i is coming up"
    fi
    i=$((i + 1))
  done`

/** The startup script of a virtual machine. It becomes the worker. */
const startup = (bundle: string) => `
  dir=$NODES/$GPUQ_NODE_FOR_JOB; mkdir -p $dir/data-$NODE_INDEX; ln -sfn $RESULTS $dir/data-$NODE_INDEX/results
  echo $$ > $dir/$NODE_INDEX
  export GPUQ_NODE_NAME=fresh-$NODE_INDEX GPUQ_DATA_DIR=$dir/data-$NODE_INDEX GPUQ_SIMULATED_GPUS=1
  exec ${process.execPath} ${bundle}`

/** A worker is told to leave, and given the time to tidy up. */
const down = `
  mkdir -p $NODES/$GPUQ_PROVISION_JOB; cd $NODES/$GPUQ_PROVISION_JOB
  kill -9 $(cat up 2>/dev/null) 2>/dev/null
  for signal in INT 9; do
    for pid in [0-9]*; do kill -$signal $(cat $pid 2>/dev/null) 2>/dev/null; done
    i=0; while [ $i -lt 100 ] && kill -0 $(cat [0-9]* 2>/dev/null) 2>/dev/null; do sleep 0.1; i=$((i + 1)); done
  done
  rm -f up [0-9]*; echo down >> $NODES/downs; echo "all gone"`

/** A lab with a provisioner whose nodes are further workers on this machine, named fresh-0, fresh-1 and so on. */
export class ProvisionedLab {
  private constructor(
    readonly lab: Lab,
    private readonly directory: string,
    /** A stand-in, if the nodes are queued resources. */
    readonly gcloud: GcloudStandIn | null = null,
  ) {}

  /** @param up what brings the nodes up; `. $NODES/start.sh` does. */
  static async open(up = '. $NODES/start.sh'): Promise<ProvisionedLab> {
    const lab = await Lab.open()
    const directory = join(lab.directory, 'nodes')
    await mkdir(directory)
    const scripts = { 'start.sh': start(inject('workerBundle')), 'up.sh': up, 'down.sh': down }
    for (const [name, text] of Object.entries(scripts)) await writeFile(join(directory, name), text)
    const provisioned = new ProvisionedLab(lab, directory)
    lab.afterwards(() => provisioned.#clear())
    return provisioned
  }

  /** A lab whose nodes are queued resources, which gpuq's script requests from a stand-in for gcloud. */
  static async openQueuedResources(): Promise<ProvisionedLab> {
    const lab = await Lab.open()
    const directory = join(lab.directory, 'nodes')
    await mkdir(directory)
    const gcloud = await GcloudStandIn.make(join(lab.directory, 'gcloud'), startup(inject('workerBundle')))
    const scripts = {
      'up.sh': `exec sh ${queuedResourcesScript} up`,
      'down.sh': `exec sh ${queuedResourcesScript} down`,
    }
    for (const [name, text] of Object.entries(scripts)) await writeFile(join(directory, name), text)
    const provisioned = new ProvisionedLab(lab, directory, gcloud)
    lab.afterwards(() => provisioned.#clear())
    return provisioned
  }

  /** Ends what a test that failed has left. */
  async #clear(): Promise<void> {
    for (const name of await listBelow(this.directory)) {
      if (/^[^/]+\/\d+$/.test(name)) endProcess(Number(await this.read(name)))
    }
  }

  /** Starts the worker that leads, and runs the commands. */
  startLeader(): Promise<WorkerProcess> {
    return this.lab.startWorker({
      node: 'leader',
      variables: {
        NODES: this.directory,
        RESULTS: this.lab.resultsDirectory,
        GPUQ_CHECKPOINTS_DIR: join(this.lab.directory, 'checkpoints'),
        GPUQ_PROVISION_UP: `sh ${this.directory}/up.sh`,
        GPUQ_PROVISION_DOWN: `sh ${this.directory}/down.sh`,
        GPUQ_PROVISION_DEADLINE_S: '120',
        ...this.gcloud?.variables,
      },
    })
  }

  /** What a script has written down; empty until it has. */
  read(name: string): Promise<string> {
    return readFile(join(this.directory, name), 'utf8').catch(() => '')
  }

  /** Kills the worker of one of a job's nodes, and lets its lease run out. */
  async killNode(job: string, index: number): Promise<void> {
    const read = async () => Number(await this.read(`${job}/${index}`)) || null
    const pid = await this.lab.jobs.until('the node has a worker', read)
    endProcess(pid)
    // The command that brings nodes up takes a process for a worker until it is reaped.
    await this.lab.jobs.until('its worker is gone', async () => !isThere(pid))
    await this.lab.expireLease(`fresh-${index}`)
  }

  /** Waits until all that was brought up for a job is taken down. */
  untilEnded(job: string): Promise<{ problem: string | null; output: string; round: number }> {
    return this.lab.jobs.until('its nodes are taken down', async () => {
      const { rows } = await this.lab.database.pool.query<{
        problem: string | null
        output: string
        round: number
      }>(`SELECT problem, output, round FROM provisions WHERE job_id = $1 AND status = 'ended'`, [job])
      return rows[0]
    })
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
