import { route } from '../http/route'
import { findVisibleJob } from '../jobs/read/job-visibility'
import { readerOf } from '../jobs/read/reader-of'
import { metricOperations } from './operations'
import { downloadMetrics, readJobMetrics } from './read-metrics'

export const metricRoutes = {
  metrics: route(metricOperations.metrics, async ({ actor, params, query }) =>
    readJobMetrics(actor.userId, await findVisibleJob(actor, params.id), query),
  ),

  metricsCsv: route(metricOperations.metricsCsv, async ({ actor, params, query, request }) => {
    const job = await findVisibleJob(actor, params.id)
    return downloadMetrics(readerOf(actor, request), job, query, { name: `${job.id}.csv` })
  }),
}
