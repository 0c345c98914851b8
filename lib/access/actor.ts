import { GpuqError } from '../contract/errors'
import type { Role, Scope } from '../contract/roles'

/**
 * An authenticated caller. Functions that act for someone take one, so that a proven right is in the type and not a
 * raw user id.
 */
export interface Actor {
  userId: string
  handle: string
  role: Role
  /** A session may do what its user may; a token only what its scopes say as well. */
  scopes: readonly Scope[]
  via: 'session' | 'token'
  tokenId: string | null
  /** Limits set for this user; null: the project's, else the default. */
  limits: { submissionsPerMinute: number | null; maxActiveJobs: number | null }
}

/** True when the actor may see and act on everyone's things. */
export function isAdmin(actor: Actor): boolean {
  return actor.role === 'admin' && (actor.via === 'session' || actor.scopes.includes('admin'))
}

/** Throws 403 unless the actor has the admin role and, with a token, its `admin` scope. */
export function requireAdmin(actor: Actor): void {
  if (isAdmin(actor)) return
  throw new GpuqError(
    'forbidden',
    actor.role === 'admin'
      ? 'This needs a token with the scope "admin". Make one under Tokens.'
      : 'This is for admins. Ask one to do it, or to give you the admin role.',
  )
}

/** Throws 403 when the actor came with a token that lacks `scope`. */
export function requireScope(actor: Actor, scope: Scope): void {
  if (actor.via === 'session' || actor.scopes.includes(scope) || isAdmin(actor)) return
  throw new GpuqError(
    'forbidden',
    `This token lacks the scope "${scope}". Make one that has it under Tokens.`,
  )
}
