import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toApiRoutes } from '../../http/server/answer-api'
import { serveApi } from '../../http/server/serve-api'
import { agentRoutes } from '../routes'

/** A web server with nothing but the tools of agents, which can be stopped and started again. */
export class AgentServer {
  /** How many requests wait for their answer. */
  open = 0
  #server: Server | undefined
  #port = 0

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  async start(): Promise<void> {
    const routes = toApiRoutes([agentRoutes.message])
    this.#server = createServer(async (request, response) => {
      this.open += 1
      response.once('close', () => {
        this.open -= 1
      })
      const proxy = { 'x-forwarded-proto': 'http', 'x-forwarded-host': request.headers.host }
      Object.assign(request.headers, proxy)
      if (!(await serveApi(routes, request, response))) response.writeHead(404).end()
    })
    await once(this.#server.listen(this.#port, '127.0.0.1'), 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  /** Stops as a killed server does: no request gets its answer. */
  async stop(): Promise<void> {
    if (this.#server === undefined) return
    const closed = once(this.#server.close(), 'close')
    this.#server.closeAllConnections()
    await closed
  }
}
