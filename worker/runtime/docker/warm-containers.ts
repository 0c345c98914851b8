import { withTimeout } from '@/lib/async/sleep'
import { PrepareFailure, type WarmRuntime } from '../container-runtime'
import type { ContainerOutput } from '../output/container-output'
import { type ContainerRef, RuntimeFault, type TaskContainer, type WarmContainer } from '../runtime'
import { buildEnvironment } from '../spec/container-environment'
import { type ContainerSpec, containerName, labels, realGpus, taskUser } from '../spec/container-spec'
import { writePrepareFiles, writeStartFiles } from '../spec/start-script'
import { parseWarmName, toWarmSpec, warmName } from '../spec/warm-spec'
import type { ContainerExits } from './container-exits'
import { assignedRef } from './container-state'
import { heldMib, statsSchema } from './container-usage'
import type { DockerEngine } from './docker'
import type { EngineEvents } from './engine-events'
import { statusOf } from './engine-faults'
import { describePrepareFailure } from './prepare-failure'

/** The memory of the engine's process for a container: containerd's shim had 4.4 MiB (Pss), rounded up. */
const engineProcessMib = 5

/** A container that has not ended after this time waits for a job. */
const provenMs = 100

/** The parts of the runtime that warm containers use. */
interface RuntimeParts {
  engine: DockerEngine
  watch: EngineEvents
  exits: ContainerExits
  output: ContainerOutput
  buildSpec(task: TaskContainer): Promise<ContainerSpec>
  ensureImage(image: string): Promise<string>
}

export class WarmContainers implements WarmRuntime {
  constructor(private readonly parts: RuntimeParts) {}

  /** Whether the engine can keep them. Podman refuses to attach before the start, so a part of the output would be lost. */
  async areSupported(): Promise<boolean> {
    return (await this.parts.engine.dialect()).product === 'Docker'
  }

  async start(task: TaskContainer): Promise<WarmContainer> {
    const { engine, watch, output } = this.parts
    const imageDigest = await this.parts.ensureImage(task.image)
    const name = warmName(task.taskId)
    const { taskId: own, nodeId, prepare } = task
    const isPrepared = prepare.length > 0
    if (isPrepared) await writePrepareFiles(task.directory, prepare)
    const spec = toWarmSpec(await this.parts.buildSpec(task), { id: own, nodeId, isPrepared })
    const id = await engine.create(spec)
    watch.of(id)
    const warm = { id, name, user: taskUser(task), imageDigest, prepare }
    try {
      await output.prepare(id)
      await this.#requireAlive(warm)
    } catch (error) {
      const found = isPrepared ? await engine.find(id).catch(() => null) : null
      const hasEnded = found !== null && found.State.Status !== 'running'
      const failure = hasEnded ? await this.prepareFailure(warm, task.memoryMib) : undefined
      await this.remove(warm)
      throw failure === undefined ? error : new PrepareFailure(failure, { cause: error })
    }
    return warm
  }

  async #requireAlive(container: WarmContainer): Promise<void> {
    const ended = this.ended(container).then(() => true)
    if (await withTimeout(ended, provenMs, () => false))
      throw new Error('The container ended at once. Its image has no shell.')
  }

  async ended({ id }: WarmContainer): Promise<void> {
    await this.parts.exits.until(id).catch((error: unknown) => {
      if (!(error instanceof RuntimeFault) || error.code !== 'container_gone') throw error
    })
  }

  async prepareFailure({ id }: WarmContainer, memoryMib: number): Promise<string> {
    const { engine, watch, output } = this.parts
    const printed = await output.readWaiting(id)
    const { State } = await engine.inspect(id)
    const outOfMemory = State.OOMKilled || watch.of(id).outOfMemory
    return describePrepareFailure({ exitCode: State.ExitCode, outOfMemory, printed, memoryMib })
  }

  /**
   * Gives a container the name of a task and its start file. Returns null if it cannot run the task: the container has
   * ended, something happened to it, or another container has the name.
   */
  async assign(task: TaskContainer, warm: WarmContainer): Promise<ContainerRef | null> {
    const { engine, watch } = this.parts
    const { interruptedMs, outOfMemory, signals, ended } = watch.of(warm.id)
    if (interruptedMs !== null || outOfMemory || signals.size > 0 || ended) return null
    const environment = buildEnvironment(task, realGpus(task))
    const program = { environment, command: task.command, isPrepared: warm.prepare.length > 0 }
    try {
      // Named only with its start file, because a worker that finds the name starts the program.
      const named = writeStartFiles(task.directory, program).then(() =>
        engine.rename(warm.id, containerName(task)),
      )
      const [{ State }, digest] = await Promise.all([engine.inspect(warm.id), task.digest, named])
      // The tag may name another image since. The caller removes a container that has the name of the task.
      if (State.Status !== 'running' || (digest ?? warm.imageDigest) !== warm.imageDigest) return null
    } catch (error) {
      const status = statusOf(error)
      if (status === 404) return null
      if (status !== 409) throw error
      // An earlier request may have renamed it.
      if ((await engine.find(containerName(task)))?.Id !== warm.id) return null
    }
    return assignedRef(task, warm.id)
  }

  async memoryMib({ id }: WarmContainer): Promise<number> {
    try {
      const held = heldMib(statsSchema.parse(await this.parts.engine.stats(id)))
      return held === null ? 0 : held + engineProcessMib
    } catch (error) {
      if (error instanceof RuntimeFault && error.code === 'container_gone') return 0
      throw error
    }
  }

  async remove({ id, name }: Pick<WarmContainer, 'name'> & { id?: string }): Promise<void> {
    const { engine, watch, output } = this.parts
    if (id !== undefined) {
      output.forget(id)
      watch.forget(id)
    }
    try {
      // By its name, because a container with a task has another one.
      await engine.remove(name)
    } catch (error) {
      const status = statusOf(error)
      if (status !== 404 && status !== 409) throw error
    }
  }

  async listWithoutTask(nodeId: string): Promise<string[]> {
    const found = await this.parts.engine.list(`${labels.node}=${nodeId}`)
    return found
      .flatMap(({ Names }) => Names ?? [])
      .flatMap((name) => {
        const id = parseWarmName(name)
        return id === null ? [] : [warmName(id)]
      })
  }
}
