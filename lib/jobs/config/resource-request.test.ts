import { expect, it } from 'vitest'
import { readSpec } from '../../contract/config/stored-spec'
import { fits } from '../../scheduling/fits'
import { gpu, node } from '../../scheduling/testing/rows'
import { requestOf } from './resource-request'

/** What nvidia-smi says that GPUs have, beside what they are sold as. */
it.each([
  ['H100 80 GB', 81_559, 80],
  ['A100 40 GB', 40_536, 40],
  ['RTX 4090 24 GB', 24_564, 24],
  ['Tesla T4 16 GB', 15_360, 16],
])('a GPU sold as %s, of %i MiB, is large enough for who asks for %i GB, and no more', (_, memoryMib, gb) => {
  const machine = node('n', 1, { gpus: [gpu('n/0', { memoryMib })] })
  const asks = (gpu_memory_gb: number) => fits(requestOf(readSpec({ gpu_memory_gb }), null), machine).ok
  expect([asks(gb), asks(gb * 1.1)]).toEqual([true, false])
})
