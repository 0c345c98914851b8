import type { Restriction } from '../contract/access/restriction'
import type { Role, Scope } from '../contract/access/roles'
import { forbidden } from '../contract/errors'
import type { Operation } from '../contract/operations/operation'
import type { Limits } from './limits'
import { describeRestriction } from './restriction'

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
  /** What the token of a class or of an agent may reach. Null: the credential is not restricted. */
  restriction: Restriction | null
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
 * Checks that the actor's credential may call an operation at all. A restricted token is refused, unless the declaration of the
 * operation lets it in.
 * @throws 403 otherwise.
 */
export function requireOperation(
  { restriction }: Pick<Actor, 'restriction'>,
  { restrictedTokens }: Pick<Operation, 'restrictedTokens'>,
): void {
  if (restriction === null || restrictedTokens) return
  throw forbidden(
    restriction.agent === null
      ? `${describeRestriction(restriction)}: it submits jobs, and reads and cancels them. Sign in, or use a token that you created yourself under Tokens.`
      : `${describeRestriction(restriction)}: it submits jobs, and reads and cancels those that it submitted. A person must do this, signed in or with a token that is not for an agent.`,
  )
}

/** @throws 403 if the actor's token lacks `scope`. */
export function requireScope(actor: Actor, scope: Scope): void {
  if (actor.via === 'session' || actor.scopes.includes(scope) || isAdmin(actor)) return
  throw forbidden(`This token lacks the scope "${scope}". Create a token that has it under Tokens.`)
}
