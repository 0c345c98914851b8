import * as z from 'zod'
import * as access from '../access/access'
import * as environments from '../access/environments'
import { limitsSchema, updateLimitsSchema } from '../access/limits'
import * as projects from '../access/projects'
import { created, defineOperations, done, get, list, ok, patch, post, remove } from './operation'

export const userOperations = defineOperations('users', 'access', {
  list: get('/api/users', 'admin', 'List users', {
    query: access.listUsersSchema,
    responses: list(access.userSchema),
  }),
  create: post('/api/users', 'admin', 'Create a user', {
    body: access.createUserSchema,
    responses: created(access.createdUserSchema),
  }),
  get: get('/api/users/{handle}', 'read', 'One user', { responses: ok(access.userSchema) }),
  update: patch('/api/users/{handle}', 'admin', 'Change a user', {
    body: access.updateUserSchema,
    responses: ok(access.createdUserSchema),
  }),
  me: get('/api/users/me', 'read', 'The caller', { responses: ok(access.meSchema) }),
  changePassword: post('/api/users/me/password', 'submit', 'Change your password', {
    body: access.changePasswordSchema,
    responses: done,
  }),
  acceptInvitation: post('/api/invitations', 'public', 'Accept an invitation by setting a password', {
    body: access.acceptInvitationSchema,
    responses: ok(z.object({ user_id: z.string() })),
  }),
})

export const sessionOperations = defineOperations('sessions', 'access', {
  list: get('/api/sessions', 'read', 'List the own sessions', {
    responses: ok(z.array(access.sessionSchema)),
  }),
  endAll: remove('/api/sessions', 'submit', 'Sign out everywhere', {
    query: access.endSessionsSchema,
    responses: done,
  }),
  end: remove('/api/sessions/{id}', 'submit', 'End one session', { responses: done }),
})

export const tokenOperations = defineOperations('tokens', 'access', {
  list: get('/api/tokens', 'read', 'List tokens', {
    query: access.listTokensSchema,
    responses: list(access.tokenSchema),
  }),
  create: post('/api/tokens', 'submit', 'Create a token; it is shown once', {
    body: access.createTokenSchema,
    responses: created(access.createdTokenSchema),
  }),
  revoke: remove('/api/tokens/{id}', 'submit', 'Revoke a token', { responses: done }),
})

export const projectOperations = defineOperations('projects', 'access', {
  list: get('/api/projects', 'read', 'List projects', {
    query: projects.listProjectsSchema,
    responses: list(projects.projectSchema),
  }),
  create: post('/api/projects', 'submit', 'Create a project', {
    body: projects.createProjectSchema,
    responses: created(projects.projectSchema),
  }),
  get: get('/api/projects/{id}', 'read', 'One project', { responses: ok(projects.projectSchema) }),
  update: patch('/api/projects/{id}', 'submit', 'Change a project, invite and remove members', {
    body: projects.updateProjectSchema,
    responses: ok(projects.projectSchema),
  }),
  updateMembership: patch(
    '/api/projects/{id}/membership',
    'submit',
    'Agree to the kind of a project, or let its name mean it',
    { body: projects.updateMembershipSchema, responses: ok(projects.projectSchema) },
  ),
  remove: remove('/api/projects/{id}', 'submit', 'Delete a project that has no jobs', { responses: done }),
})

export const projectInvitationOperations = defineOperations('projectInvitations', 'access', {
  list: get('/api/project-invitations', 'read', 'List the open invitations of the caller to projects', {
    responses: ok(z.array(projects.projectInvitationSchema)),
  }),
  answer: post('/api/project-invitations/{id}', 'submit', 'Accept or decline an invitation to a project', {
    body: projects.answerInvitationSchema,
    responses: done,
  }),
})

export const limitOperations = defineOperations('limits', 'access', {
  own: get('/api/limits', 'read', 'The limits that apply to the caller', {
    query: access.ownLimitsQuerySchema,
    responses: ok(limitsSchema),
  }),
  roles: get('/api/limits/roles', 'admin', 'The limits of each role', {
    responses: ok(access.roleLimitsSchema),
  }),
  updateRole: patch('/api/limits/roles/{role}', 'admin', 'Change the limits of a role', {
    body: updateLimitsSchema,
    responses: ok(limitsSchema),
  }),
})

export const environmentOperations = defineOperations('environments', 'access', {
  list: get('/api/environments', 'read', 'List environments', {
    restrictedTokens: true,
    responses: ok(z.array(environments.environmentSchema)),
  }),
  create: post('/api/environments', 'admin', 'Add an environment', {
    body: environments.createEnvironmentSchema,
    responses: created(environments.environmentSchema),
  }),
  update: patch('/api/environments/{name}', 'admin', 'Change an environment', {
    body: environments.updateEnvironmentSchema,
    responses: ok(environments.environmentSchema),
  }),
})

export const auditOperations = defineOperations('audit', 'access', {
  list: get('/api/audit', 'admin', 'The audit log', {
    query: access.listAuditSchema,
    responses: list(access.auditEventSchema),
  }),
})
