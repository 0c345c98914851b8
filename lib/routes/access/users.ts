import { changeOwnPassword } from '../../access/sessions/change-password'
import { signInClient } from '../../access/sessions/session-client'
import { sessionCookie } from '../../access/sessions/session-cookie'
import { hostFilesOf } from '../../access/users/host-files'
import { acceptInvitation } from '../../access/users/invitations'
import { updateUser } from '../../access/users/update-user'
import { createUser, getUser, listUsers } from '../../access/users/users'
import { userOperations } from '../../contract/operations/access'
import { siteOrigin } from '../../http/origin'
import { route } from '../../http/route'

export const userRoutes = {
  list: route(userOperations.list, ({ actor, query }) => listUsers(actor, query)),

  create: route(userOperations.create, async ({ actor, request, body, answer }) => {
    const user = await createUser(actor, await body(), siteOrigin(request))
    return answer(user, { headers: { location: `/api/users/${user.user_id}` } })
  }),

  get: route(userOperations.get, ({ actor, params }) => getUser(actor, params.handle)),

  update: route(userOperations.update, async ({ actor, request, params, body }) =>
    updateUser(actor, params.handle, await body(), siteOrigin(request)),
  ),

  me: route(userOperations.me, async ({ actor }) => ({
    ...(await getUser(actor, actor.handle)),
    host_files: await hostFilesOf(actor),
  })),

  /** Ends all other sessions of the user. The calling session continues with a new cookie. */
  changePassword: route(userOperations.changePassword, async ({ actor, body, request }) => {
    const session = await changeOwnPassword(actor, await body(), signInClient(request.headers))
    const headers = new Headers()
    if (session) headers.set('set-cookie', await sessionCookie(session))
    return new Response(null, { status: 204, headers })
  }),

  /** Public, because the invitation proves the right. */
  acceptInvitation: route(userOperations.acceptInvitation, async ({ body }) => {
    const { token, password } = await body()
    return { user_id: await acceptInvitation(token, password) }
  }),
}
