import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scripts } from '../../package.json'
import { root } from './settings.mjs'

const check = join(root, 'deploy', 'run', 'require-node.cjs')
/** Has a program, and a module that makes this Node.js look like an older one. */
let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gpuq-node-'))
  writeFileSync(join(directory, 'program.mjs'), `import 'node:fs'; process.stdout.write('it ran')`)
  const versions = `{ ...process.versions, node: process.env.TEST_NODE_VERSION }`
  writeFileSync(
    join(directory, 'older.cjs'),
    `Object.defineProperty(process, 'versions', { value: ${versions} })`,
  )
})
afterAll(() => rmSync(directory, { recursive: true }))

function runOn(version: string, npm: { event: string; script: string }, ...args: string[]) {
  const preload = ['--require', join(directory, 'older.cjs'), '--require', check]
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...preload, join(directory, 'program.mjs'), ...args],
    {
      encoding: 'utf8',
      env: {
        ...process.env,
        TEST_NODE_VERSION: version,
        npm_lifecycle_event: npm.event,
        npm_lifecycle_script: npm.script,
      },
    },
  )
  return { status, stdout, stderr }
}

describe('a program that npm starts', () => {
  const start = { event: 'start', script: scripts.start }

  it('runs on a supported Node.js', () => {
    expect(runOn('22.12.0', start)).toEqual({ status: 0, stdout: 'it ran', stderr: '' })
  })

  it.each([
    [start, [], 'npm start'],
    [start, ['--workdir', '/srv/p'], 'npm start -- --workdir /srv/p'],
    [{ event: 'test', script: scripts.test }, ['cli/files'], 'npm test -- cli/files'],
    [{ event: 'dev', script: scripts.dev }, [], 'npm run dev'],
    [{ event: 'test:hostile', script: scripts['test:hostile'] }, ['--hostile'], 'npm run test:hostile'],
    [
      { event: 'bench', script: scripts.bench },
      ['e2e/bench/main.ts', '--only', 'memory'],
      'npm run bench -- --only memory',
    ],
  ])('does not run on an older Node.js, which prints one line: %j %j', (npm, args, command) => {
    const { status, stdout, stderr } = runOn('20.20.2', npm, ...args)
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(/^gpuq needs Node\.js .*22\.12.*; this is 20\.20\.2\..*\n$/)
    expect(stderr).toContain(`npm exec --yes --package=node@24 --call='${command}'\n`)
  })

  it('is checked, whichever it is', () => {
    const unchecked = Object.values(scripts).filter((script) =>
      /^node (?!--require \.\/deploy\/run\/require-node\.cjs )/.test(script),
    )
    expect(unchecked).toEqual([])
  })
})

describe('.ci/run', () => {
  /** Runs a copy of it, with a `node` and an `npm` that only print. */
  function runCi(nodeExits: number): string {
    const checkout = mkdtempSync(join(directory, 'checkout-'))
    mkdirSync(join(checkout, '.ci'))
    copyFileSync(join(root, '.ci', 'run'), join(checkout, '.ci', 'run'))
    const program = (name: string, text: string) =>
      writeFileSync(join(checkout, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    program('node', `exit ${nodeExits}`)
    program('npm', 'printf "%s|" "$@"')
    const env = { ...process.env, PATH: `${checkout}:${process.env.PATH}` }
    return spawnSync(join(checkout, '.ci', 'run'), { encoding: 'utf8', env }).stdout
  }

  it('runs the tests on the Node.js of the machine if it is supported, otherwise on Node.js 24', () => {
    expect(runCi(0)).toBe('test|')
    expect(runCi(1)).toBe('exec|--yes|--package=node@24|--call=npm test|')
  })
})

describe('the program gpuq of a checkout', () => {
  /** Runs a copy of it through a link, with a `node` that says what it runs, and an `npm` that only prints. */
  function runGpuq(nodes: 'new' | 'old', options: { npm?: boolean; fetched?: boolean } = {}) {
    const { npm = true, fetched = false } = options
    const checkout = mkdtempSync(join(directory, 'checkout-'))
    copyFileSync(join(root, 'gpuq'), join(checkout, 'gpuq'))
    mkdirSync(join(checkout, 'bin'))
    symlinkSync(join(checkout, 'gpuq'), join(checkout, 'bin', 'linked'))
    const program = (name: string, text: string) =>
      writeFileSync(join(checkout, 'bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    program('node', `[ "$1" = --require ] && exit ${nodes === 'new' ? 0 : 1}; printf '%s|' "$@"; echo`)
    if (npm) program('npm', `printf '%s|' "$@"`)
    for (const tool of ['dirname', 'readlink']) {
      const path = execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim()
      symlinkSync(path, join(checkout, 'bin', tool))
    }
    const env = {
      PATH: join(checkout, 'bin'),
      NODE_ENV: 'test' as const,
      ...(fetched && { GPUQ_NODE_FETCHED: '1' }),
    }
    const words = ['add', 'a b.py', '--args', '']
    const { stdout, stderr, status } = spawnSync(join(checkout, 'bin', 'linked'), words, {
      encoding: 'utf8',
      env,
    })
    return { stdout: stdout.replaceAll(checkout, '.'), stderr, status }
  }

  it('prepares the command line, then runs it', () => {
    expect(runGpuq('new').stdout).toBe(
      './deploy/run/first-start/prepare-cli.mjs|add|a b.py|--args||\n./dist/cli.js|add|a b.py|--args||\n',
    )
  })

  it('lets npm fetch Node.js 24 if the one of the machine is too old, and says so', () => {
    const { stdout, stderr } = runGpuq('old')
    expect(stdout).toBe('exec|--yes|--package=node@24|--|./gpuq|add|a b.py|--args||')
    expect(stderr).toMatch(/^npm fetches Node\.js 24 for gpuq: about 120 MB/)
  })

  it.each([{ npm: false }, { fetched: true }])('says how to get Node.js if npm cannot: %j', (options) => {
    const { stdout, stderr, status } = runGpuq('old', options)
    expect({ stdout, status }).toEqual({ stdout: '', status: 1 })
    expect(stderr).toContain('gpuq needs Node.js 24 with npm. Install it (https://nodejs.org/en/download)')
  })
})
