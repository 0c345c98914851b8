import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommand } from '../run/processes.mjs'
import { root } from '../run/settings.mjs'
import { installDependencies, npmCommand } from './install.mjs'
import { builtFiles, deniedPackages, unexpectedModules } from './native-modules.mjs'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gpuq-install-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

function write(path: string, content: string | Buffer): void {
  const file = join(directory, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}
const readJson = (...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8'))

describe('the packages of this checkout', () => {
  const { packages } = readJson(root, 'package-lock.json')
  const { allowScripts } = readJson(root, 'package.json')
  const scripted = Object.keys(packages).filter((path) => packages[path].hasInstallScript)

  it('are decided one by one if they have install scripts', () => {
    const names = scripted.map((path) => path.replace(/^.*node_modules\//, ''))
    expect(Object.keys(allowScripts).sort()).toEqual([...new Set(names)].sort())
  })

  it('contain no native module that an install script has built or fetched', () => {
    const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name])
    // If this fails, packages were installed with all scripts. Remove node_modules, then run `npm start` or `npm ci`.
    expect(builtFiles(root, deniedPackages(packages, allowed))).toEqual([])
    expect(unexpectedModules(root)).toEqual([])
  })
})

describe('the search for what scripts have built', () => {
  it('finds modules, libraries and programs of packages that may not build any', () => {
    const denied = deniedPackages(
      {
        'node_modules/a': { hasInstallScript: true },
        'node_modules/b/node_modules/@s/c': { hasInstallScript: true },
        'node_modules/plain': {},
        'node_modules/allowed': { hasInstallScript: true },
      },
      ['allowed'],
    )
    write('node_modules/a/build/Release/a.node', '')
    write('node_modules/a/README', 'text')
    write('node_modules/b/node_modules/@s/c/engine', Buffer.from('7f454c460201', 'hex'))
    write('node_modules/allowed/build/Release/allowed.node', '')
    expect(builtFiles(directory, denied)).toEqual([
      'node_modules/a/build/Release/a.node',
      'node_modules/b/node_modules/@s/c/engine',
    ])
  })

  it('finds modules of packages that are not known to contain one', () => {
    write('node_modules/@next/swc-linux-x64-gnu/next-swc.node', '')
    write('node_modules/other/prebuilds/other.node', '')
    expect(unexpectedModules(directory)).toEqual(['node_modules/other/prebuilds/other.node'])
  })
})

it('an installation runs the scripts of allowed packages only', async () => {
  const install = `node -e "require('fs').writeFileSync('built.node', '')"`
  for (const name of ['allowed', 'denied']) {
    write(`${name}/package.json`, JSON.stringify({ name, version: '1.0.0', scripts: { install } }))
    await runCommand(...npmCommand(['pack', '--quiet']), { cwd: join(directory, name) })
  }
  const dependencies = { allowed: 'file:allowed/allowed-1.0.0.tgz', denied: 'file:denied/denied-1.0.0.tgz' }
  const allowScripts = { allowed: true, denied: false }
  write('package.json', JSON.stringify({ name: 'x', version: '1.0.0', dependencies, allowScripts }))
  await runCommand(...npmCommand(['install', '--package-lock-only', '--ignore-scripts']), { cwd: directory })
  await installDependencies({ directory, progress: () => {} })
  expect(unexpectedModules(directory)).toEqual(['node_modules/allowed/built.node'])
})
