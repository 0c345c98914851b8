import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { DockerEngine } from '../docker/docker'
import { errorMessageOf, statusOf } from '../docker/engine-faults'
import { type JobNetwork, type NetworkRef, RuntimeFault, type TaskContainer } from '../runtime'
import { labels, versionLabel } from '../spec/container-spec'
import { jobNetworkSpec, type NetworkSpec, networkName } from '../spec/network-spec'
import type { InternetNetwork } from './internet-network'
import { connectMachines, type RunIproute, remotesOf, removeVxlan } from './overlay'

const foundSchema = z.object({
  Id: z.string(),
  Name: z.string(),
  Labels: z.record(z.string(), z.string()).nullish(),
  IPAM: z.object({ Config: z.array(z.object({ Subnet: z.string().optional() })).nullish() }),
})
type Found = z.infer<typeof foundSchema>

const ownLabels = z.object({ [labels.job]: z.string().min(1), [labels.attempt]: z.coerce.number().int() })

/** Label with the VXLAN number of a network that spans machines. */
const vniLabel = 'gpuq.span'

/** How long an earlier attempt may still hold an address range, in milliseconds. */
const heldTimeoutMs = 20_000
/** The same for an invisible holder: the engine reserves a range before it lists the network. */
const unseenTimeoutMs = 3_000

/** The engine's networks: one for each multi-node attempt, and one for all tasks with internet access. */
export class Networks {
  private spanning: Promise<void> = Promise.resolve()

  constructor(
    private readonly engine: DockerEngine,
    private readonly internet: InternetNetwork,
    private readonly runIproute: RunIproute,
  ) {}

  /** Creates the networks of a task if they are missing. */
  async prepare(task: TaskContainer): Promise<void> {
    if (task.network === 'none') return
    if (task.network === 'internet' || task.network.internet) await this.internet.prepare()
    if (task.network !== 'internet') await this.ensureOwn(task, task.network)
  }

  /** Connects a created container to the networks that the engine cannot connect at creation. */
  async complete(task: TaskContainer, containerId: string): Promise<void> {
    if (typeof task.network === 'string' || !task.network.internet) return
    await this.internet.connect(containerId)
  }

  async list(nodeId: string): Promise<NetworkRef[]> {
    return (await this.labelled(`${labels.node}=${nodeId}`)).flatMap((found) => toRef(found) ?? [])
  }

  /** Removes an attempt's network once none of its containers is left on this engine. */
  async release(name: string): Promise<void> {
    if (!(await this.isUnused(name))) return
    const vni = (await this.find(name))?.Labels?.[vniLabel]
    try {
      await this.engine.removeNetwork(name)
      if (vni !== undefined) await removeVxlan(Number(vni), this.runIproute)
    } catch (error) {
      // Already removed, or a container was connected again, whose removal will remove the network.
      if (statusOf(error) !== 404 && statusOf(error) !== 403) throw error
    }
  }

  private async ensureOwn(task: TaskContainer, network: JobNetwork): Promise<void> {
    const name = networkName(task)
    const spec = jobNetworkSpec(name, network, {
      [labels.job]: task.jobId,
      [labels.attempt]: String(task.attempt),
      [labels.node]: task.nodeId,
      ...versionLabel,
      ...(remotesOf(network).length === 0 ? {} : { [vniLabel]: String(network.vni) }),
    })
    for (let waited = 0; ; waited += this.engine.timeouts.naming) {
      const found = await this.find(name)
      if (found) requireOwn(found, task, network)
      const refusal = found ? null : await this.create(spec)
      if (refusal === null) return this.span(network)
      // Another task of the attempt may be creating the network, or an earlier attempt may be releasing the range.
      const timeoutMs = (await this.isBeingReleased(name, network.subnet)) ? heldTimeoutMs : unseenTimeoutMs
      if (waited >= timeoutMs)
        throw new RuntimeFault('engine_error', describeConflict(network.subnet, refusal))
      await sleep(this.engine.timeouts.naming)
    }
  }

  /** Serialized, because tasks of one attempt on one machine would create the same interface. */
  private span(network: JobNetwork): Promise<void> {
    const spanning = this.spanning.then(() => connectMachines(network, this.runIproute))
    this.spanning = spanning.catch(() => {})
    return spanning
  }

  /** Returns null on success, otherwise why the engine refused. */
  private async create(spec: NetworkSpec): Promise<string | null> {
    try {
      await this.engine.createNetwork(spec)
      return null
    } catch (error) {
      const sentence = errorMessageOf(error)
      if (statusOf(error) === 409 || /overlap|same bridge name/i.test(sentence)) return sentence
      throw error
    }
  }

  /** Returns true if the conflict is with gpuq: the same network, or one of an ended attempt. */
  private async isBeingReleased(name: string, subnet: string): Promise<boolean> {
    const taken = (await this.labelled(labels.job)).filter((found) => subnetOf(found) === subnet)
    const others = taken.filter((found) => found.Name !== name)
    for (const other of others) await this.release(other.Name)
    return taken.length > 0 || (await this.find(name)) !== null
  }

  private async isUnused(name: string): Promise<boolean> {
    return (await this.engine.list(`${labels.network}=${name}`)).length === 0
  }

  private async labelled(label: string): Promise<Found[]> {
    return z.array(foundSchema).parse(await this.engine.listNetworks(label))
  }

  private async find(name: string): Promise<Found | null> {
    try {
      return foundSchema.parse(await this.engine.inspectNetwork(name))
    } catch (error) {
      if (statusOf(error) !== 404) throw error
      return null
    }
  }
}

/** A network with this name that does not belong to the attempt was created outside gpuq and must not be used. */
function requireOwn(found: Found, task: TaskContainer, network: JobNetwork): void {
  const ref = toRef(found)
  if (ref?.jobId === task.jobId && ref.attempt === task.attempt && subnetOf(found) === network.subnet) return
  throw new RuntimeFault(
    'engine_error',
    `A different network already has the name of this job's network (${found.Name}). Remove it if it is not needed.`,
  )
}

function toRef({ Name, Labels }: Found): NetworkRef | null {
  const parsed = ownLabels.safeParse(Labels ?? {}).data
  return parsed ? { name: Name, jobId: parsed[labels.job], attempt: parsed[labels.attempt] } : null
}

const subnetOf = ({ IPAM }: Found): string | undefined => IPAM.Config?.[0]?.Subnet

function describeConflict(subnet: string, refusal: string): string {
  return (
    `The job's network ${subnet} is in use on this node: ${refusal.replace(/\.$/, '')}. ` +
    'Ask an admin to set GPUQ_JOB_NETWORKS to a range that no node uses.'
  )
}
