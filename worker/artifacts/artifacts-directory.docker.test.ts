import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { artifactsUnavailableReason } from './artifacts-directory'

it('finds that workers of several nodes can mount, although they start at once with one data directory', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gpuq-artifacts-'))
  const nodes = Array.from({ length: 8 }, (_, index) => `node-${index}`)
  try {
    for (let round = 0; round < 5; round++) {
      const reasons = await Promise.all(
        nodes.map((node) => artifactsUnavailableReason(join(directory, 'tasks'), node)),
      )
      expect(reasons).toEqual(nodes.map(() => null))
    }
  } finally {
    await rm(directory, { recursive: true })
  }
})
