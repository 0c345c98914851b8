import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ContainerRef, type NetworkRef, RuntimeFault, type TaskContainer } from '../runtime'
import { containerName } from '../spec/container-spec'
import { CallHolds } from './call-holds'
import type { EngineConnection } from './engine-connection'
import { FakeContainer, type Script } from './fake-container'

/** The image that every fake engine has. */
const defaultImage = 'gpuq/python:2'

/** A container as an admin sees it. */
interface SeenContainer extends Omit<ContainerRef, 'state'> {
  state: ContainerRef['state'] | 'paused'
}

/**
 * A container engine without containers: the programs are scripts of a test. It survives the workers that use it
 * (`FakeRuntime`). Its methods are the hands of a test: what an admin, a fault of the machine, or a restart does to it.
 */
export class FakeEngine {
  readonly id = `fake-${randomUUID()}`
  readonly images = new Set([defaultImage])
  readonly holds = new CallHolds()
  readonly #containers = new Map<string, FakeContainer>()
  readonly #networks = new Map<string, NetworkRef & { nodeId: string }>()
  readonly #connections = new Set<EngineConnection>()
  #isDown = false

  /** @param scripts what programs do, by the text of `solution.py` or the command. A test may add to it at any time. */
  constructor(readonly scripts: Map<string, Script> = new Map()) {}

  /** The containers of a node, or all. */
  containers(nodeId?: string): SeenContainer[] {
    return [...this.#containers.values()]
      .filter(({ ref }) => nodeId === undefined || ref.nodeId === nodeId)
      .map(({ ref, state, paused }) => ({ ...ref, state: paused ? 'paused' : state }))
  }

  /** The networks that a node has created. */
  networks(nodeId: string): NetworkRef[] {
    return [...this.#networks.values()]
      .filter((network) => network.nodeId === nodeId)
      .map(({ name, jobId, attempt }) => ({ name, jobId, attempt }))
  }

  /** `docker rm --force` by hand. */
  removeByHand(id: string): void {
    const container = this.find(id)
    container.remove()
    this.#containers.delete(id)
  }

  /** `docker kill` by hand. */
  killByHand(id: string): void {
    this.#endFromOutside(this.find(id), 'Something outside gpuq ended the container with signal 9.')
  }

  /** Whether containers survive SIGKILL, as those whose processes hang in the kernel. */
  setUnkillable(unkillable: boolean): void {
    for (const container of this.#containers.values()) container.unkillable = unkillable
  }

  /** Breaks every connection. New ones work at once, and all containers go on. */
  breakConnections(): void {
    for (const connection of this.#connections) connection.interrupt()
  }

  /** The engine goes down. Its containers end, unless it keeps them (live-restore). */
  stop({ liveRestore }: { liveRestore: boolean }): void {
    this.#isDown = true
    for (const container of this.#containers.values())
      if (!liveRestore && container.state === 'running') this.#endFromOutside(container, endedUnseen)
    for (const connection of this.#connections) connection.refuse()
  }

  /** The engine answers again. */
  start(): void {
    this.#isDown = false
    for (const connection of this.#connections) connection.open()
  }

  /** A worker connects. */
  connect(connection: EngineConnection): void {
    this.#connections.add(connection)
    if (this.#isDown) connection.refuse()
  }

  /** @throws RuntimeFault `container_gone` if there is no such container. */
  find(id: string): FakeContainer {
    const container = this.#containers.get(id)
    if (container === undefined) throw new RuntimeFault('container_gone', `There is no container ${id}.`)
    return container
  }

  /** Creates the container of a task, or finds it. */
  create(task: TaskContainer): FakeContainer {
    if (!this.images.has(task.image))
      throw new RuntimeFault('image_unavailable', `The image ${task.image} is not on this node.`)
    const name = containerName(task)
    const found = [...this.#containers.values()].find((other) => containerName(other.task) === name)
    if (found !== undefined) {
      if (found.ref.nodeId === task.nodeId) return found
      throw new RuntimeFault(
        'engine_error',
        "A different container already has the name of this task's container.",
      )
    }
    const container = new FakeContainer(task, randomUUID())
    const { ref } = container
    this.#containers.set(ref.id, container)
    if (ref.network !== null && !this.#networks.has(ref.network))
      this.#networks.set(ref.network, { name: ref.network, ...ref })
    void container.ended.then(() => {
      if (this.#isDown) this.#blame(container, endedUnseen)
    })
    return container
  }

  /** Starts the program: that of the task's directory, or its shell command. */
  async run(container: FakeContainer): Promise<void> {
    const { command, directory } = container.task
    const [shell, option, text] = command
    const isCommand = shell === '/bin/sh' && option === '-c' && text !== undefined
    const source = isCommand ? text : await readFile(join(directory, 'solution.py'), 'utf8')
    const script = this.scripts.get(source)
    if (script === undefined) throw new RuntimeFault('engine_error', `No script has the text ${source}`)
    container.start(script)
  }

  /** Removes a container, if it is there, and its network with the last container that uses it. */
  remove({ id, network }: ContainerRef): void {
    this.#containers.get(id)?.remove()
    this.#containers.delete(id)
    if (network !== null) this.removeNetwork(network)
  }

  /** Removes a network, unless a container uses it. */
  removeNetwork(name: string): void {
    if (!this.containers().some(({ network }) => network === name)) this.#networks.delete(name)
  }

  #endFromOutside(container: FakeContainer, message: string): void {
    this.#blame(container, message)
    container.kill()
  }

  /** Workers that are connected know that the container did not end by itself. */
  #blame(container: FakeContainer, message: string): void {
    container.foreignEnd ??= { message, seenBy: new Set(this.#connections) }
  }
}

const endedUnseen = 'The container ended while the engine was unavailable, so its last output is lost.'
