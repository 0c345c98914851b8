import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { packDockerfile, packFiles } from './tar.mjs'

it.each([1, 511, 512, 513])('packs a file of %d bytes that tar can unpack', (size) => {
  const dockerfile = 'x'.repeat(size)
  const input = packDockerfile(dockerfile)
  expect(input.length % 512).toBe(0)
  expect(execFileSync('tar', ['-xOf', '-', 'Dockerfile'], { input, encoding: 'utf8' })).toBe(dockerfile)
})

it('rejects names that the format cannot represent', () => {
  for (const name of ['x'.repeat(101), 'ä', '']) {
    expect(() => packFiles([{ name, content: Buffer.alloc(1) }])).toThrow('cannot contain the name')
  }
})
