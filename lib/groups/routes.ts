import { createHash } from 'node:crypto'
import type { Actor } from '../access/actor'
import { describeIssue } from '../contract/config/issues'
import { GpuqError, invalidField, unauthenticated } from '../contract/errors'
import { idempotencyKeyOf, mediaType, readJson } from '../http/body'
import { route } from '../http/route'
import { receiveUploadAs } from '../http/upload'
import { startWaiting } from '../jobs/live/wait'
import { acceptGroup, type GroupRequest } from './accept-group'
import { cancelGroup } from './cancel-group'
import { createGroupSchema, groupConfigSchema } from './contract'
import { listGroups, listMembers, readGroup, readGroupOfJob, waitForGroup } from './groups'
import { groupOperations } from './operations'

export const groupRoutes = {
  create: route(groupOperations.create, async ({ request, actor: caller, answer }) => {
    const { actor, accepted } =
      mediaType(request) === 'application/json'
        ? await fromJson(request, caller)
        : await receiveUploadAs(groupConfigSchema, request, caller, async ({ actor, request: given }) => ({
            actor,
            accepted: await acceptGroup(actor, given),
          }))
    const { id, repeated, hints, headers } = accepted
    const group = await readGroup(actor, id)
    const init = { status: repeated ? 200 : 201, headers: { ...headers, location: `/api/groups/${id}` } }
    return answer({ ...group, hints }, init)
  }),

  list: route(groupOperations.list, ({ actor, query }) => listGroups(actor, query)),

  get: route(groupOperations.get, ({ actor, params }) => readGroup(actor, params.id)),

  members: route(groupOperations.members, ({ actor, params, query }) => listMembers(actor, params.id, query)),

  ofJob: route(groupOperations.ofJob, ({ actor, params }) => readGroupOfJob(actor, params.id)),

  wait: route(groupOperations.wait, async ({ actor, params, query, request }) => {
    const stopWaiting = startWaiting(actor)
    try {
      return await waitForGroup(actor, params.id, query, request.signal)
    } finally {
      stopWaiting()
    }
  }),

  cancel: route(groupOperations.cancel, ({ actor, params }) => cancelGroup(actor, params.id)),
}

/** A group without files: its members run a command, or a directory that the server has. */
async function fromJson(request: Request, actor: Actor | null) {
  if (!actor) throw unauthenticated('Send your token: as the header "Authorization: Bearer YOUR_TOKEN".')
  const idempotencyKey = idempotencyKeyOf(request)
  const body = await readJson(request, createGroupSchema)
  const parsed = groupConfigSchema.safeParse(body.config, { error: describeIssue })
  if (!parsed.success) {
    const errors = parsed.error.issues.map(({ path, message }) => ({
      path: ['config', ...path].join('.'),
      message,
    }))
    throw new GpuqError('invalid_fields', `${errors[0]?.path}: ${errors[0]?.message}`, { errors })
  }
  const { token: _, ...config } = parsed.data
  if (config.command === undefined && config.archive === undefined)
    throw invalidField('config.command', 'is missing: write what each member runs')
  const gpusChosen = ['gpu_count', 'gpu_fraction'].some((key) => Object.hasOwn(body.config, key))
  const bodyHash = createHash('sha256').update(JSON.stringify(body)).digest()
  const given: GroupRequest = {
    code: Buffer.alloc(0),
    runId: null,
    config: { ...config, gpusChosen },
    bodyHash,
    idempotencyKey,
  }
  return { actor, accepted: await acceptGroup(actor, given) }
}
