import { expect, it } from 'vitest'
import { isPublicAddress } from './public-address'

it.each(['1.1.1.1', '93.184.216.34', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::5'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true)
  },
)

it.each([
  ['this host', '127.0.0.1', '127.255.255.254', '0.0.0.0', '::1', '::'],
  ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fd00::1', 'fc00::1'],
  ['link-local', '169.254.169.254', 'fe80::1', 'fe80::1%eth0'],
  ['a shared or reserved range', '100.64.0.1', '192.0.0.8', '198.18.0.1', '240.0.0.1', '255.255.255.255'],
  ['multicast', '224.0.0.1', 'ff02::1'],
  [
    'IPv4 inside IPv6',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:1.1.1.1',
    '64:ff9b::a00:1',
    '2002:7f00:1::',
  ],
  ['for documentation', '192.0.2.1', '203.0.113.9', '2001:db8::1'],
  ['not an address', '', 'localhost', '127.1', '1.1.1.1.1'],
])('%s is not public', (_, ...addresses) => {
  expect(addresses.filter(isPublicAddress)).toEqual([])
})
