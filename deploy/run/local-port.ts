import { createHash } from 'node:crypto'
import { userInfo } from 'node:os'
import { env } from '@/lib/env'
import { localPort } from '@/lib/http/server/local/admit-local'
import { tryPort } from './instance-lock.mjs'
import type { Report } from './report.mjs'

/** Lets the web server listen on the local port too. */
export const localPortFlag = '--local-port'
/** Internal: gives the web server the hash of the token that requests on the local port need; unset: none. */
export const localTokenVariable = 'GPUQ_LOCAL_TOKEN_HASH'

/** What the web server needs for the local port. */
export interface LocalPort {
  tokenHash: string | null
}

/** Whether this start serves the local port: the document's variable is true, and the user has chosen no port. */
export function wantsLocalPort(port: string | undefined = process.env.PORT): boolean {
  return env().RESEARCH_AGENT_GPU_ORCHESTRATION_ENABLED === true && !port
}

/**
 * Prepares the local port, and says what that means; null: it is not served. Call it while the token is still known. The server
 * of the development mode compiles its own copy of the API, in which the local owner cannot be marked.
 */
export async function prepareLocalPort(
  report: Report,
  isDevelopment: boolean,
  wanted = wantsLocalPort(),
): Promise<LocalPort | null> {
  const { RESEARCH_AGENT_USER_AUTH_TOKEN: token } = env()
  if (wanted && isDevelopment) {
    report.warn(
      `npm run dev does not serve port ${localPort}: the queue API is only on the port of gpuq, with a token. npm start serves it.`,
    )
    return null
  }
  if (!wanted) {
    if (token !== undefined)
      report.warn(
        `RESEARCH_AGENT_USER_AUTH_TOKEN has no effect: it is for port ${localPort}, which gpuq serves with RESEARCH_AGENT_GPU_ORCHESTRATION_ENABLED=true and without PORT.`,
      )
    return null
  }
  const codes = [await tryPort(localPort, '127.0.0.1'), await tryPort(localPort, '::1')]
  if (codes.includes('EADDRINUSE')) {
    report.warn(
      `Port ${localPort} is already in use, so the queue API is only on the port of gpuq, with a token. Stop the other program and start again to have it there too.`,
    )
    return null
  }
  report.line(describeLocalPort(token !== undefined))
  return { tokenHash: token === undefined ? null : createHash('sha256').update(token).digest('hex') }
}

function describeLocalPort(withToken: boolean): string {
  const where = `  http://localhost:${localPort} has the queue API for this machine:`
  return withToken
    ? `${where} every program that sends the token of RESEARCH_AGENT_USER_AUTH_TOKEN in X-Auth-Token may submit jobs there.`
    : `${where} every program of the Unix user ${userInfo().username} may submit jobs there without a token. To need one, set RESEARCH_AGENT_USER_AUTH_TOKEN.`
}
