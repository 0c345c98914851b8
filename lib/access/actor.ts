import type { Role, Scope } from '../contract/access/roles'
import { forbidden } from '../contract/errors'
import type { Operation } from '../contract/operations/operation'
import type { Limits } from './limits'

/**
 * An authenticated caller. Functions that act for someone take an Actor and not a raw user id, so the type proves
 * that the caller was authenticated.
 */
export interface Actor {
  userId: string
  handle: string
  role: Role
  /** A session has all scopes; a token has the scopes it was created with. */
  scopes: readonly Scope[]
  via: 'session' | 'token'
  tokenId: string | null
  sessionId: string | null
  /**
   * The class to which the token is bound: it submits into this project, and reads the jobs that its user has there. Null: the
   * credential is not bound.
   */
  onlyProject: Readonly<{ id: string; slug: string }> | null
  /** Limits set for this user; null: the limits of the project, otherwise the default. */
  limits: Limits
}

/** Returns true if the actor may see and change what belongs to other users. */
export function isAdmin(actor: Actor): boolean {
  return actor.role === 'admin' && (actor.via === 'session' || actor.scopes.includes('admin'))
}

/** @throws 403 unless the actor has the admin role and, with a token, the `admin` scope. */
export function requireAdmin(actor: Actor): void {
  if (isAdmin(actor)) return
  if (actor.role !== 'admin') throw notAdmin()
  throw forbidden('This requires a token with the scope "admin". Create one under Tokens.')
}

/** @throws 403 unless the actor has the admin role. A token needs no scope `admin`: for what only reads. */
export function requireAdminRole(actor: Actor): void {
  if (actor.role !== 'admin') throw notAdmin()
}

const notAdmin = () =>
  forbidden('Only admins may do this. Ask an admin to do it, or to give you the admin role.')

/**
 * Checks that the actor's credential may call an operation at all. A token of a class is refused, unless the declaration of the
 * operation lets it in.
 * @throws 403 otherwise.
 */
export function requireOperation(
  { onlyProject }: Pick<Actor, 'onlyProject'>,
  { classTokens }: Pick<Operation, 'classTokens'>,
): void {
  if (onlyProject === null || classTokens) return
  throw forbidden(
    `This token is only for submitting jobs to the class "${onlyProject.slug}", and for reading and cancelling them. Sign in, or use a token that you created yourself under Tokens.`,
  )
}

/** @throws 403 if the actor's token lacks `scope`. */
export function requireScope(actor: Actor, scope: Scope): void {
  if (actor.via === 'session' || actor.scopes.includes(scope) || isAdmin(actor)) return
  throw forbidden(`This token lacks the scope "${scope}". Create a token that has it under Tokens.`)
}
