import { GpuqError } from '@/lib/contract/errors'
import { serverOperations } from '@/lib/contract/operations/server'
import { databaseAnswers } from '@/lib/database/ready'
import { route } from '@/lib/http/route'

export const GET = route(serverOperations.ready, async () => {
  if (!(await databaseAnswers()))
    throw new GpuqError('unavailable', 'The database does not answer, or is not migrated yet.')
  return Response.json({ status: 'ready' }, { headers: { 'cache-control': 'no-store' } })
})
