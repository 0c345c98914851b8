import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { nonPublicRanges } from '../contract/ip-ranges'

const privateRanges = new BlockList()
for (const range of nonPublicRanges) {
  const [network = '', bits] = range.split('/')
  privateRanges.addSubnet(network, Number(bits), 'ipv4')
}

/** The allocated part of IPv6, without ranges that embed IPv4 addresses or are for documentation. */
const publicRanges6 = new BlockList()
publicRanges6.addSubnet('2000::', 3, 'ipv6')
const privateRanges6 = new BlockList()
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  privateRanges6.addSubnet(network, bits, 'ipv6')
}

/** Returns true if an IP address is on the public internet, not on this host or a private network. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !privateRanges.check(address, 'ipv4')
  return isIPv6(address) && publicRanges6.check(address, 'ipv6') && !privateRanges6.check(address, 'ipv6')
}
