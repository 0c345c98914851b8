import { expect, it } from 'vitest'
import { parseNameservers } from './nameservers'

it('reads the addresses of name servers, and nothing else of the file', () => {
  const text =
    '# nameserver 1.1.1.1\nsearch lab\nnameserver 10.0.0.2\n nameserver\tfd00::1 # v6\noptions edns0\n'
  expect(parseNameservers(text)).toEqual(['10.0.0.2', 'fd00::1'])
})
