import type { z } from 'zod'
import { listensLocally } from './listening'

interface Reach {
  GPUQ_HOST_FILES: boolean
  HOST: string
  GPUQ_URL?: string | undefined
  GPUQ_TRUSTED_PROXIES?: unknown
  GPUQ_WORKSPACES?: unknown
  DATABASE_URL?: string | undefined
}

/**
 * Refuses files of the host on a server that others than the person who runs it may use: it must not mount directories
 * of its host that a user names.
 */
export function refuseSharedHostFiles(settings: Reach, context: z.RefinementCtx): void {
  const name = settings.GPUQ_HOST_FILES ? sharedBy(settings) : null
  if (name === null) return
  const message = `cannot be used with ${name}, which may let others use this server. Remove one of them`
  context.addIssue({ code: 'custom', path: ['GPUQ_HOST_FILES'], message })
}

/** The setting with which a server may have other users; null: none. */
function sharedBy(settings: Reach): keyof Reach | null {
  if (!listensLocally(settings.HOST)) return 'HOST'
  if (settings.GPUQ_URL !== undefined && !isLocal(settings.GPUQ_URL)) return 'GPUQ_URL'
  if (settings.GPUQ_TRUSTED_PROXIES !== undefined) return 'GPUQ_TRUSTED_PROXIES'
  if (settings.GPUQ_WORKSPACES !== undefined) return 'GPUQ_WORKSPACES'
  return settings.DATABASE_URL !== undefined && !isLocal(settings.DATABASE_URL) ? 'DATABASE_URL' : null
}

/** Whether an address leads to this machine. An address of PostgreSQL without a host means a socket. */
function isLocal(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { hostname, searchParams } = new URL(address)
  const host = (searchParams.get('host') ?? hostname).replace(/^\[|\]$/g, '')
  return host === '' || host.startsWith('/') || listensLocally(host)
}
