import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, type Metafile, transform } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { root } from '../run/settings.mjs'
import { commandLine } from './bundle-options.mjs'

/** The oldest Node.js that a supported release of Debian or Ubuntu has. */
const oldest = 'node12.22'

let directory: string
let outputs: Metafile['outputs']
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gpuq-old-node-'))
  const options = { ...commandLine, outdir: join(directory, 'dist') }
  outputs = (await build({ ...options, metafile: true, sourcemap: false })).metafile.outputs
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
  writeFileSync(
    join(directory, 'older.cjs'),
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`,
  )
})
afterAll(() => rmSync(directory, { recursive: true }))

/** The first file of the command line, and the files that Node.js reads with it. */
function readAtOnce(): string[] {
  const first = Object.keys(outputs).filter((path) => path.endsWith('dist/cli.js'))
  const seen = new Set(first)
  for (const path of seen) {
    for (const { kind, path: imported } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && imported in outputs) seen.add(imported)
  }
  return [...seen]
}

it('an older Node.js can read the file of gpuq that refuses it', async () => {
  const paths = readAtOnce()
  expect(paths.length).toBeGreaterThan(0)
  for (const path of paths) {
    const text = readFileSync(join(root, path), 'utf8')
    // The older target changes a file only if the file has syntax that it does not know.
    const [older, newest] = await Promise.all(
      [oldest, 'esnext'].map((target) => transform(text, { target, format: 'esm' })),
    )
    expect(older?.code, path).toBe(newest?.code)
  }
})

it('on an older Node.js, gpuq prints one line with the needed version and a command', () => {
  const args = ['--require', join(directory, 'older.cjs'), join(directory, 'dist', 'cli.js'), 'jobs']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toMatch(
    /^gpuq needs Node\.js .*22\.12.*; this is 20\.20\.2\..* npm exec --yes --package=node@24 --call='gpuq jobs'\n$/,
  )
})
