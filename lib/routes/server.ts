import { requireAdminRole } from '../access/actor'
import { renderMetrics } from '../cluster/overview/metrics'
import { unavailable } from '../contract/errors'
import { serverOperations } from '../contract/operations/server'
import { database } from '../database/client'
import { publicUrl } from '../env'
import { answerCommandLine } from '../http/command-line-package'
import { openapiDocument } from '../http/openapi'
import { answerPythonClient } from '../http/python-client'
import { route } from '../http/route'

export const serverRoutes = {
  openapi: route(serverOperations.openapi, () => Response.json(openapiDocument(publicUrl()))),

  /** The package of the `gpuq` command, for `npm install -g`. Public, because users install it before they have a token. */
  commandLine: route(serverOperations.commandLine, ({ request }) =>
    answerCommandLine(request, process.cwd()),
  ),

  /** The Python client. Public, because users download it before they have a token. */
  pythonClient: route(serverOperations.pythonClient, ({ request }) =>
    answerPythonClient(request, process.cwd()),
  ),

  /** Metrics for Prometheus, which sends an admin's token as its bearer token. It need not be able to change anything. */
  metrics: route(serverOperations.metrics, async ({ actor }) => {
    requireAdminRole(actor)
    const { body, contentType } = await renderMetrics(actor)
    return new Response(body, { headers: { 'content-type': contentType, 'cache-control': 'no-store' } })
  }),

  health: route(serverOperations.health, () =>
    Response.json({ status: 'ok' }, { headers: { 'cache-control': 'no-store' } }),
  ),

  ready: route(serverOperations.ready, async () => {
    if (!(await databaseAnswers()))
      throw unavailable(
        'The database does not answer, or its migrations have not run yet. Check the server log.',
      )
    return Response.json({ status: 'ready' }, { headers: { 'cache-control': 'no-store' } })
  }),
}

/** True if the database answers and has gpuq's tables. */
async function databaseAnswers(): Promise<boolean> {
  try {
    const { rows } = await database().pool.query<{ migrated: boolean }>(
      "SELECT to_regclass('jobs') IS NOT NULL AS migrated",
    )
    return rows[0]?.migrated === true
  } catch {
    return false
  }
}
