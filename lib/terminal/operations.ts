import { defineOperations, done, post } from '../contract/operations/operation'
import * as terminal from './contract'

/** The terminal of a running job. */
export const terminalOperations = defineOperations('jobs', 'jobs', {
  type: post('/api/jobs/{id}/terminal/input', 'submit', "Type at a running job's terminal", {
    query: terminal.terminalQuerySchema,
    bytes: 'the typed bytes, at most 64 KiB',
    frequent: true,
    responses: done,
  }),
  resize: post('/api/jobs/{id}/terminal/size', 'submit', "Resize a running job's terminal", {
    query: terminal.terminalQuerySchema,
    body: terminal.terminalSizeSchema,
    frequent: true,
    responses: done,
  }),
})
