/**
 * The addresses of the tasks of one attempt. Each live attempt on several nodes has its own subnet of the admin's range.
 * The number of the attempt's network determines the subnet, so all addresses are known before a task starts.
 */

/** Networks of 16 addresses: eight tasks, the addresses that the engine reserves, and spare ones. */
const subnetBits = 28
const subnetSize = 2 ** (32 - subnetBits)
/** The address of the network, the gateway that engines require, and the broadcast address have no task. */
const firstHost = 2
/** Private ranges. A job must not hide a real address of the internet. */
const privateRanges = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'].map(readBlock)
const mostNetworks = 4096

/** An admin's range, as parsed by `readJobNetworks`. */
export interface JobNetworks {
  /** The first address, as a number. */
  first: number
  /** The number of subnets: at most 4096, also for a larger range. */
  count: number
}

export interface Subnet {
  /** For example `10.213.0.16/28`. */
  cidr: string
  /** The id of the overlay network (VNI), with 24 bits. */
  vni: number
}

/** The maximum number of tasks in a subnet. */
export const mostRanks = subnetSize - firstHost - 1

/**
 * Parses an admin's range, such as `10.213.0.0/16`.
 * @throws Error with a sentence that says what to change.
 */
export function readJobNetworks(text: string): JobNetworks {
  const { first, bits } = readBlock(text)
  if (bits > subnetBits || bits < 8)
    throw new Error(`must be of /8 to /${subnetBits}: each job over several nodes takes a /${subnetBits}`)
  if (first % 2 ** (32 - bits) !== 0) throw new Error(`must begin where a /${bits} begins`)
  if (!privateRanges.some((range) => bits >= range.bits && inBlock(first, range)))
    throw new Error('must be private addresses: in 10/8, 172.16/12, 192.168/16 or 100.64/10')
  return { first, count: Math.min(mostNetworks, 2 ** (subnetBits - bits)) }
}

/** The subnet of the attempt with that number. */
export function subnetOf({ first, count }: JobNetworks, index: number): Subnet {
  if (!Number.isInteger(index) || index < 0 || index >= count)
    throw new Error(`GPUQ_JOB_NETWORKS holds ${count} networks, and this job was given number ${index}.`)
  const start = first + index * subnetSize
  return { cidr: `${writeAddress(start)}/${subnetBits}`, vni: (start / subnetSize) % 2 ** 24 }
}

/** The address of a task in the subnet of its attempt. It is the same on every node. */
export function addressOf({ first }: JobNetworks, index: number, rank: number): string {
  if (!Number.isInteger(rank) || rank < 0 || rank >= mostRanks) throw new Error(`no address for rank ${rank}`)
  return writeAddress(first + index * subnetSize + firstHost + rank)
}

/** @throws Error with a sentence that says what to change. */
export function readBlock(text: string): { first: number; bits: number } {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(text)
  const [a = 0, b = 0, c = 0, d = 0, bits = 0] = (match?.slice(1) ?? []).map(Number)
  if (!match || Math.max(a, b, c, d) > 255 || bits > 32)
    throw new Error('must be a range of IPv4 addresses, such as 10.213.0.0/16')
  return { first: ((a * 256 + b) * 256 + c) * 256 + d, bits }
}

function inBlock(address: number, { first, bits }: { first: number; bits: number }): boolean {
  return address >= first && address < first + 2 ** (32 - bits)
}

function writeAddress(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.')
}
