import { noJobLimits } from '../../lib/contract/access/limits'
import { roles } from '../../lib/contract/access/roles'
import { sessionCookie } from '../sign-in'
import { adminUser, createUser, noLimits, type TestUser } from '../test-users'
import { configText, fileOf, submit, waitingConfig } from '../uploads'
import type { Random } from './random'

/** The users and sessions that send the requests. */
export class Callers {
  #users: TestUser[] = []
  #cookie = ''

  /** The secrets that no response may contain. */
  get secrets(): string[] {
    const session = /gpuq-session=([^;]+)/.exec(this.#cookie)?.[1]
    return [...this.#users.map(({ token }) => token), ...(session ? [session] : [])]
  }

  /** Replaces a caller that a request has disabled or signed out. */
  async renew(): Promise<void> {
    const valid = await Promise.allSettled(this.#users.map(({ client }) => client.users.me()))
    if (valid.length === 0 || valid.some(({ status }) => status === 'rejected')) {
      const researcher = await createUser({ name: 'fuzz', limits: noLimits })
      const foreigner = await createUser({ name: 'foreign' })
      const admin = await createUser({
        name: 'boss',
        role: 'admin',
        token: { scopes: ['admin', 'submit', 'read'] },
      })
      this.#users = [researcher, foreigner, admin]
    }
    const [researcher] = this.#users
    if (researcher) this.#cookie = await sessionCookie(researcher)
  }

  /** The headers of a valid caller. */
  headersOf(random: Random): [name: string, value: string][] {
    const token = random.pickAny(this.#users)?.token ?? ''
    const kind = random.upTo(10)
    if (kind === 0) return [['Cookie', this.#cookie]]
    return kind < 3 ? [['X-Auth-Token', token]] : [['Authorization', `Bearer ${token}`]]
  }
}

/** Ids of objects that exist, by the part of the path before them. */
export type KnownIds = Readonly<Record<string, readonly string[]>>

/** Creates an object of each kind, so that a request can go further than "not found". */
export async function createObjects(): Promise<KnownIds> {
  // An earlier round may have required that projects exist, and limited a role.
  const admin = adminUser().client
  const noLimit = { ...noJobLimits, submissions_per_minute: null, max_active_jobs: null }
  await admin.orchestrator.updatePolicy({ require_existing_projects: false })
  for (const role of roles) await admin.limits.updateRole(role, noLimit)
  const owner = await createUser({ name: 'owner', limits: noLimits })
  const { client } = owner
  const code = 'print({"a": 1})\nopen("/results/a.csv", "w").write("a,b\\n1,2\\n")'
  const ended = await submit(owner, code, configText(), { wait: true })
  await fileOf(owner, ended)
  const waiting = await submit(owner, code, waitingConfig)
  await sessionCookie(owner)
  const { artifacts } = await client.jobs.artifacts(ended)
  const [project] = (await client.projects.list()).items
  const entries = [{ path: 'link', target: 'file' }]
  const { archive } = await client.archives.register({ project_id: project?.project_id ?? '', entries })
  const snapshot = await client.snapshots.create(project?.id ?? '', { name: 'code', archive })
  const [token] = (await client.tokens.list()).items
  const [session] = await client.sessions.list()
  const inviter = await createUser({ name: 'inviter' })
  await inviter.client.projects.create({ project_id: 'elsewhere', members: [owner.handle] })
  const [invitation] = await client.projectInvitations.list()
  const { nodes } = await admin.cluster.get()
  const known = {
    jobs: [ended, waiting],
    artifacts: artifacts.map(({ artifact_id }) => artifact_id),
    projects: [project?.id],
    snapshots: [snapshot.id],
    tokens: [token?.token_id],
    sessions: [session?.session_id],
    'project-invitations': [invitation?.id],
    users: [owner.handle],
    environments: ['python'],
    roles: ['researcher'],
    nodes: nodes.map(({ node_id }) => String(node_id)),
    gpus: nodes.flatMap(({ gpus }) => gpus.map(({ gpu_id }) => gpu_id)),
  }
  const ids = Object.entries(known).map(([kind, list]) => [kind, list.flatMap((id) => id ?? [])] as const)
  const missing = ids.filter(([, list]) => list.length === 0).map(([kind]) => kind)
  if (missing.length > 0) throw new Error(`There is no object of the kinds ${missing.join(', ')}.`)
  return Object.fromEntries(ids)
}

/** The ids for a parameter of a path such as `/api/status/{id}`. */
export function idsFor(known: KnownIds, partBefore: string): readonly string[] {
  const kind = /^(status|results|cancel|queue)$/.test(partBefore) ? 'jobs' : partBefore
  return known[kind] ?? []
}
