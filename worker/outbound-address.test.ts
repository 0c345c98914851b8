import { expect, it } from 'vitest'
import { outboundAddress } from './outbound-address'

it('returns the source address of the route, and null without a usable URL', async () => {
  expect(await outboundAddress('postgresql://user:pw@127.0.0.1:5432/gpuq')).toBe('127.0.0.1')
  for (const url of [undefined, '', 'no address', 'postgresql:///gpuq'])
    expect(await outboundAddress(url)).toBeNull()
})
