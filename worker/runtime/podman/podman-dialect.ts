import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { CallEngine, EngineDialect } from '../docker/engine-dialect'
import { errorMessageOf, statusOf } from '../docker/engine-faults'
import { RuntimeFault } from '../runtime'
import { type ContainerSpec, labels } from '../spec/container-spec'
import { internetNetworkSpec, type NetworkSpec } from '../spec/network-spec'
import { isKernelLogReadable, wasKilledForMemory } from './kernel-log'
import { type PodmanVolume, seccompProfileOf, toPodmanSpec } from './podman-spec'
import { writeSeccompFile } from './seccomp-file'

/** The prefix of Podman's own API. Version 4.0 is the first that has everything below. */
const own = '/v4.0.0/libpod'

const createdSchema = z.object({ Id: z.string() })
const infoSchema = z.looseObject({
  Name: z.string().default(''),
  DockerRootDir: z.string().nullish(),
  Rootless: z.boolean().nullish(),
  SecurityOptions: z.array(z.string()).nullish(),
  CgroupVersion: z.string().nullish(),
})
const mountsSchema = z.object({
  Mounts: z.array(z.object({ Type: z.string().optional(), Name: z.string().optional() })).nullish(),
})
const volumesSchema = z.array(z.object({ Name: z.string(), CreatedAt: z.string().default('') })).nullable()

/** A volume without a container is this old only if the worker that made it has died. */
const abandonedMs = 10 * 60_000

interface PodmanOptions {
  call: CallEngine
  /** For the files that Podman reads. Undefined: this process creates no containers. */
  directory: string | undefined
}

/** Podman behind Docker's API. */
export class PodmanDialect implements EngineDialect {
  readonly product = 'Podman'
  readonly timesLog = false
  // It finds nothing by the name of a label without its value. Version 4.3 reports `die`, but finds it as `died`.
  readonly endEvents = { type: ['container'], event: ['start', 'kill', 'stop', 'remove', 'die', 'died'] }
  readonly historyMs = 1000
  readonly echoesOutput = true
  readonly resumesForSignals = false
  readonly internetProblem = noInternet
  readonly limitations = [
    'It runs no jobs with internet access, and no jobs with several instances.',
    'Its API cannot choose an OCI runtime (GPUQ_CONTAINER_RUNTIME).',
  ]
  private sweeping: Promise<void> | undefined
  private limited: Promise<void> | undefined

  constructor(private readonly options: PodmanOptions) {}

  /**
   * Podman makes up a new id for each request. Its containers continue without its service, whatever it reports about
   * live-restore.
   */
  readonly correctInfo = (info: unknown): unknown => {
    const parsed = infoSchema.parse(info)
    const { Name, DockerRootDir, Rootless, SecurityOptions, ...rest } = parsed
    const limits = { MemoryLimit: false, SwapLimit: false, CpuCfsQuota: false, PidsLimit: false }
    const identity = createHash('sha256')
      .update(`${Name}\n${DockerRootDir ?? ''}`)
      .digest('hex')
    return {
      ...rest,
      ...(ignoresLimits(parsed) ? limits : {}),
      ID: `podman-${identity.slice(0, 32)}`,
      DockerRootDir,
      LiveRestoreEnabled: true,
      SecurityOptions: [...(SecurityOptions ?? []), ...(Rootless ? ['name=rootless'] : [])],
    }
  }

  /** Podman answers 500 for a name that is in use. */
  readonly correctError = (error: unknown): unknown => {
    if (statusOf(error) !== 500 || !/\bname\b.* is (already )?in use/.test(errorMessageOf(error)))
      return error
    return Object.assign(new Error(errorMessageOf(error), { cause: error }), { statusCode: 409 })
  }

  async create(spec: ContainerSpec): Promise<string> {
    const { directory, call } = this.options
    if (spec.HostConfig.Runtime !== undefined) throw new RuntimeFault('engine_error', noRuntime)
    if (directory === undefined) throw new Error('The runtime has no directory for files that Podman reads.')
    this.limited ??= this.requireLimits()
    await this.limited.catch((error: unknown) => {
      this.limited = undefined
      throw error
    })
    this.sweeping ??= this.removeAbandonedVolumes().catch(() => {})
    await this.sweeping
    const path = await writeSeccompFile(directory, seccompProfileOf(spec))
    const { container, volumes } = toPodmanSpec(spec, path)
    for (const volume of volumes) await this.createVolume(volume)
    return createdSchema.parse(await call('POST', `${own}/containers/create`, container)).Id
  }

  /** Volumes with a name stay when their container is removed. */
  async remove(id: string): Promise<void> {
    const { call } = this.options
    const { Mounts } = mountsSchema.parse(await call('GET', `/containers/${id}/json`))
    await call('DELETE', `/containers/${id}?force=1&v=1`)
    for (const { Type, Name } of Mounts ?? [])
      if (Type === 'volume' && Name !== undefined) await this.removeVolume(Name)
  }

  async createNetwork({ Name }: NetworkSpec): Promise<void> {
    if (Name === internetNetworkSpec.Name) throw new RuntimeFault('internet_unavailable', noInternet)
    throw new RuntimeFault('engine_error', noNetworks)
  }

  async killedForMemory(id: string): Promise<boolean> {
    return wasKilledForMemory(id)
  }

  reportsMemoryKills(): boolean {
    return isKernelLogReadable()
  }

  /** @throws RuntimeFault if a job could use the whole machine. */
  private async requireLimits(): Promise<void> {
    if (ignoresLimits(infoSchema.parse(await this.options.call('GET', '/info'))))
      throw new RuntimeFault('engine_error', noLimits)
  }

  /** An equal volume of an earlier attempt to create the container may exist. */
  private async createVolume(volume: PodmanVolume): Promise<void> {
    try {
      await this.options.call('POST', `${own}/volumes/create`, volume)
    } catch (error) {
      if (!/already exists/.test(errorMessageOf(error))) throw error
    }
  }

  private async removeVolume(name: string): Promise<void> {
    await this.options.call('DELETE', `${own}/volumes/${name}`).catch((error: unknown) => {
      // 409: another container of the same name has it.
      if (statusOf(error) !== 404 && statusOf(error) !== 409) throw error
    })
  }

  /** A worker may die between creating a volume and its container. */
  private async removeAbandonedVolumes(): Promise<void> {
    const filters = encodeURIComponent(JSON.stringify({ label: [labels.task], dangling: ['true'] }))
    const found = volumesSchema.parse(
      await this.options.call('GET', `${own}/volumes/json?filters=${filters}`),
    )
    for (const { Name, CreatedAt } of found ?? [])
      if (Date.now() - Date.parse(CreatedAt) > abandonedMs) await this.removeVolume(Name)
  }
}

/** Without root and with cgroup v1, it ignores limits, and reports that it has them. */
const ignoresLimits = ({ Rootless, CgroupVersion }: z.infer<typeof infoSchema>): boolean =>
  Rootless === true && CgroupVersion === '1'

const noLimits =
  'Podman without root ignores the limits of containers with cgroup v1. Start the kernel with cgroup v2, or run Podman as root.'

const noRuntime =
  'The API of Podman cannot choose an OCI runtime for a container (GPUQ_CONTAINER_RUNTIME). Set `runtime` in containers.conf of the engine instead, and remove the variable.'

const noNetworks =
  'Jobs with several instances cannot start on this node, because every network of Podman gives the host an address that jobs can reach. Run them on nodes with Docker.'

const noInternet =
  'Jobs with internet access cannot start on this node, because gpuq cannot keep the jobs on a network of Podman from each other and from the host. Run them on a node with Docker.'
