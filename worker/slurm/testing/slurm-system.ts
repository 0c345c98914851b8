import type { Lab } from '../../testing/lab'
import type { WorkerProcess } from '../../testing/worker-process'
import { SlurmCluster } from './slurm-cluster'
import { SlurmLab } from './slurm-lab'

const nodes = ['n0', 'n1']

/** A gpuq with two nodes, n0 and n1, of eight simulated GPUs each, placed by Slurm. */
export class SlurmSystem {
  private constructor(
    private readonly slurm: SlurmCluster,
    private readonly slurmLab: SlurmLab,
  ) {}

  static async open(): Promise<SlurmSystem> {
    const slurm = await SlurmCluster.start({ nodes: nodes.map((name) => ({ name, gpus: 8, shards: 0 })) })
    const slurmLab = await SlurmLab.open(slurm)
    await slurmLab.startWorkers(...nodes)
    return new SlurmSystem(slurm, slurmLab)
  }

  get lab(): Lab {
    return this.slurmLab.lab
  }

  workerOf(node: string): WorkerProcess {
    const worker = this.lab.workers.find((one) => one.node === node)
    if (!worker) throw new Error(`The lab has no worker of ${node}.`)
    return worker
  }

  /** Ends a machine: its worker, its containers and its part of Slurm. Its lease expires now. */
  async loseNode(node: string): Promise<void> {
    const { lab, slurm } = this
    await slurm.crashNode(node)
    await slurm.run('scontrol', ['update', `NodeName=${node}`, 'State=DOWN', 'Reason=lost'])
    await this.workerOf(node).kill()
    const { rows } = await lab.database.pool.query<{ id: string }>('SELECT id FROM nodes WHERE name = $1', [
      node,
    ])
    const containers = await lab.engine.containers(`gpuq.node=${rows[0]?.id}`)
    await Promise.all(containers.map(({ id }) => lab.engine.remove(id)))
    await lab.expireLease(node)
  }

  /** Starts it again, and waits until it accepts jobs. */
  async restoreNode(node: string): Promise<void> {
    await this.slurm.startNode(node)
    this.workerOf(node).start()
    await this.lab.untilReady(nodes.length)
    await this.slurm.idle()
  }

  /** Waits until Slurm has nothing left of the jobs, which have ended. */
  async settled(): Promise<void> {
    await this.lab.jobs.until('Slurm has no job, and gpuq knows it', async () => {
      const { rowCount } = await this.lab.database.pool.query(
        'SELECT 1 FROM slurm_jobs WHERE ended_at IS NULL',
      )
      return rowCount === 0 && (await this.slurmLab.active()).length === 0
    })
  }

  async close(): Promise<void> {
    await this.lab.close()
    await this.slurm.stop()
  }
}
