import { access } from 'node:fs/promises'
import type { EngineInfo } from '../engine-info'
import type { InternetFirewall } from '../network/internet-firewall'
import type { DockerEngine } from './docker'
import {
  describeEngine,
  type EngineDetails,
  engineInfoSchema,
  engineVersionSchema,
  hasAnyCgroup,
  hasSelinux,
  isRootless,
  mapsUsers,
  readToolkitVersion,
  toProperties,
} from './engine-warnings'

/** What the runtime asks an engine about itself. */
export class EngineFacts {
  private settings: Promise<EngineDetails> | undefined

  /** @param socketPath default: DOCKER_HOST, otherwise the standard path. */
  constructor(
    private readonly engine: DockerEngine,
    private readonly firewall: InternetFirewall,
    private readonly socketPath: string | undefined,
  ) {}

  async info(): Promise<EngineInfo> {
    const [info, version, toolkit, dialect] = await Promise.all([
      this.engine.info(),
      this.engine.version(),
      readToolkitVersion(),
      this.engine.dialect(),
    ])
    const facts = engineInfoSchema.parse(info)
    const internetProblem =
      dialect.internetProblem ?? (await this.firewall.problem(this.isRemote() || isRootless(facts)))
    const properties = toProperties(facts, engineVersionSchema.parse(version), toolkit, dialect)
    return {
      id: facts.ID,
      version: facts.ServerVersion,
      cpuMilli: facts.NCPU * 1000,
      memoryMib: Math.floor(facts.MemTotal / 1024 / 1024),
      properties,
      internetProblem,
      warnings: [...describeEngine(properties), ...(internetProblem === null ? [] : [internetProblem])],
    }
  }

  async usesSelinux(): Promise<boolean> {
    return hasSelinux(await this.readSettings())
  }

  /** Whether uid 0 of a container is the user who runs the engine. */
  async usesRootless(): Promise<boolean> {
    return isRootless(await this.readSettings())
  }

  /** Whether a user of a container is another user on this host. */
  async mapsUsers(): Promise<boolean> {
    return mapsUsers(await this.readSettings())
  }

  /** Whether it can put a container below any cgroup. systemd accepts only the cgroups that it manages. */
  async canUseAnyCgroup(): Promise<boolean> {
    return hasAnyCgroup(await this.readSettings())
  }

  /** Whether the kernel of the containers has IPv6. That of a remote engine is not known. */
  async hasIpv6(): Promise<boolean> {
    if (this.isRemote()) return false
    return access('/proc/sys/net/ipv6/conf/lo/disable_ipv6').then(
      () => true,
      () => false,
    )
  }

  /** Whether containers continue while the engine restarts, as it is set now. */
  async usesLiveRestore(): Promise<boolean> {
    return engineInfoSchema.parse(await this.engine.info()).LiveRestoreEnabled
  }

  /** Reads what cannot change while the engine runs. */
  private async readSettings(): Promise<EngineDetails> {
    this.settings ??= this.engine.info().then((info) => engineInfoSchema.parse(info))
    try {
      return await this.settings
    } catch (error) {
      this.settings = undefined
      throw error
    }
  }

  /** Whether the engine is on another machine, as far as its address shows. */
  private isRemote(): boolean {
    return this.socketPath === undefined && /^(tcp|https?|ssh):/.test(process.env.DOCKER_HOST ?? '')
  }
}
