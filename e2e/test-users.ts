import { randomBytes } from 'node:crypto'
import type { CreateToken, UpdateUser } from '@/lib/contract/access/access'
import type { Role } from '@/lib/contract/access/roles'
import { type Client, createClient } from '@/lib/http/client/client'
import { until } from '@/worker/testing/until'
import { theSystem } from './system/the-system'

/** A test user with their credentials. */
export interface TestUser {
  handle: string
  email: string
  password: string
  token: string
  /** An API client with that token. */
  client: Client
}

/** Creates an API client for a token. */
export function clientOf(token: string): Client {
  return createClient({ baseUrl: theSystem().url, token })
}

/** An API client of the first admin. */
export function adminClient(): Client {
  return clientOf(theSystem().adminToken)
}

/** The first admin's credentials. */
export function adminUser(): TestUser {
  const { adminEmail: email, adminPassword: password, adminToken: token } = theSystem()
  return { handle: 'admin', email, password, token, client: clientOf(token) }
}

type Limits = NonNullable<UpdateUser['limits']>

export const noLimits: Limits = {
  submissions_per_minute: 1_000_000,
  max_active_jobs: 1_000_000,
  max_waiting_jobs: 1_000_000,
  max_priority: 100,
}

interface Wanted {
  name?: string
  role?: Role
  /** Undefined: the server's defaults. */
  limits?: Limits
  token?: Partial<CreateToken>
}

/** Cancels the user's jobs and waits for their end. A job that ends by itself meanwhile is fine. */
export async function cancelAll({ client }: Pick<TestUser, 'client'>): Promise<void> {
  const left = async () => {
    const lists = (['pending', 'running'] as const).map((status) => client.jobs.list({ status, limit: 200 }))
    return (await Promise.all(lists)).flatMap(({ items }) => items)
  }
  await Promise.allSettled((await left()).map(({ job_id }) => client.jobs.cancel(job_id)))
  await until('all jobs of the user have ended', async () => (await left()).length === 0)
}

/** Creates a user with a password and a token, as an admin's script would. */
export async function createUser(given: Wanted = {}): Promise<TestUser> {
  const admin = adminClient()
  const handle = `${given.name ?? 'person'}-${randomBytes(4).toString('hex')}`
  const [email, password] = [`${handle}@example.org`, `the password of ${handle}`]
  await admin.users.create({ user_id: handle, email, password, role: given.role ?? 'researcher' })
  if (given.limits) await admin.users.update(handle, { limits: given.limits })
  const { token } = await admin.tokens.create({ user_id: handle, name: 'of a test', ...given.token })
  return { handle, email, password, token, client: clientOf(token) }
}
