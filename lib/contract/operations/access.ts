import { z } from 'zod'
import {
  acceptInvitationSchema,
  auditEventSchema,
  changePasswordSchema,
  createdTokenSchema,
  createdUserSchema,
  createEnvironmentSchema,
  createProjectSchema,
  createTokenSchema,
  createUserSchema,
  environmentSchema,
  listAuditSchema,
  listProjectsSchema,
  listTokensSchema,
  listUsersSchema,
  projectSchema,
  tokenSchema,
  updateEnvironmentSchema,
  updateProjectSchema,
  updateUserSchema,
  userSchema,
} from '../access'
import { created, defineOperations, done, list, ok } from './operation'

export const userOperations = defineOperations('users', 'access', {
  list: {
    method: 'get',
    path: '/api/users',
    summary: 'List users',
    access: 'admin',
    query: listUsersSchema,
    responses: list(userSchema),
  },
  create: {
    method: 'post',
    path: '/api/users',
    summary: 'Make a user',
    access: 'admin',
    body: createUserSchema,
    responses: created(createdUserSchema),
  },
  get: {
    method: 'get',
    path: '/api/users/{handle}',
    summary: 'One user',
    access: 'read',
    responses: ok(userSchema),
  },
  update: {
    method: 'patch',
    path: '/api/users/{handle}',
    summary: 'Change a user: role, limits, disable',
    access: 'admin',
    body: updateUserSchema,
    responses: ok(createdUserSchema),
  },
  me: {
    method: 'get',
    path: '/api/users/me',
    summary: 'The caller',
    access: 'read',
    responses: ok(userSchema),
  },
  changePassword: {
    method: 'post',
    path: '/api/users/me/password',
    summary: 'Change the own password',
    access: 'submit',
    body: changePasswordSchema,
    responses: done,
  },
  acceptInvitation: {
    method: 'post',
    path: '/api/invitations',
    summary: 'Accept an invitation by setting a password',
    access: 'public',
    body: acceptInvitationSchema,
    responses: ok(z.object({ user_id: z.string() })),
  },
})

export const tokenOperations = defineOperations('tokens', 'access', {
  list: {
    method: 'get',
    path: '/api/tokens',
    summary: 'List tokens',
    access: 'read',
    query: listTokensSchema,
    responses: list(tokenSchema),
  },
  create: {
    method: 'post',
    path: '/api/tokens',
    summary: 'Issue a token; it is shown once',
    access: 'submit',
    body: createTokenSchema,
    responses: created(createdTokenSchema),
  },
  revoke: {
    method: 'delete',
    path: '/api/tokens/{id}',
    summary: 'Revoke a token',
    access: 'submit',
    responses: done,
  },
})

export const projectOperations = defineOperations('projects', 'access', {
  list: {
    method: 'get',
    path: '/api/projects',
    summary: 'List projects',
    access: 'read',
    query: listProjectsSchema,
    responses: list(projectSchema),
  },
  create: {
    method: 'post',
    path: '/api/projects',
    summary: 'Make a project',
    access: 'submit',
    body: createProjectSchema,
    responses: created(projectSchema),
  },
  get: {
    method: 'get',
    path: '/api/projects/{id}',
    summary: 'One project',
    access: 'read',
    responses: ok(projectSchema),
  },
  update: {
    method: 'patch',
    path: '/api/projects/{id}',
    summary: 'Change a project and its members',
    access: 'submit',
    body: updateProjectSchema,
    responses: ok(projectSchema),
  },
  remove: {
    method: 'delete',
    path: '/api/projects/{id}',
    summary: 'Delete a project that has no jobs',
    access: 'submit',
    responses: done,
  },
})

export const environmentOperations = defineOperations('environments', 'access', {
  list: {
    method: 'get',
    path: '/api/environments',
    summary: 'List environments',
    access: 'read',
    responses: ok(z.array(environmentSchema)),
  },
  create: {
    method: 'post',
    path: '/api/environments',
    summary: 'Add an environment',
    access: 'admin',
    body: createEnvironmentSchema,
    responses: created(environmentSchema),
  },
  update: {
    method: 'patch',
    path: '/api/environments/{name}',
    summary: 'Change an environment',
    access: 'admin',
    body: updateEnvironmentSchema,
    responses: ok(environmentSchema),
  },
})

export const auditOperations = defineOperations('audit', 'access', {
  list: {
    method: 'get',
    path: '/api/audit',
    summary: 'Who did what',
    access: 'admin',
    query: listAuditSchema,
    responses: list(auditEventSchema),
  },
})
