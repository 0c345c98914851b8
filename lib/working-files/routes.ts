import { route } from '../http/route'
import { findVisibleJob } from '../jobs/read/job-visibility'
import { downloadWorkingFile, listWorkingFiles } from './download-working-files'
import { workingFileOperations } from './operations'

export const workingFileRoutes = {
  workingFiles: route(workingFileOperations.workingFiles, async ({ query, params, actor }) =>
    listWorkingFiles(await findVisibleJob(actor, params.id), query.after),
  ),

  workingFile: route(workingFileOperations.workingFile, async ({ params, actor, request }) =>
    downloadWorkingFile(await findVisibleJob(actor, params.id), params.fileId, request.headers),
  ),
}
