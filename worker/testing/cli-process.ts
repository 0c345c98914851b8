import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Lab } from './lab'
import type { WebProcess } from './web-process'

const program = resolve(import.meta.dirname, '../../dist/cli.js')

interface Ended {
  code: number | null
  out: string
  err: string
}

/** Starts the built `gpuq` for a user of the lab's web server. */
export async function startCli(
  { lab, web }: { lab: Lab; web: WebProcess },
  token: string,
  args: readonly string[],
  cwd = lab.directory,
): Promise<{ kill: () => void; ended: Promise<Ended> }> {
  const home = join(lab.directory, 'home')
  await mkdir(home, { recursive: true })
  const { PATH } = process.env
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { PATH, HOME: home, GPUQ_SERVER: web.url, GPUQ_TOKEN: token, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const texts = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    texts.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    texts.err += text
  })
  const ended = once(child, 'close').then(([code]) => ({ code, ...texts }))
  return { kill: () => child.kill('SIGKILL'), ended }
}
