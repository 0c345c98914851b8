import { setTimeout as sleep } from 'node:timers/promises'
import type { ContainerRuntime } from '../container-runtime'
import { type FirewallOptions, InternetFirewall } from '../network/internet-firewall'
import { InternetNetwork } from '../network/internet-network'
import { Networks } from '../network/networks'
import { type RunIproute, runIproute } from '../network/overlay'
import { ContainerOutput } from '../output/container-output'
import { ContainerTerminal } from '../output/container-terminal'
import {
  type ContainerInput,
  type ContainerRef,
  type Exit,
  type NetworkRef,
  type OutputChunk,
  RuntimeFault,
  type TaskContainer,
  type TerminalSize,
  type Usage,
} from '../runtime'
import { buildContainerSpec, type ContainerPolicy, type ContainerSpec, labels } from '../spec/container-spec'
import { ContainerControl } from './container-control'
import { ContainerEnds } from './container-ends'
import { ContainerExits } from './container-exits'
import { findOwn, newRef, toContainerRef } from './container-state'
import { statsSchema, toUsage } from './container-usage'
import { DockerEngine, type EngineOptions } from './docker'
import { EngineEvents } from './engine-events'
import { EngineFacts } from './engine-facts'
import { statusOf } from './engine-faults'
import { ImageStore } from './image-store'
import { WarmContainers } from './warm-containers'

export interface RuntimeOptions extends ContainerPolicy, EngineOptions {
  /** Runs iproute2 in the engine's network namespace; default: on this host. */
  iproute?: RunIproute
  /** How jobs with internet access are kept from private networks; default: no range is allowed. */
  firewall?: FirewallOptions
}

/** Runs the tasks of a node on the engine of this host: Docker, or Podman. */
export class EngineRuntime implements ContainerRuntime {
  private readonly engine: DockerEngine
  private readonly watch: EngineEvents
  private readonly exits: ContainerExits
  private readonly ends: ContainerEnds
  private readonly control: ContainerControl
  readonly images: ImageStore
  /** The network of jobs with internet access. */
  readonly internet: InternetNetwork
  private readonly networks: Networks
  private readonly terminal: ContainerTerminal
  private readonly output: ContainerOutput
  readonly facts: EngineFacts
  readonly warm: WarmContainers

  constructor(private readonly options: RuntimeOptions) {
    const { socketPath, iproute = runIproute, firewall } = options
    const engine = new DockerEngine(options)
    this.engine = engine
    const rules = new InternetFirewall(firewall ?? { enabled: true, allowed: [] })
    const facts = new EngineFacts(engine, rules, socketPath)
    this.facts = facts
    this.watch = new EngineEvents(engine.openEvents, {
      onBroken: () => engine.outages.note(),
      usesLiveRestore: () => facts.usesLiveRestore(),
      historyMs: async () => (await engine.dialect()).historyMs,
    })
    this.exits = new ContainerExits(engine.open, this.watch)
    this.ends = new ContainerEnds(engine, this.watch, this.exits)
    this.control = new ContainerControl(engine, this.watch, this.exits)
    this.internet = new InternetNetwork(engine, rules, iproute)
    this.networks = new Networks(engine, this.internet, iproute)
    this.terminal = new ContainerTerminal(engine)
    this.output = new ContainerOutput(engine, this.watch, this.exits, this.terminal)
    this.images = new ImageStore(engine)
    this.warm = new WarmContainers({
      engine,
      watch: this.watch,
      exits: this.exits,
      output: this.output,
      buildSpec: (task) => this.buildSpec(task),
      ensureImage: (image) => this.ensureImage(image),
    })
  }

  hadOutage(sinceMs: number): Promise<boolean> {
    return this.engine.hadOutage(sinceMs)
  }

  ensureImage(image: string, onProgress: (line: string) => void = () => {}): Promise<string> {
    return this.images.ensure(image, onProgress)
  }

  private async buildSpec(task: TaskContainer): Promise<ContainerSpec> {
    const selinux = await this.facts.usesSelinux()
    const anyCgroup = await this.facts.canUseAnyCgroup()
    const ipv6 = await this.facts.hasIpv6()
    const traits = await this.images.traits(task.image)
    return buildContainerSpec(task, { ...this.options, selinux, anyCgroup, ipv6 }, traits)
  }

