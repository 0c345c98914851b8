import { Lab } from './lab'
import { SlurmCluster } from './slurm-cluster'
import { SlurmLab } from './slurm-lab'
import type { WorkerProcess } from './worker-process'

/** A gpuq with two nodes, n0 and n1, of eight simulated GPUs each, placed by one of the engines. */
export interface EngineSystem {
  lab: Lab
  /** Ends a machine: its worker, its containers and its part of the engine. */
  loseNode(node: string): Promise<void>
  /** Starts it again, and waits until it accepts jobs. */
  restoreNode(node: string): Promise<void>
  /** Waits until the engine itself has nothing left of the jobs, which have ended. */
  settled(): Promise<void>
  close(): Promise<void>
}

export type EngineName = 'builtin' | 'slurm'

const nodes = ['n0', 'n1']

/** Starts a system for the tests that all engines must pass. */
export function openEngineSystem(engine: EngineName): Promise<EngineSystem> {
  return engine === 'slurm' ? openSlurm() : openBuiltin()
}

async function openBuiltin(): Promise<EngineSystem> {
  const lab = await Lab.open()
  for (const node of nodes) await lab.startWorker({ node, gpus: 8 })
  await lab.untilReady(nodes.length)
  return {
    lab,
    loseNode: (node) => loseMachine(lab, node),
    restoreNode: async (node) => {
      workerOf(lab, node).start()
      await lab.untilReady(nodes.length)
    },
    settled: async () => {},
    close: () => lab.close(),
  }
}

async function openSlurm(): Promise<EngineSystem> {
  const slurm = await SlurmCluster.start({ nodes: nodes.map((name) => ({ name, gpus: 8, shards: 0 })) })
  const slurmLab = await SlurmLab.open(slurm)
  const { lab } = slurmLab
  await slurmLab.startWorkers(...nodes)
  return {
    lab,
    loseNode: async (node) => {
      await slurm.crashNode(node)
      await slurm.run('scontrol', ['update', `NodeName=${node}`, 'State=DOWN', 'Reason=lost'])
      await loseMachine(lab, node)
    },
    restoreNode: async (node) => {
      await slurm.startNode(node)
      workerOf(lab, node).start()
      await lab.untilReady(nodes.length)
      await slurm.idle()
    },
    settled: () =>
      lab.jobs
        .until('Slurm has no job, and gpuq knows it', async () => {
          const { rowCount } = await lab.database.pool.query(
            'SELECT 1 FROM slurm_jobs WHERE ended_at IS NULL',
          )
          return rowCount === 0 && (await slurmLab.active()).length === 0
        })
        .then(() => {}),
    close: async () => {
      await lab.close()
      await slurm.stop()
    },
  }
}

/** A machine that is lost takes its worker and its containers with it. Its lease expires now. */
async function loseMachine(lab: Lab, node: string): Promise<void> {
  await workerOf(lab, node).kill()
  const { rows } = await lab.database.pool.query<{ id: string }>('SELECT id FROM nodes WHERE name = $1', [
    node,
  ])
  const containers = await lab.engine.containers(`gpuq.node=${rows[0]?.id}`)
  await Promise.all(containers.map(({ id }) => lab.engine.remove(id)))
  await lab.expireLease(node)
}

export function workerOf(lab: Lab, node: string): WorkerProcess {
  const worker = lab.workers.find((one) => one.node === node)
  if (!worker) throw new Error(`The lab has no worker of ${node}.`)
  return worker
}
