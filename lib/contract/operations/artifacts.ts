import * as artifacts from '../artifacts'
import { created, defineOperations, file, get, ok, post } from './operation'

/** The files that jobs leave, and links to them. */
export const artifactOperations = defineOperations('jobs', 'jobs', {
  artifacts: get('/api/jobs/{id}/artifacts', 'read', 'The files that a job left in /results', {
    responses: ok(artifacts.artifactListSchema),
  }),
  artifact: get('/api/jobs/{id}/artifacts/{artifactId}', 'read', 'Download one of them', {
    query: artifacts.artifactQuerySchema,
    responses: file('The file'),
  }),
  artifactPreview: get(
    '/api/jobs/{id}/artifacts/{artifactId}/preview',
    'read',
    'What can be shown of one of them',
    {
      responses: ok(artifacts.artifactPreviewSchema),
    },
  ),
  artifactArchive: get('/api/jobs/{id}/artifacts.tar', 'read', 'Download all of them as one archive', {
    responses: file('A tar archive'),
  }),
  link: post(
    '/api/jobs/{id}/links',
    'read',
    'Make a link to one of the files that works without signing in, until it expires',
    {
      body: artifacts.createLinkSchema,
      responses: created(artifacts.linkSchema),
    },
  ),
  followLink: get('/api/download', 'public', 'Download a file by such a link', {
    query: artifacts.downloadQuerySchema,
    responses: file('The file'),
  }),
})
