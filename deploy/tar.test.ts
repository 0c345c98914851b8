import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { packDockerfile } from './tar.mjs'

it.each([1, 511, 512, 513])('packs a file of %d bytes that tar unpacks', (size) => {
  const dockerfile = 'x'.repeat(size)
  const input = packDockerfile(dockerfile)
  expect(input.length % 512).toBe(0)
  expect(execFileSync('tar', ['-xOf', '-', 'Dockerfile'], { input, encoding: 'utf8' })).toBe(dockerfile)
})
