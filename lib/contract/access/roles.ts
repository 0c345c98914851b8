export const roles = ['researcher', 'admin'] as const
export type Role = (typeof roles)[number]

/**
 * What a token may do: `submit` changes its user's own things, `read` sees them, and neither implies the other.
 * `admin` opens what the admin role opens, which is everything, and only for a user who has that role.
 */
export const scopes = ['submit', 'read', 'admin'] as const
export type Scope = (typeof scopes)[number]
