import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { notFound } from '@/lib/contract/errors'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

interface Program {
  /** The checkout. */
  root: string
  /** The name of its file in dist/. */
  name: 'worker' | 'backup' | 'doctor' | 'stop'
  args?: readonly string[]
  env: NodeJS.ProcessEnv
  /** The directory in which it runs; default: this process's. */
  cwd?: string
}

/**
 * Runs a built program of the checkout on this terminal until it exits, forwards signals to it, and returns its exit
 * code. The program stops if this process is killed.
 */
export async function runProgram({ root, name, args = [], env, cwd }: Program): Promise<number> {
  const program = join(root, 'dist', `${name}.js`)
  if (!existsSync(program)) {
    throw notFound(`${program} is not built. Run \`npm run build\` in ${root}.`)
  }
  const exitWithParent = ['--import', join(root, 'deploy', 'run', 'exit-with-parent.mjs')]
  const child = spawn(process.execPath, [...exitWithParent, '--enable-source-maps', program, ...args], {
    env: { ...env, NODE_ENV: 'production' },
    cwd,
    // In its own session, Ctrl-C reaches only this process, so that the program receives each signal once. A
    // second signal tells it to stop faster.
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const forward = (signal: NodeJS.Signals) => void child.kill(signal)
  for (const signal of signals) process.on(signal, forward)
  try {
    return await new Promise<number>((done, fail) => {
      child.once('error', fail)
      child.once('exit', (code, signal) => done(code ?? 128 + (signal ? constants.signals[signal] : 0)))
    })
  } finally {
    for (const signal of signals) process.off(signal, forward)
  }
}
