import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { packCommandLine } from './command-line-package.mjs'

/** A checkout with a freshly bundled command line. */
let root: string
const manifest = {
  name: 'gpuq',
  version: '1.2.3',
  description: 'A queue',
  private: true,
  type: 'module',
  license: 'Apache-2.0',
  engines: { node: '^22.12 || >=24' },
  bin: { gpuq: 'dist/cli.js' },
  scripts: { postinstall: 'false' },
  dependencies: { next: '1' },
}
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gpuq-pack-'))
  write('package.json', JSON.stringify(manifest))
  write('LICENSE', 'ours\n')
  write('dist/cli.js', '#!/usr/bin/env node\nimport "./cli/part-1.js"\n//# sourceMappingURL=cli.js.map\n')
  write('dist/cli.js.map', '{}')
  write('dist/cli/part-1.js', 'console.log("part")\n//# sourceMappingURL=part-1.js.map\n')
  write('dist/cli/part-1.js.map', '{}')
  write('dist/cli/part-of-an-older-build.js', '')
  write('dist/worker.js', '')
  for (const name of ['zod', '@scope/part']) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '4.0.0', license: 'MIT' }))
    write(`node_modules/${name}/License.txt`, `of ${name}\n`)
  }
})
afterEach(() => rmSync(root, { recursive: true }))

function write(path: string, content: string) {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), content)
}

const outputs = ['dist/cli.js.map', 'dist/cli/part-1.js', 'dist/cli/part-1.js.map', 'dist/cli.js']
const inputs = [
  'cli/index.ts',
  'node_modules/zod/a/b.js',
  'node_modules/zod/c.js',
  'node_modules/@scope/part/d.js',
]

function pack(order = outputs): Buffer {
  const listed = <Value>(paths: string[], value: Value) =>
    Object.fromEntries(paths.map((path) => [path, value]))
  return packCommandLine(root, {
    inputs: listed(inputs, { bytes: 1, imports: [] }),
    outputs: listed(order, { bytes: 1, inputs: {}, imports: [], exports: [] }),
  })
}

const tar = (args: string[], input: Buffer) =>
  execFileSync('tar', args, { input, encoding: 'utf8', cwd: root })

describe('the command line package', () => {
  it('contains the program, its chunks and the licenses, and nothing else', () => {
    expect(tar(['-tzf', '-'], pack()).trimEnd().split('\n')).toEqual([
      'package/package.json',
      'package/LICENSE',
      'package/THIRD-PARTY-LICENSES',
      'package/dist/cli.js',
      'package/dist/cli/part-1.js',
    ])
    const licenses = tar(['-xOzf', '-', 'package/THIRD-PARTY-LICENSES'], pack())
    expect(licenses.match(/^(\S+ 4\.0\.0 \(MIT\)|of .+)$/gm)).toEqual([
      '@scope/part 4.0.0 (MIT)',
      'of @scope/part',
      'zod 4.0.0 (MIT)',
      'of zod',
    ])
  })

  it('installs without a registry', () => {
    const { private: _, scripts, dependencies, ...rest } = manifest
    expect(JSON.parse(tar(['-xOzf', '-', 'package/package.json'], pack()))).toEqual(rest)
  })

  it('runs after unpacking and refers to no missing source map', () => {
    tar(['-xzf', '-'], pack())
    expect(execFileSync(join(root, 'package', 'dist', 'cli.js'), { encoding: 'utf8' })).toBe('part\n')
    expect(readFileSync(join(root, 'package', 'dist', 'cli', 'part-1.js'), 'utf8')).toBe(
      'console.log("part")\n',
    )
  })

  it('is identical, byte for byte, for the same build', () => {
    const first = pack()
    utimesSync(join(root, 'dist', 'cli.js'), 1, 1)
    expect(pack([...outputs].reverse()).equals(first)).toBe(true)
    write('dist/cli/part-1.js', 'console.log("other")\n')
    expect(pack().equals(first)).toBe(false)
  })
})
