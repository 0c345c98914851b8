import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** An address and the number of its first bits that a member of the range shares with it. */
export type AddressRange = readonly [Address, number]

/**
 * Parses addresses and ranges with commas between, as `10.0.0.1, fd00::/8`.
 * @throws an error that names the wrong entry.
 */
export function parseAddressRanges(text: string): AddressRange[] {
  return text.split(',').map((entry, index) => parseRange(entry.trim(), index + 1))
}

function parseRange(entry: string, position: number): AddressRange {
  if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry)
  const address = parseAddress(entry)
  if (address === null) {
    throw new Error(
      `entry ${position} is not an IP address or range: use 10.0.0.1 or 10.0.0.0/8, with commas between`,
    )
  }
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

/** Parses an IP address. An IPv4 address in an IPv6 one (`::ffff:10.0.0.1`) is that IPv4 address. */
export function parseAddress(text: string): Address | null {
  // The parser also reads 10.1 and 0x0a000001 as IPv4 addresses. No proxy writes these forms.
  const isUsual = text.includes(':') || ipaddr.IPv4.isValidFourPartDecimal(text)
  return isUsual && ipaddr.isValid(text) ? ipaddr.process(text) : null
}

export function isInRanges(address: Address, ranges: readonly AddressRange[]): boolean {
  return ranges.some(([start, bits]) => start.kind() === address.kind() && address.match(start, bits))
}
