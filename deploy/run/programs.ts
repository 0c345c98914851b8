import { join } from 'node:path'
import { env } from '@/lib/env'
import { httpAddress, listensEverywhere } from '@/lib/env/listening'
import { type LocalPort, localPortFlag, localTokenVariable } from './local-port'
import { root, takeFirstStartSecrets } from './settings.mjs'
import type { Program } from './supervise'

/** In development, the web server compiles each page on first use, and the worker comes from the watched bundle. */
export type Mode = 'production' | 'development'

const exitWithParent = ['--import', join(root, 'deploy', 'run', 'exit-with-parent.mjs')]

function program(name: string, mode: Mode, dataDir: string, args: string[]): Program {
  const env: NodeJS.ProcessEnv = { ...process.env, NODE_ENV: mode, NEXT_TELEMETRY_DISABLED: '1' }
  takeFirstStartSecrets(env)
  return {
    name,
    args: [...exitWithParent, ...args],
    env,
    logFile: join(dataDir, 'logs', `${name}.log`),
  }
}

/** The web server: pages and API, and in production the local port if it is given. */
export function webProgram(mode: Mode, dataDir: string, local: LocalPort | null = null): Program {
  const next = join(root, 'node_modules', 'next', 'dist', 'bin', 'next')
  const development = [next, 'dev', '-p', String(env().PORT), '-H', env().HOST]
  const production = [join(root, 'dist', 'web.js'), ...(local === null ? [] : [localPortFlag])]
  const web = program('web', mode, dataDir, mode === 'production' ? production : development)
  return local?.tokenHash ? { ...web, env: { ...web.env, [localTokenVariable]: local.tokenHash } } : web
}

/** This machine's worker. */
export function workerProgram(mode: Mode, dataDir: string, args: readonly string[] = []): Program {
  const file = mode === 'production' ? 'worker.js' : join('development', 'worker.js')
  return program('worker', mode, dataDir, ['--enable-source-maps', join(root, 'dist', file), ...args])
}

/** The address at which this process reaches the web server. Its public address may differ. */
export function localUrl(): string {
  const { HOST, PORT } = env()
  return httpAddress(listensEverywhere(HOST) ? '127.0.0.1' : HOST, PORT)
}
