export const roles = ['researcher', 'admin'] as const
export type Role = (typeof roles)[number]

/** What a token may do. `read` is implied by neither of the others; `admin` opens what the admin role opens. */
export const scopes = ['submit', 'read', 'admin'] as const
export type Scope = (typeof scopes)[number]
