import { defineOperations, get, ok, rangeHeaders, stored } from '../contract/operations/operation'
import * as workingFiles from './contract'

/** The files that jobs wrote to their working directories. */
export const workingFileOperations = defineOperations('jobs', 'jobs', {
  workingFiles: get(
    '/api/jobs/{id}/working-files',
    'read',
    'The files that a job has changed in its working directory',
    {
      restrictedTokens: true,
      query: workingFiles.workingFilesQuerySchema,
      responses: ok(workingFiles.workingFilesSchema),
    },
  ),
  workingFile: get(
    '/api/jobs/{id}/working-files/{fileId}',
    'read',
    'Download a version of a file of the working directory',
    { restrictedTokens: true, headers: rangeHeaders, responses: stored('The file') },
  ),
})
