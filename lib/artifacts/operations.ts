import * as z from 'zod'
import { jobIdsQuerySchema } from '../contract/job-queries'
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
} from '../contract/operations/operation'
import * as artifacts from './contract'
import * as links from './contract-links'

/** The files that jobs wrote to /results, and links to them. */
export const artifactOperations = defineOperations('jobs', 'jobs', {
  artifacts: get('/api/jobs/{id}/artifacts', 'read', 'The files that a job wrote to /results', {
    restrictedTokens: true,
    responses: ok(artifacts.artifactListSchema),
  }),
  artifact: get('/api/jobs/{id}/artifacts/{artifactId}', 'read', 'Download an artifact', {
    restrictedTokens: true,
    query: artifacts.artifactQuerySchema,
    headers: rangeHeaders,
    responses: stored('The file'),
  }),
  artifactPreview: get('/api/jobs/{id}/artifacts/{artifactId}/preview', 'read', 'Preview of an artifact', {
    restrictedTokens: true,
    responses: ok(artifacts.artifactPreviewSchema),
  }),
  artifactArchive: get('/api/jobs/{id}/artifacts.tar', 'read', 'Download all artifacts as one archive', {
    restrictedTokens: true,
    responses: file('A tar archive'),
  }),
  filesOfJobs: get('/api/jobs/files.tar', 'read', 'Download the result files and artifacts of several jobs', {
    restrictedTokens: true,
    query: jobIdsQuerySchema,
    responses: file('A tar archive with a directory for each job'),
  }),
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
