import type { Actor } from '../access/actor'
import { unauthenticated } from '../contract/errors'
import { idempotencyKeyOf, mediaType, readJson } from '../http/body'
import { route } from '../http/route'
import { receiveUploadAs } from '../http/upload'
import { startWaiting } from '../jobs/live/wait'
import { acceptGroup } from './accept-group'
import { cancelGroup } from './cancel-group'
import { checkGroup } from './check-group'
import { extendGroup, rerunFailed } from './continue-group'
import { createGroupSchema, groupConfigLimits, groupConfigSchema } from './contract'
import { downloadGroup } from './download/download-group'
import { type GroupRequest, toGroupRequest } from './group-config'
import { findGroup, listGroups, listMembers, readGroup, readGroupOfJob, waitForGroup } from './groups'
import { groupOperations } from './operations'
import { updateGroup } from './update-group'

export const groupRoutes = {
  create: route(groupOperations.create, async ({ request, actor: caller, query, answer }) => {
    const submit = async (actor: Actor, given: GroupRequest) => {
      if (query.dry_run) return answer(await checkGroup(actor, given), { status: 200 })
      const { id, repeated, hints, headers } = await acceptGroup(actor, given)
      const init = { status: repeated ? 200 : 201, headers: { ...headers, location: `/api/groups/${id}` } }
      return answer({ ...(await readGroup(actor, id)), hints }, init)
    }
    if (mediaType(request) !== 'application/json') {
      const options = { configLimits: groupConfigLimits }
      return receiveUploadAs(
        groupConfigSchema,
        request,
        caller,
        ({ actor, request: given }) => submit(actor, given),
        options,
      )
    }
    if (!caller) throw unauthenticated('Send your token: as the header "Authorization: Bearer YOUR_TOKEN".')
    const body = await readJson(request, createGroupSchema, groupOperations.create)
    return submit(caller, toGroupRequest(body, idempotencyKeyOf(request)))
  }),

  list: route(groupOperations.list, ({ actor, query }) => listGroups(actor, query)),

  get: route(groupOperations.get, ({ actor, params }) => readGroup(actor, params.id)),

  update: route(groupOperations.update, async ({ actor, params, body }) => {
    await findGroup(actor, params.id)
    return updateGroup(actor, params.id, await body())
  }),

  members: route(groupOperations.members, ({ actor, params, query }) => listMembers(actor, params.id, query)),

  files: route(groupOperations.files, ({ actor, params, request }) =>
    downloadGroup(actor, params.id, request.signal),
  ),

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

  rerunFailed: route(groupOperations.rerunFailed, ({ actor, params }) => rerunFailed(actor, params.id)),

  extend: route(groupOperations.extend, async ({ actor, params, body }) =>
    extendGroup(actor, params.id, await body()),
  ),
}
