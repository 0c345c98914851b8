import { describe, expect, it } from 'vitest'
import { isInRanges, parseAddress, parseAddressRanges } from './address-ranges'

function isIn(address: string, ranges: string): boolean {
  const parsed = parseAddress(address)
  return parsed !== null && isInRanges(parsed, parseAddressRanges(ranges))
}

describe('address ranges', () => {
  it.each([
    ['10.1.2.3', '10.0.0.0/8', true],
    ['11.1.2.3', '10.0.0.0/8', false],
    ['10.0.0.1', '10.0.0.1', true],
    ['10.0.0.2', '192.168.0.0/16, 10.0.0.2', true],
    ['::ffff:10.0.0.2', '10.0.0.2', true],
    ['fd00::1', 'fd00::/8', true],
    ['fd00::1', '0.0.0.0/0', false],
    ['::1', '127.0.0.1', false],
  ])('%s in %s: %s', (address, ranges, expected) => expect(isIn(address, ranges)).toBe(expected))

  it.each(['', 'proxy', '10.1', '10.0.0.0/33', '10.0.0.1, ', '0x7f000001'])('reject %j', (text) => {
    expect(() => parseAddressRanges(text)).toThrow(/^entry \d is not an IP address or range/)
  })
})
