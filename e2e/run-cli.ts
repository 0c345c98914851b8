import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** The built `gpuq`. */
export const cliProgram = join(import.meta.dirname, '..', 'dist', 'cli.js')

export interface Ended {
  code: number | null
  out: string
  err: string
}

/** Runs the built `gpuq` until it exits. */
export function runCli(
  args: string[],
  { home, env = {}, cwd }: { home: string; env?: Record<string, string>; cwd?: string },
): Promise<Ended> {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [cliProgram, ...args], {
    env: { PATH, HOME: home, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd,
  })
  const ended: Ended = { code: null, out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    ended.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    ended.err += text
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ ...ended, code }))
  })
}
