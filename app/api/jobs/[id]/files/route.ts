import { jobOperations } from '@/lib/contract/operations/jobs'
import { storageOperations } from '@/lib/contract/operations/storage'
import { route } from '@/lib/http/route'
import { listSourceFiles } from '@/lib/jobs/downloads/source-files'
import { deleteJobFiles } from '@/lib/jobs/lifecycle/delete-files'
import { findVisibleJob } from '@/lib/jobs/read/job-visibility'

export const GET = route(jobOperations.files, async ({ actor, params }) =>
  listSourceFiles(await findVisibleJob(actor, params.id)),
)

export const DELETE = route(storageOperations.deleteJobFiles, ({ actor, params }) =>
  deleteJobFiles(actor, params.id),
)
