import type { Restriction } from '../contract/access/restriction'
import type { EngineName, SlurmState } from '../contract/cluster/engine'
import type { JobConfig } from '../contract/config/config'
import type { StoredSpec } from '../contract/config/stored-spec'
import { conflict, type NearestValue } from '../contract/errors'
import type { Hardware } from '../contract/submission/dry-run'
import type { Transaction } from '../database/transaction'
import { env } from '../env'
import type { Forecaster } from './forecaster'

/**
 * An engine outside gpuq, to which it gives its jobs. Where gpuq's own scheduler would decide, the kernel asks it instead.
 * Its part in the worker is `worker/engine/engine.ts`.
 */
export interface ExternalEngine {
  /** What it cannot do for a config; null: nothing. */
  findRefusal(config: CheckedConfig): Promise<Refusal | null>
  /** The keys that it refuses in every config. */
  refusedKeys(): (keyof JobConfig)[]
  /** Why a job can never start; null: it can, or that is not known. */
  findObstacle(executor: Transaction, submitter: Submitter, config: SizedConfig): Promise<Obstacle | null>
  /** Whether several jobs can share a GPU. */
  dividesGpus(): boolean
  /** The sizes of all nodes; none: they are not known. */
  readNodeSizes(): Promise<NodeSize[]>
  /** The kinds of GPUs that a job can ask for, the most frequent first. */
  readHardware(): Promise<Hardware[]>
  readonly forecaster: Forecaster
  /** Whether it answers. */
  readState(): Promise<SlurmState>
  /** The fields of the policy that apply. */
  readonly policyFields: readonly string[]
  /** What people read who ask gpuq for what the engine decides. */
  readonly says: {
    /** Instead of the start that a dry run would predict. */
    start: string
    /** To an admin who pauses a node or a GPU. */
    pause: string
    /** To an admin who simulates nodes. */
    simulate: string
    /** Why another value of the policy has no effect, after the name of the field. */
    policy: string
    /** Why a budget of a user has no effect, after the name of the field. */
    budget: string
    /** Why another share of a project has no effect, after the name of the field. */
    shares: string
  }
}

/** The keys of a config that depend on what an engine can do. */
export type CheckedConfig = Pick<
  JobConfig,
  'fresh_nodes' | 'allowed_gpus' | 'host_script' | 'gpu_memory_gb' | 'gpu_model' | 'gpu_fraction'
>

export interface Refusal {
  key: keyof JobConfig
  message: string
  /** The nodes do not have what the key asks for. */
  neverFits?: true
}

/** What decides whether a job can start: its size, its time and its project. */
export type SizedConfig = StoredSpec & Pick<JobConfig, 'project_id' | 'expected_time'>

/** Whose configs name a project, and which ones their token may use. */
export interface Submitter {
  userId: string
  restriction: Restriction | null
}

/** Why a job can never start. */
export interface Obstacle {
  /** What no node has, as the end of a sentence. */
  message: string
  /** What to name if there is no nearest request. */
  key: keyof JobConfig | null
  /** The changes that make it fit; null: there are none. */
  nearest: Readonly<Record<string, NearestValue>> | null
}

export interface NodeSize {
  memoryMib: number
  /** The memory of each GPU in MiB; null: not known. */
  gpus: readonly (number | null)[]
}

export type ExternalEngines = Readonly<Record<Exclude<EngineName, 'builtin'>, ExternalEngine>>

let registered: ExternalEngines | undefined
// Next.js loads modules again for each route bundle. Those of pages use the engines that another bundle has registered.
const shared = globalThis as typeof globalThis & { gpuqEngines?: ExternalEngines }

/** Makes the engines of features known to the kernel, at the start of a program (`lib/engines.ts`). */
export function registerEngines(engines: ExternalEngines): void {
  registered = engines
  shared.gpuqEngines = engines
}

/** The engine that decides instead of gpuq's own scheduler (`GPUQ_ENGINE`); null: none does. */
export function externalEngine(): ExternalEngine | null {
  const name = env().GPUQ_ENGINE
  if (name === 'builtin') return null
  const engine = (registered ?? shared.gpuqEngines)?.[name]
  if (!engine)
    throw new Error(`This program does not know the engine ${name}: it did not register the engines.`)
  return engine
}

/** @throws 409 if an external engine decides what an admin asks for. */
export function requireOwnEngine(asked: 'pause' | 'simulate'): void {
  const engine = externalEngine()
  if (engine) throw conflict(engine.says[asked])
}

/** @throws 409 with `message` if this installation does not have that engine. */
export function requireEngine(engine: EngineName, message: string): void {
  if (env().GPUQ_ENGINE !== engine) throw conflict(message)
}
