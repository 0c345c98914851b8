import type { ContainerRuntime } from '../container-runtime'
import type { EngineInfo } from '../engine-info'
import {
  type ContainerInput,
  type ContainerRef,
  type Exit,
  type NetworkRef,
  type OutputChunk,
  RuntimeFault,
  type TaskContainer,
  type Usage,
} from '../runtime'
import type { RuntimeCall } from './call-holds'
import { EngineConnection } from './engine-connection'
import type { FakeContainer } from './fake-container'
import type { FakeEngine } from './fake-engine'

const digest = 'sha256:fake'
const used: Usage = { cpuSeconds: 1, memoryMib: 64, memoryPeakMib: 64 }

/** The runtime of one worker on the fake engine. */
export class FakeRuntime implements ContainerRuntime {
  readonly connection = new EngineConnection()

  constructor(private readonly engine: FakeEngine) {
    engine.connect(this.connection)
  }

  readonly images = {
    has: async (image: string) => this.engine.images.has(image),
  }

  readonly internet = { rulesState: async () => 'unused' as const }

  readonly facts = {
    info: async (): Promise<EngineInfo> => ({ ...engineInfo, id: this.engine.id }),
    usesRootless: async () => false,
    mapsUsers: async () => false,
    canUseAnyCgroup: async () => true,
  }

  /** It has none: the warm pool is not a part of what a task goes through. */
  readonly warm = {
    areSupported: async () => false,
    start: refuseWarm,
    ended: refuseWarm,
    prepareFailure: refuseWarm,
    memoryMib: refuseWarm,
    remove: refuseWarm,
    listWithoutTask: async () => [],
  }

  async hadOutage(sinceMs: number): Promise<boolean> {
    return this.connection.hadOutage(sinceMs)
  }

  ensureImage(image: string): Promise<string> {
    return this.#call('ensureImage', async () => {
      if (this.engine.images.has(image)) return digest
      await this.engine.holds.reach('pull', 'before')
      throw new RuntimeFault(
        'image_unavailable',
        `The image ${image} could not be pulled: there is no registry.`,
      )
    })
  }

  create(task: TaskContainer): Promise<ContainerRef> {
    return this.#call('create', async () => refOf(this.engine.create(task)))
  }

  start({ id }: ContainerRef): Promise<AsyncIterable<OutputChunk>> {
    return this.#call('start', async () => {
      const container = this.engine.find(id)
      // A real engine would deliver only later output of a running one, and start an ended one again.
      if (container.state !== 'created')
        throw new RuntimeFault('engine_error', `The container was started before: it is ${container.state}.`)
      const output = this.#read(container, () => this.connection.isAlive)
      await this.engine.run(container)
      return output
    })
  }

  startAgain({ id }: ContainerRef): Promise<AsyncIterable<OutputChunk>> {
    return this.#call('start', async () => {
      const container = this.engine.find(id)
      if (container.state === 'created') await this.engine.run(container)
      return this.#read(container, () => false)
    })
  }

  replay({ id }: ContainerRef): Promise<AsyncIterable<OutputChunk>> {
    // Reading a log does not make the program wait.
    return this.#call('replay', async () => this.#read(this.engine.find(id), () => false))
  }

  /** @param delaysProgram whether the program waits for this reader. */
  #read(container: FakeContainer, delaysProgram: () => boolean): AsyncIterable<OutputChunk> {
    const reader = container.attach(delaysProgram)
    const { connection } = this
    async function* read(): AsyncGenerator<OutputChunk> {
      try {
        for (;;) {
          const chunk = await connection.call(() => container.read(reader))
          if (chunk === null) return
          yield chunk
        }
      } finally {
        container.detach(reader)
      }
    }
    return read()
  }

  async openInput(): Promise<ContainerInput> {
    throw new RuntimeFault('engine_error', 'The fake engine has no terminals.')
  }

  async resize(): Promise<void> {
    throw new RuntimeFault('engine_error', 'The fake engine has no terminals.')
  }

  wait({ id }: ContainerRef): Promise<Exit> {
    return this.#call('wait', async () => {
      const container = this.engine.find(id)
      if (container.state !== 'created') await container.ended
      const { exit, foreignEnd } = container
      if (foreignEnd?.seenBy.has(this.connection))
        throw new RuntimeFault('container_gone', foreignEnd.message)
      return exit
    })
  }

  usage({ id }: ContainerRef): Promise<Usage | null> {
    const isRunning = () => this.engine.containers().some((one) => one.id === id && one.state === 'running')
    return this.connection.call(async () => (isRunning() ? used : null))
  }

  pause({ id }: ContainerRef): Promise<void> {
    return this.connection.call(async () => this.engine.find(id).setPaused(true))
  }

  resume({ id }: ContainerRef): Promise<void> {
    return this.connection.call(async () => this.engine.find(id).setPaused(false))
  }

  /** A program that ignores SIGTERM is killed at once: the grace period of a fake takes no time. */
  stop({ id }: ContainerRef, graceMs: number): Promise<void> {
    return this.#call('stop', async () => {
      const container = this.engine.containers().some((one) => one.id === id) ? this.engine.find(id) : null
      if (container?.state !== 'running') return
      if (container.terminate() && graceMs > 0) await container.ended
      container.kill()
      if (container.state === 'running')
        throw new RuntimeFault('kill_failed', `The container ${id} did not end after SIGKILL.`)
    })
  }

  remove(container: ContainerRef): Promise<void> {
    return this.#call('remove', async () => this.engine.remove(container))
  }

  list(nodeId?: string): Promise<ContainerRef[]> {
    return this.#call('list', async () =>
      this.engine.containers(nodeId).map(({ id }) => refOf(this.engine.find(id))),
    )
  }

  listNetworks(nodeId: string): Promise<NetworkRef[]> {
    return this.connection.call(async () => this.engine.networks(nodeId))
  }

  removeNetwork({ name }: Pick<NetworkRef, 'name'>): Promise<void> {
    return this.connection.call(async () => this.engine.removeNetwork(name))
  }

  /** A call at which a test can stop the worker. A call of a worker that was killed there never takes effect. */
  #call<T>(name: RuntimeCall, work: () => Promise<T>): Promise<T> {
    return this.connection.call(async () => {
      await this.engine.holds.reach(name, 'before')
      await this.connection.untilOpen()
      const result = await work()
      await this.engine.holds.reach(name, 'after')
      return result
    })
  }
}

const refOf = ({ ref, state }: FakeContainer): ContainerRef => ({ ...ref, state })

async function refuseWarm(): Promise<never> {
  throw new RuntimeFault('engine_error', 'The fake engine keeps no warm containers.')
}

const engineInfo: Omit<EngineInfo, 'id'> = {
  version: '20.10',
  cpuMilli: 8_000,
  memoryMib: 16_000,
  properties: {
    product: 'Docker',
    limitations: [],
    reportsMemoryKills: true,
    version: '20.10',
    versions: { engine: '20.10', runc: null, toolkit: null },
    seccomp: true,
    limits: { memory: true, swap: true, cpu: true, processes: true },
    liveRestore: false,
    cgroupVersion: '2',
    directory: null,
  },
  internetProblem: null,
  warnings: [],
}
