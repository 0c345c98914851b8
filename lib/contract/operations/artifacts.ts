import * as z from 'zod'
import * as links from '../access/download-links'
import * as artifacts from '../artifacts'
import * as workingFiles from '../working-files'
import {
  created,
  defineOperations,
  done,
  file,
  get,
  ok,
  post,
  rangeHeaders,
  remove,
  stored,
} from './operation'

/** The files that jobs wrote to /results and to their working directories, and links to them. */
export const artifactOperations = defineOperations('jobs', 'jobs', {
  artifacts: get('/api/jobs/{id}/artifacts', 'read', 'The files that a job wrote to /results', {
    classTokens: true,
    responses: ok(artifacts.artifactListSchema),
  }),
  artifact: get('/api/jobs/{id}/artifacts/{artifactId}', 'read', 'Download an artifact', {
    classTokens: true,
    query: artifacts.artifactQuerySchema,
    headers: rangeHeaders,
    responses: stored('The file'),
  }),
  artifactPreview: get('/api/jobs/{id}/artifacts/{artifactId}/preview', 'read', 'Preview of an artifact', {
    classTokens: true,
    responses: ok(artifacts.artifactPreviewSchema),
  }),
  artifactArchive: get('/api/jobs/{id}/artifacts.tar', 'read', 'Download all artifacts as one archive', {
    classTokens: true,
    responses: file('A tar archive'),
  }),
  workingFiles: get(
    '/api/jobs/{id}/working-files',
    'read',
    'The files that a job has changed in its working directory',
    {
      classTokens: true,
      query: workingFiles.workingFilesQuerySchema,
      responses: ok(workingFiles.workingFilesSchema),
    },
  ),
  workingFile: get(
    '/api/jobs/{id}/working-files/{fileId}',
    'read',
    'Download a version of a file of the working directory',
    { classTokens: true, headers: rangeHeaders, responses: stored('The file') },
  ),
  links: get('/api/jobs/{id}/links', 'read', 'The download links to files of a job', {
    responses: ok(z.array(links.downloadLinkSchema)),
  }),
  link: post('/api/jobs/{id}/links', 'submit', 'Create a download link that works without signing in', {
    body: links.createLinkSchema,
    responses: created(links.createdLinkSchema),
  }),
  revokeLink: remove('/api/jobs/{id}/links/{linkId}', 'submit', 'Revoke a download link', {
    responses: done,
  }),
  followLink: get('/api/download', 'public', 'Download a file with a download link', {
    query: links.downloadQuerySchema,
    headers: rangeHeaders,
    responses: stored('The file'),
  }),
})
