/** `node dist/web.js`: the web server, until SIGINT or SIGTERM. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import compression from 'compression'
import next from 'next'
import { actAsLocalOwner } from '@/lib/access/local-owner'
import { notFound } from '@/lib/contract/errors'
import { registerAllEngines } from '@/lib/engines'
import { env } from '@/lib/env'
import { httpAddress } from '@/lib/env/listening'
import { refuseFrameworkPath } from '@/lib/http/server/framework-paths'
import { admitLocal, type LocalRight, localPort } from '@/lib/http/server/local/admit-local'
import { serveApi } from '@/lib/http/server/serve-api'
import { StaticFiles } from '@/lib/http/server/static-files'
import { createWebServer, type RequestHandler } from '@/lib/http/server/web-server'
import { logger } from '@/lib/logger'
import { apiRoutes } from '@/lib/routes/routes'
import { closeDataDirectory } from '@/lib/storage/data-directory'
import { localPortFlag, localTokenVariable } from './local-port'
import { root } from './settings.mjs'

/** How long requests may take to end at a stop. The supervisor waits a second longer. */
const lingerMs = 4_000

const { HOST, PORT, GPUQ_DATA_DIR, GPUQ_TRUSTED_PROXIES: trustedProxies = [] } = env()
registerAllEngines()
await closeDataDirectory(GPUQ_DATA_DIR)
// Next.js adds an upgrade handler to this server, which never listens: gpuq has no WebSockets, and Next.js would leave
// such connections open.
const httpServer = createServer()
const app = next({ dev: false, dir: root, hostname: HOST, port: PORT, httpServer })
const staticFiles = await StaticFiles.load(join(root, '.next', 'static'))
const handleOther = app.getRequestHandler()
// Its types are those of Express, of which it needs nothing.
const compress = compression() as unknown as (
  request: IncomingMessage,
  response: ServerResponse,
  next: () => void,
) => void
const handle: RequestHandler = async (request, response) => {
  if (staticFiles.serve(request, response)) return
  refuseFrameworkPath(request.url ?? '', staticFiles)
  compress(request, response, () => {})
  if (!(await serveApi(apiRoutes, request, response))) await handleOther(request, response)
}
const server = createWebServer(handle, { trustedProxies })
const localServers = process.argv.includes(localPortFlag) ? ['127.0.0.1', '::1'].map(createLocalServer) : []

/** Serves the queue API to programs of this machine, which need no token of gpuq. */
function createLocalServer(host: string): Server {
  const rights = new WeakMap<IncomingMessage, LocalRight>()
  const rules = {
    port: localPort,
    tokenHash: process.env[localTokenVariable] || null,
    uid: process.getuid?.(),
  }
  const handleLocal: RequestHandler = async (request, response) => {
    const isOwner = rights.get(request) === 'owner'
    const served = await serveApi(apiRoutes, request, response, (asked) => isOwner && actAsLocalOwner(asked))
    if (!served) throw notFound('There is nothing at this address.')
  }
  const admit = (request: IncomingMessage) => void rights.set(request, admitLocal(request, rules))
  const local = createWebServer(handleLocal, { trustedProxies: [], admit })
  local.once('error', (error: NodeJS.ErrnoException) => {
    // A machine without IPv6 has no ::1.
    if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT') return
    logger.warn(
      { err: error },
      `cannot listen on ${httpAddress(host, localPort)}, so port ${localPort} is not served`,
    )
    // Clients of the name localhost could reach the program that has the other address.
    closeLocalServers()
  })
  return local.listen({ port: localPort, host, ipv6Only: true })
}

function closeLocalServers(): void {
  for (const local of localServers) {
    local.close()
    local.closeAllConnections()
  }
}

function stop(): void {
  closeLocalServers()
  server.close(() => {
    void app.close().finally(() => process.exit(0))
  })
  setTimeout(() => server.closeAllConnections(), lingerMs).unref()
}

await app.prepare()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
server.once('error', (error) => {
  logger.error({ err: error }, `cannot listen on ${HOST}, port ${PORT}`)
  process.exit(1)
})
server.listen(PORT, HOST, () => logger.info({ address: httpAddress(HOST, PORT) }, 'Ready'))
