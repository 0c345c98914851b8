import { join } from 'node:path'
import { env } from '@/lib/env'
import { root } from './settings.mjs'
import type { Program } from './supervise'

const exitWithParent = ['--import', join(root, 'deploy', 'run', 'exit-with-parent.mjs')]

function program(name: string, dataDir: string, args: string[]): Program {
  return {
    name,
    args: [...exitWithParent, ...args],
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    logFile: join(dataDir, 'logs', `${name}.log`),
  }
}

/** The web server: pages and API. */
export function webProgram(dataDir: string): Program {
  const next = join(root, 'node_modules', 'next', 'dist', 'bin', 'next')
  return program('web', dataDir, [next, 'start', '-p', String(env().PORT), '-H', env().HOST])
}

/** This machine's worker. */
export function workerProgram(dataDir: string): Program {
  return program('worker', dataDir, ['--enable-source-maps', join(root, 'dist', 'worker.js')])
}

/** Where this process reaches the web server, whatever address it is known by outside. */
export function localUrl(): string {
  const { HOST, PORT } = env()
  const host = ['0.0.0.0', '::', ''].includes(HOST) ? '127.0.0.1' : HOST
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`
}
