import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { ChangeSignal } from '@/lib/async/change-signal'
import { sleep } from '@/lib/async/sleep'
import { listener } from '@/lib/database/listen'
import type { Env } from '@/lib/env'
import { explainUnsubmitted } from '@/lib/jobs/state/explain'
import { logger } from '@/lib/logger'
import { slurmClient } from '@/lib/slurm/client/slurm'
import { type SlurmClient, type SlurmJobState, SlurmUnavailable } from '@/lib/slurm/client/slurm-client'
import { applyNodeRequests } from '@/lib/slurm/cluster/node-requests'
import {
  isStopped,
  type SlurmClusterState,
  storeClusterState,
  storeSlurmProblem,
} from '@/lib/slurm/cluster/stored-cluster'
import { slurmChanged } from '@/lib/slurm/jobs/stop-reasons'
import type { Engine } from '../engine/engine'
import { type EnterStep, watchPass } from '../scheduler/watch-pass'
import { pollJobs } from './poll-jobs'
import { StepService } from './serve-steps'
import { jobsPerPass, submitWaiting } from './submit-jobs'

/** Nodes and partitions change less often than jobs. */
const clusterIntervalMs = 5_000
/** Between two polls that workers ask for. */
const shortestPollMs = 250

/** After a search for new jobs that found none, the leader rests for this multiple of its time, at most the longest rest. */
const restFactor = 2
const longestRestMs = 500

/** An existing Slurm cluster: it decides where and when jobs run, and each of its nodes runs a worker. */
export function slurmEngine(settings: Env): Engine {
  return {
    findObstacle: () => findObstacle(settings),
    schedule: (signal) => new SlurmLeader(slurmClient(settings), settings).run(signal),
    serve: (node, signal) => new StepService(node, settings.GPUQ_SLURM_DIRECTORY, signal).run(),
  }
}

/** Only a machine that reaches Slurm can submit jobs. */
async function findObstacle({ GPUQ_SLURM_URL }: Env): Promise<string | null> {
  if (GPUQ_SLURM_URL !== undefined) return null
  const directories = (process.env.PATH ?? '').split(delimiter)
  for (const directory of directories) {
    const found = await access(join(directory, 'sbatch'), constants.X_OK).then(
      () => true,
      () => false,
    )
    if (found) return null
  }
  return 'this machine has no Slurm commands, and GPUQ_SLURM_URL is not set. Another worker must lead.'
}

/** Keeps the waiting jobs in Slurm, and what gpuq knows of them up to date. */
class SlurmLeader {
  #lastPollMs = Number.NEGATIVE_INFINITY
  #lastClusterMs = Number.NEGATIVE_INFINITY
  #cluster: SlurmClusterState | null = null
  #storedCluster = ''
  #storedOthers = ''
  #isPollRequested = false
  #restMs = 0
  #problem: string | null = null

  constructor(
    readonly client: SlurmClient,
    readonly settings: Env,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    const wake = new ChangeSignal(signal)
    const stop = await listener().listen('queue', (payload) => {
      if (payload === null || payload === slurmChanged) this.#isPollRequested = true
      wake.notify()
    })
    try {
      while (!signal.aborted) {
        if (await watchPass('exchange with Slurm', (enter) => this.#pass(signal, enter))) continue
        await sleep(this.#restMs, signal)
        await wake.wait(Math.max(1, this.#untilPollMs()))
      }
    } finally {
      stop()
    }
  }

  #untilPollMs(): number {
    const intervalMs = this.#isPollRequested ? shortestPollMs : this.settings.GPUQ_SLURM_POLL_S * 1000
    return this.#lastPollMs + intervalMs - performance.now()
  }

  /** Returns whether more jobs are to be submitted at once. A submission and a poll never overlap. */
  async #pass(signal: AbortSignal, enter: EnterStep): Promise<boolean> {
    try {
      const due = this.#untilPollMs() <= 0
      if (due) await this.#poll(enter)
      enter('submit waiting jobs')
      // While Slurm does not answer, a question without consequences is repeated, not a submission.
      const more = this.#problem === null && (await this.#submit(signal))
      enter('explain why jobs wait')
      if (due && this.#problem === null) await this.#explain(more)
      return more
    } catch (error) {
      enter('store a failure')
      if (!signal.aborted) await this.#onFailure(error)
      return false
    }
  }

  /**
   * Returns whether more jobs are to be submitted. Each change in the queue leads to a search through all waiting jobs. With
   * many of them, the rest joins the searches for several changes.
   */
  async #submit(signal: AbortSignal): Promise<boolean> {
    const beganMs = performance.now()
    const count = await submitWaiting(this.#submissionSettings, signal)
    const tookMs = performance.now() - beganMs
    this.#restMs = count === 0 ? Math.min(restFactor * tookMs, longestRestMs) : 0
    return count === jobsPerPass
  }

  get #submissionSettings() {
    const { client, settings } = this
    return {
      client,
      cluster: this.#cluster ?? { nodes: [], partitions: [] },
      shardsPerGpu: settings.GPUQ_SLURM_SHARDS_PER_GPU,
      directory: settings.GPUQ_SLURM_DIRECTORY,
      asOwner: this.#asOwner,
    }
  }

  /** Whether each Slurm job belongs to the Unix account of its job's owner. */
  get #asOwner(): boolean {
    return this.settings.GPUQ_SLURM_IDENTITY === 'user'
  }

  async #poll(enter: EnterStep): Promise<void> {
    this.#isPollRequested = false
    this.#lastPollMs = performance.now()
    const others = await pollJobs(this.client, this.#asOwner, enter)
    enter('drain and resume nodes')
    if ((await applyNodeRequests(this.client)) > 0) this.#lastClusterMs = Number.NEGATIVE_INFINITY
    enter('read and store the cluster')
    await this.#readCluster(others)
    if (this.#problem !== null) logger.info('Slurm answers again')
    this.#problem = null
  }

  async #readCluster(others: readonly SlurmJobState[]): Promise<void> {
    const due = this.#cluster === null || performance.now() - this.#lastClusterMs >= clusterIntervalMs
    if (due) {
      const { client } = this
      const [version, accounting] = this.#cluster
        ? [this.#cluster.version, this.#cluster.accounting]
        : [await client.version(), await client.hasAccounting()]
      const [nodes, partitions] = [await client.listNodes(), await client.listPartitions()]
      this.#cluster = { version, accounting, nodes, partitions }
      this.#lastClusterMs = performance.now()
    }
    const cluster = JSON.stringify(this.#cluster)
    const jobs = JSON.stringify(others)
    await storeClusterState(
      cluster === this.#storedCluster ? null : this.#cluster,
      jobs === this.#storedOthers ? null : others,
    )
    this.#storedCluster = cluster
    this.#storedOthers = jobs
  }

  /** Jobs that the pass submitted have no reason until the next poll. */
  async #explain(more: boolean): Promise<void> {
    if (await isStopped()) await explainUnsubmitted('stopped')
    else if (more) await explainUnsubmitted('slurm_submitting')
  }

  async #onFailure(error: unknown): Promise<void> {
    if (!(error instanceof SlurmUnavailable))
      return logger.error({ err: error }, 'the leader could not exchange jobs with Slurm, retrying')
    const problem = error.message
    if (problem !== this.#problem) logger.error({ err: error }, 'Slurm does not answer, retrying')
    this.#problem = problem
    // A restarted controller may be another version.
    this.#cluster = null
    await storeSlurmProblem(problem).catch((failure: unknown) =>
      logger.warn({ err: failure }, 'could not store that Slurm does not answer'),
    )
  }
}