  async create(task: TaskContainer): Promise<ContainerRef> {
    const assigned = task.warm && (await this.warm.assign(task, task.warm))
    if (assigned) return assigned
    const spec = await this.buildSpec(task)
    await this.networks.prepare(task)
    const { work, naming } = this.engine.timeouts
    for (let waited = 0; waited < work; waited += naming) {
      const id = await this.createUnlessNamed(spec)
      if (id !== null) {
        this.watch.of(id)
        await this.networks.complete(task, id)
        return newRef(task, id)
      }
      const found = await this.engine.find(spec.name)
      if (found !== null) {
        const own = findOwn(task, found)
        // An earlier worker may have died between creating the container and connecting all of its networks.
        if (own.state === 'created') await this.networks.complete(task, own.id)
        if (!own.warm) return own
        // An earlier worker was about to use it for the task. It has not started, and may have other files.
        await this.remove(own)
      }
      // The engine reserves a name before the container is visible, and frees it only after the container is gone.
      await sleep(naming)
    }
    throw new RuntimeFault(
      'engine_error',
      `The engine reports that the name ${spec.name} is in use, but has no such container. Restart the engine if this persists.`,
    )
  }

  /** Returns null if a container already has the name. */
  private async createUnlessNamed(spec: ContainerSpec): Promise<string | null> {
    try {
      return await this.engine.create(spec)
    } catch (error) {
      if (statusOf(error) === 404) this.images.forget(spec.Image)
      if (statusOf(error) !== 409) throw error
      return null
    }
  }

  start(container: ContainerRef): Promise<AsyncIterable<OutputChunk>> {
    return this.output.start(container)
  }

  startAgain(container: ContainerRef): Promise<AsyncIterable<OutputChunk>> {
    return this.output.startAgain(container)
  }

  replay(container: ContainerRef, mayStart = true): Promise<AsyncIterable<OutputChunk>> {
    return this.output.replay(container, mayStart)
  }

  openInput({ id }: ContainerRef): Promise<ContainerInput> {
    return this.terminal.openInput(id)
  }

  resize({ id }: ContainerRef, size: TerminalSize): Promise<void> {
    return this.engine.resize(id, size)
  }

  wait({ id }: ContainerRef): Promise<Exit> {
    return this.ends.wait(id)
  }

  async usage({ id }: ContainerRef): Promise<Usage | null> {
    try {
      return toUsage(statsSchema.parse(await this.engine.stats(id)))
    } catch (error) {
      if (error instanceof RuntimeFault && error.code === 'container_gone') return null
      throw error
    }
  }

  pause({ id }: ContainerRef): Promise<void> {
    return this.control.setPaused(id, true)
  }

  resume({ id }: ContainerRef): Promise<void> {
    return this.control.setPaused(id, false)
  }

  stop({ id }: ContainerRef, graceMs: number): Promise<void> {
    return this.control.stop(id, graceMs)
  }

  async remove({ id, network }: ContainerRef): Promise<void> {
    this.watch.of(id).stopping = true
    try {
      await this.engine.remove(id)
    } catch (error) {
      const status = statusOf(error)
      // 409: another removal is in progress.
      const { work } = this.engine.timeouts
      const done = status === 404 || (status === 409 && (await this.exits.within(id, work, 'removed')))
      if (!done) throw error
    }
    this.watch.forget(id)
    if (network !== null) await this.networks.release(network)
  }

  async list(nodeId?: string): Promise<ContainerRef[]> {
    const found = await this.engine.list(nodeId === undefined ? labels.node : `${labels.node}=${nodeId}`)
    return found.flatMap(
      ({ Id, Labels, State, Names }) => toContainerRef(Id, Labels, State, Names?.[0]) ?? [],
    )
  }

  listNetworks(nodeId: string): Promise<NetworkRef[]> {
    return this.networks.list(nodeId)
  }

  removeNetwork({ name }: Pick<NetworkRef, 'name'>): Promise<void> {
    return this.networks.release(name)
  }
}
