import { z } from 'zod'
import { sleep } from '@/lib/async/sleep'
import { logger } from '@/lib/logger'
import type { DockerEngine } from '../docker/docker'
import { statusOf } from '../docker/engine-faults'
import { formerInternetNetwork, internetBridge, internetNetworkSpec } from '../spec/network-spec'
import { engineElsewhere, type InternetFirewall, internetUnavailable } from './internet-firewall'
import type { RunIproute } from './overlay'

const checkIntervalMs = 5_000

const foundSchema = z.object({
  IPAM: z.object({ Config: z.array(z.object({ Gateway: z.string().optional() })).nullish() }),
  Containers: z.record(z.string(), z.unknown()).nullish(),
})
type Found = z.infer<typeof foundSchema>

/** The engine's network of all tasks with internet access, with its firewall. All workers of a machine share both. */
export class InternetNetwork {
  constructor(
    private readonly engine: DockerEngine,
    private readonly firewall: InternetFirewall,
    private readonly runIproute: RunIproute,
  ) {}

  /**
   * Creates the network and its rules if they are missing.
   * @throws RuntimeFault `internet_unavailable` if the rules cannot be made: then no task may start on it.
   */
  async prepare(): Promise<void> {
    const found = (await this.find()) ?? (await this.create())
    if (!this.firewall.enabled) return
    await this.requireBridge(found)
    await this.firewall.ensure()
  }

  /** Connects a created container. */
  async connect(containerId: string): Promise<void> {
    await this.engine.connectNetwork(internetNetworkSpec.Name, containerId).catch((error: unknown) => {
      // 403: it is already connected.
      if (statusOf(error) !== 403) throw error
    })
  }

  /** Whether the rules are in place; `unused`: no job has needed the network yet. */
  async rulesState(): Promise<'unused' | 'complete' | 'incomplete'> {
    if ((await this.find()) === null) return 'unused'
    return (await this.firewall.isComplete()) ? 'complete' : 'incomplete'
  }

  /** Restores the rules until the signal if something removes them, such as a flush or a restart of the engine. */
  async keepRules(signal: AbortSignal): Promise<void> {
    let lastProblem = ''
    while (!signal.aborted) {
      lastProblem = await this.checkRules(lastProblem)
      await sleep(checkIntervalMs, signal)
    }
  }

  /** Returns the problem, so that it is logged once and not at each check. */
  private async checkRules(lastProblem: string): Promise<string> {
    try {
      if ((await this.find()) === null) return ''
      if (await this.firewall.ensure()) logger.warn('restored firewall rules of jobs with internet access')
      return ''
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      if (problem !== lastProblem)
        logger.error({ err: error }, 'could not check the firewall rules of jobs with internet access')
      return problem
    }
  }

  /** Removes the network and the rules, unless a task on this machine uses them. */
  async release(): Promise<void> {
    try {
      const found = await this.find()
      if (found === null || Object.keys(found.Containers ?? {}).length > 0) return
      await this.engine.removeNetwork(internetNetworkSpec.Name)
      await this.firewall.remove()
      // Another worker of this machine may have created it again in the meantime.
      if ((await this.find()) !== null) await this.firewall.ensure()
    } catch (error) {
      // A task was connected in the meantime, or the engine is away. The next worker, or the next end, cleans up.
      logger.debug({ err: error }, 'could not remove the network of jobs with internet access')
    }
  }

  private async create(): Promise<Found> {
    // Tasks that an earlier version started may still use it.
    await this.engine.removeNetwork(formerInternetNetwork).catch(() => {})
    await this.engine.createNetwork(internetNetworkSpec).catch((error: unknown) => {
      // 409: another task created it first. The older engines name the bridge instead.
      if (statusOf(error) !== 409 && !/same bridge name/i.test(String(error))) throw error
    })
    const found = await this.find()
    if (found === null)
      throw internetUnavailable(`the engine did not create the network ${internetNetworkSpec.Name}.`)
    return found
  }

  private async find(): Promise<Found | null> {
    try {
      return foundSchema.parse(await this.engine.inspectNetwork(internetNetworkSpec.Name))
    } catch (error) {
      if (statusOf(error) !== 404) throw error
      return null
    }
  }

  private async requireBridge({ IPAM }: Found): Promise<void> {
    const gateway = IPAM.Config?.[0]?.Gateway
    const shown = await this.runIproute('ip', ['-o', '-4', 'address', 'show', 'dev', internetBridge]).catch(
      () => '',
    )
    if (gateway !== undefined && shown.includes(` ${gateway}/`)) return
    throw internetUnavailable(engineElsewhere)
  }
}
