import { execFileSync } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startFile, startScript } from './start-script'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-start-'))
})
afterAll(() => rm(root, { recursive: true }))

const shells = ['sh', 'dash', 'bash'].filter((shell) => {
  try {
    execFileSync(shell, ['-c', ':'])
    return true
  } catch {
    return false
  }
})

const variables = {
  HF_TOKEN: 'hf_0123456789',
  QUOTED: `it's "$(id)" \`id\` $HOME \\ ~/x *`,
  LINES_OF_TEXT: 'one\ntwo\n',
  UNICODE: 'é ā 中',
  EMPTY: '',
  PWD: '/x',
  OLDPWD: '~',
  HOME: '/work',
  IS_EQUAL: 'a=b',
  TMPDIR: '/tmp',
  CDPATH: '/',
  PS4: '$(id)',
  ENV: '/nowhere',
  COLUMNS: 'x',
  HOSTNAME: 'h',
  TZ: 'Europe/Berlin',
  http_proxy: 'http://a',
}

/** Runs the script as the shell of a warm container does. */
async function start(shell: string, path: string, command: string[]): Promise<string> {
  const file = join(root, startFile)
  await writeFile(
    file,
    startScript(
      Object.entries(variables).map((pair) => pair.join('=')),
      command,
    ),
  )
  const env = { NODE_ENV: 'test' as const, PATH: path, KEPT: 'kept', HOME: '/' }
  return execFileSync(shell, ['-c', `. ${file}`], {
    env,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}

const printEnvironment = [process.execPath, '-e', 'process.stdout.write(JSON.stringify(process.env))']
const usualPath = '/usr/local/bin:/usr/bin:/bin'

it.each(shells)('%s gives a program exactly its variables, whatever is in them', async (shell) => {
  const printed = await start(shell, usualPath, printEnvironment)
  expect(JSON.parse(printed)).toEqual({ NODE_ENV: 'test', PATH: usualPath, KEPT: 'kept', ...variables })
})

it.each(shells)('%s puts no variable on a command line, which every account can read', async (shell) => {
  const seen = join(root, 'seen')
  // The program between the shell and that of the job.
  await writeFile(
    join(root, 'env'),
    `#!/bin/sh\ntr '\\0' '\\n' < /proc/$$/cmdline > ${seen}\nexec /usr/bin/env "$@"\n`,
  )
  await chmod(join(root, 'env'), 0o755)
  const printed = await start(shell, `${root}:${usualPath}`, printEnvironment)
  expect(JSON.parse(printed)).toMatchObject({ HF_TOKEN: variables.HF_TOKEN })
  const line = await readFile(seen, 'utf8')
  expect(line).toContain(process.execPath)
  expect(line).not.toContain('hf_')
})

it('has every text in single quotes', () => {
  expect(startScript(["A=it's"], ['sh', '-c', 'echo $HOME'])).toBe(
    "export A='it'\\''s'\nexec env -u _ -u OLDPWD -u PWD -u SHLVL 'sh' '-c' 'echo $HOME' </dev/null\n",
  )
})
