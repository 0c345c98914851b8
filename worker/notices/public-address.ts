import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** IPv4 ranges outside the public internet: this host, private, link-local, shared, reserved, and multicast. */
const privateRanges = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  privateRanges.addSubnet(network, bits, 'ipv4')
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
