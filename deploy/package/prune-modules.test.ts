import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../run/settings.mjs'
import { importedPackages, neededPaths } from './prune-modules.mjs'

describe('the packages that a program imports', () => {
  it("includes imports of every kind, without Node's own modules", () => {
    const program = [
      'import { z } from "zod"',
      'import"pg";import{a}from"@prisma/client/runtime/client";',
      'import { join } from "node:path"',
      'import { own } from "./own.js"',
      'const s3 = () => import("@aws-sdk/client-s3")',
      'require2.resolve("@prisma/schema-engine-wasm/schema_engine_bg")',
      'var crypto = require("crypto"); var ssh = __require2("ssh2")',
      '// from "a comment',
    ].join('\n')
    expect(importedPackages(program)).toEqual([
      '@aws-sdk/client-s3',
      '@prisma/client',
      '@prisma/schema-engine-wasm',
      'pg',
      'ssh2',
      'zod',
    ])
  })
})

describe('the packages that an image keeps', () => {
  const locked = {
    '': {},
    'node_modules/web': {
      dependencies: { shared: '2' },
      optionalDependencies: { '@next/swc-linux-x64-gnu': '1', native: '1', absent: '1' },
      peerDependencies: { view: '1', player: '1' },
      peerDependenciesMeta: { player: { optional: true } },
    },
    'node_modules/web/node_modules/shared': { dependencies: { deep: '1' } },
    'node_modules/shared': { dependencies: { old: '1' } },
    'node_modules/deep': { dependencies: { web: '1' } },
    'node_modules/old': {},
    'node_modules/native': {},
    'node_modules/view': {},
    'node_modules/player': {},
    'node_modules/@next/swc-linux-x64-gnu': {},
  }

  it('are those that its programs need, each in the copy that Node would resolve', () => {
    expect([...neededPaths(locked, ['web'])].sort()).toEqual([
      'node_modules/deep',
      'node_modules/native',
      'node_modules/view',
      'node_modules/web',
      'node_modules/web/node_modules/shared',
    ])
    expect([...neededPaths(locked, ['shared'])].sort()).toEqual(['node_modules/old', 'node_modules/shared'])
  })

  it('include the real run-time packages, and no build-only packages', () => {
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
    const needed = neededPaths(lock.packages, ['next', 'react-dom', 'pg', 'dockerode', '@node-rs/argon2'])
    for (const name of ['@next/env', 'react', 'pg-protocol', 'tar-fs', '@node-rs/argon2-linux-x64-gnu'])
      expect(needed).toContain(`node_modules/${name}`)
    for (const name of ['@next/swc-linux-x64-gnu', 'typescript', 'esbuild', 'playwright'])
      expect(needed).not.toContain(`node_modules/${name}`)
  })
})
