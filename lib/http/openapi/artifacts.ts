import {
  artifactListSchema,
  artifactPreviewSchema,
  artifactQuerySchema,
  createLinkSchema,
  downloadQuerySchema,
  linkSchema,
} from '../../contract/artifacts'
import { created, type Operation, ok } from './operation'

const file = (description: string) => ({ 200: { description } })

/** The files that jobs leave, and links to them. */
export const artifactOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/jobs/{id}/artifacts',
    tag: 'jobs',
    summary: 'The files that a job left in /results',
    access: 'read',
    answers: ok(artifactListSchema),
  },
  {
    method: 'get',
    path: '/api/jobs/{id}/artifacts/{artifactId}',
    tag: 'jobs',
    summary: 'Download one of them',
    access: 'read',
    query: artifactQuerySchema,
    answers: file('The file'),
  },
  {
    method: 'get',
    path: '/api/jobs/{id}/artifacts/{artifactId}/preview',
    tag: 'jobs',
    summary: 'What can be shown of one of them',
    access: 'read',
    answers: ok(artifactPreviewSchema),
  },
  {
    method: 'get',
    path: '/api/jobs/{id}/artifacts.tar',
    tag: 'jobs',
    summary: 'Download all of them as one archive',
    access: 'read',
    answers: file('A tar archive'),
  },
  {
    method: 'post',
    path: '/api/jobs/{id}/links',
    tag: 'jobs',
    summary: 'Make a link to one of the files that works without signing in, until it expires',
    access: 'read',
    body: createLinkSchema,
    answers: created(linkSchema),
  },
  {
    method: 'get',
    path: '/api/download',
    tag: 'jobs',
    summary: 'Download a file by such a link',
    access: 'public',
    query: downloadQuerySchema,
    answers: file('The file'),
  },
]
