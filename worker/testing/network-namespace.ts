import { execFile } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Blocks of four addresses of 198.18.0.0/15, which is reserved for tests. Others may use the machine too. */
const blocks = 2 ** 15
let nextBlock = randomInt(blocks)
const addressAt = (number: number) => `198.${18 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`

/** A network namespace with one cable to the machine, which the test can cut. */
export class NetworkNamespace {
  private constructor(
    readonly name: string,
    /** The machine's address at its end of the cable. */
    readonly machine: string,
    /** The namespace's address at the other end. */
    readonly address: string,
  ) {}

  static async create(): Promise<NetworkNamespace> {
    const name = `gpuq-${randomBytes(4).toString('hex')}`
    const first = 4 * (nextBlock++ % blocks)
    const namespace = new NetworkNamespace(name, addressAt(first + 1), addressAt(first + 2))
    await run('ip', ['netns', 'add', name])
    await run('ip', ['link', 'add', name, 'type', 'veth', 'peer', 'cable', 'netns', name])
    await run('ip', ['address', 'add', `${namespace.machine}/30`, 'dev', name])
    await run('ip', ['link', 'set', name, 'up'])
    await run('ip', ['-n', name, 'address', 'add', `${namespace.address}/30`, 'dev', 'cable'])
    for (const link of ['lo', 'cable']) await run('ip', ['-n', name, 'link', 'set', link, 'up'])
    return namespace
  }

  /** Every packet is answered with a reset, as by a firewall that refuses. */
  async refuse(): Promise<void> {
    const reset = ['-p', 'tcp', '-j', 'REJECT', '--reject-with', 'tcp-reset']
    await this.iptables(['-A', 'INPUT', '-i', 'cable', ...reset])
    await this.iptables(['-A', 'OUTPUT', '-o', 'cable', ...reset])
  }

  /** Every packet disappears: neither side is told. The machine's own address stays reachable from the machine. */
  async drop(): Promise<void> {
    await this.iptables(['-A', 'INPUT', '-i', 'cable', '-j', 'DROP'])
    await this.iptables(['-A', 'OUTPUT', '-o', 'cable', '-j', 'DROP'])
  }

  async restore(): Promise<void> {
    await this.iptables(['-F'])
  }

  async remove(): Promise<void> {
    // A process that is ending may keep the namespace for a while, and with it the cable.
    await run('ip', ['link', 'delete', this.name])
    await run('ip', ['netns', 'delete', this.name])
  }

  private async iptables(args: string[]): Promise<void> {
    await run('nsenter', [`--net=/run/netns/${this.name}`, 'iptables', '-w', ...args])
  }
}
