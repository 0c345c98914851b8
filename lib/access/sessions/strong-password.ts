import { invalidField } from '../../contract/errors'

/** What others may know of the user who sets a password. */
export interface PasswordOwner {
  handle: string
  name: string | null
  email: string | null
}

/** Refuses a password that is easy to guess. @throws 422 for the field, with advice. */
export async function requireStrongPassword(
  field: string,
  password: string,
  owner: PasswordOwner,
): Promise<void> {
  const weakness = await findWeakness(password, owner)
  if (weakness !== null) throw invalidField(field, weakness)
}

/** Returns why a password is refused and what helps; null for a strong one. */
export async function findWeakness(
  password: string,
  { handle, name, email }: PasswordOwner,
): Promise<string | null> {
  // Only on use, because it loads a dictionary.
  const { ratePassword } = await import('../../contract/access/password-strength')
  const { strong, advice } = ratePassword(password, [handle, name, email])
  return strong ? null : ['this password is easy to guess.', ...advice].join(' ')
}
