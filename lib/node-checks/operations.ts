import { defineOperations, get, ok, post } from '../contract/operations/operation'
import * as checks from './contract'

/** The checks of nodes. */
export const nodeCheckOperations = defineOperations('cluster', 'cluster', {
  nodeReports: get('/api/nodes/checks', 'admin', 'The last checks of each node, problems first', {
    responses: ok(checks.nodeReportsSchema),
  }),
  checkNode: post('/api/nodes/{id}/checks', 'admin', 'Check a node again', {
    responses: {
      202: { description: 'Its worker checks it in a few seconds', schema: checks.nodeReportSchema },
      409: { description: 'No worker serves the node, or the node is simulated' },
    },
  }),
})
