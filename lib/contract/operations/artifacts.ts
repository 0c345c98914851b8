import {
  artifactListSchema,
  artifactPreviewSchema,
  artifactQuerySchema,
  createLinkSchema,
  downloadQuerySchema,
  linkSchema,
} from '../artifacts'
import { created, defineOperations, file, ok } from './operation'

/** The files that jobs leave, and links to them. */
export const artifactOperations = defineOperations('jobs', 'jobs', {
  artifacts: {
    method: 'get',
    path: '/api/jobs/{id}/artifacts',
    summary: 'The files that a job left in /results',
    access: 'read',
    responses: ok(artifactListSchema),
  },
  artifact: {
    method: 'get',
    path: '/api/jobs/{id}/artifacts/{artifactId}',
    summary: 'Download one of them',
    access: 'read',
    query: artifactQuerySchema,
    responses: file('The file'),
  },
  artifactPreview: {
    method: 'get',
    path: '/api/jobs/{id}/artifacts/{artifactId}/preview',
    summary: 'What can be shown of one of them',
    access: 'read',
    responses: ok(artifactPreviewSchema),
  },
  artifactArchive: {
    method: 'get',
    path: '/api/jobs/{id}/artifacts.tar',
    summary: 'Download all of them as one archive',
    access: 'read',
    responses: file('A tar archive'),
  },
  link: {
    method: 'post',
    path: '/api/jobs/{id}/links',
    summary: 'Make a link to one of the files that works without signing in, until it expires',
    access: 'read',
    body: createLinkSchema,
    responses: created(linkSchema),
  },
  followLink: {
    method: 'get',
    path: '/api/download',
    summary: 'Download a file by such a link',
    access: 'public',
    query: downloadQuerySchema,
    responses: file('The file'),
  },
})
