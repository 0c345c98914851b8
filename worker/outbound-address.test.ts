import { expect, it } from 'vitest'
import { outboundAddress } from './outbound-address'

it('is what the routes say, and nothing where there is nothing to ask', async () => {
  expect(await outboundAddress('postgresql://user:pw@127.0.0.1:5432/gpuq')).toBe('127.0.0.1')
  for (const url of [undefined, '', 'no address', 'postgresql:///gpuq'])
    expect(await outboundAddress(url)).toBeNull()
})
