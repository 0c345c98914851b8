/**
 * The part of the Docker Engine HTTP API that the setup needs. It uses only Node, because it runs before any
 * package is installed.
 */
import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'

/**
 * @typedef {object} Address
 * @property {string} [socketPath]
 * @property {string} [host]
 * @property {number} [port]
 */

/**
 * Parses a DOCKER_HOST.
 * @param {string} dockerHost such as `unix:///var/run/docker.sock` or `tcp://10.0.0.1:2375`
 * @returns {Address}
 */
export function parseDockerHost(dockerHost) {
  if (dockerHost.startsWith('unix://')) return { socketPath: dockerHost.slice('unix://'.length) }
  if (dockerHost.startsWith('npipe://')) return { socketPath: dockerHost.slice('npipe://'.length) }
  const url = URL.canParse(dockerHost) ? new URL(dockerHost) : null
  if (url?.hostname && ['tcp:', 'http:', 'https:'].includes(url.protocol)) {
    return { host: url.hostname, port: Number(url.port || (url.protocol === 'https:' ? 2376 : 2375)) }
  }
  throw new Error(`DOCKER_HOST="${dockerHost}" is not a valid address. Use unix:///path or tcp://host:port.`)
}

/** The engine returned an error. */
export class EngineError extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message)
    this.name = 'EngineError'
    this.status = status
  }
}

/** @param {NodeJS.ProcessEnv} env */
function tlsOptions(env) {
  if (!env.DOCKER_TLS_VERIFY || !env.DOCKER_CERT_PATH) return null
  const read = (/** @type {string} */ name) => readFileSync(join(env.DOCKER_CERT_PATH ?? '', name))
  return { ca: read('ca.pem'), cert: read('cert.pem'), key: read('key.pem') }
}

/**
 * @typedef {object} RequestOptions
 * @property {string | Buffer | NodeJS.ReadableStream} [body]
 * @property {string} [type] the body's content type
 * @property {number} [idleMs] gives up after so long without a byte
 * @property {AbortSignal} [signal]
 */

/**
 * A client of one engine.
 * @param {string} dockerHost
 * @param {NodeJS.ProcessEnv} [env] for TLS, as the docker command reads it
 */
export function createEngineClient(dockerHost, env = process.env) {
  const address = parseDockerHost(dockerHost)
  const tls = address.socketPath ? null : tlsOptions(env)

  /**
   * @param {string} method
   * @param {string} path
   * @param {RequestOptions} options
   * @returns {Promise<http.IncomingMessage>}
   */
  function send(method, path, { body, type = 'application/json', idleMs, signal }) {
    return new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { 'content-type': type }
      const options = { ...address, ...tls, method, path, headers, signal, agent: false }
      const request = (tls ? https : http).request(options, resolve)
      request.on('error', reject)
      if (idleMs) {
        const giveUp = () => request.destroy(new Error(`no response from the engine for ${idleMs / 1000} s`))
        request.setTimeout(idleMs, giveUp)
      }
      if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) request.end(body)
      else body.on('error', (error) => request.destroy(error)).pipe(request)
    })
  }

  /** @param {http.IncomingMessage} response */
  async function accept(response) {
    if ((response.statusCode ?? 500) < 400) return response
    const body = await text(response)
    let message = body.trim()
    try {
      message = JSON.parse(body).message
    } catch {
      // Not JSON, such as a proxy's error page: use the text itself.
    }
    throw new EngineError(
      response.statusCode ?? 500,
      message || `the engine returned status ${response.statusCode}`,
    )
  }

  return {
    host: dockerHost,

    /**
     * Sends one request. Returns the JSON of the response, or null without content.
     * @param {string} method
     * @param {string} path
     * @param {RequestOptions} [options]
     * @returns {Promise<any>}
     */
    async call(method, path, options = {}) {
      const body = await text(await accept(await send(method, path, options)))
      return body ? JSON.parse(body) : null
    },

    /**
     * Sends one request and returns the response as bytes.
     * @param {string} method
     * @param {string} path
     * @param {RequestOptions} [options]
     */
    async bytes(method, path, options = {}) {
      return buffer(await accept(await send(method, path, options)))
    },

    /**
     * Sends one request with a streaming response. Passes each message to `onMessage`, and throws if a
     * message reports an error.
     * @param {string} method
     * @param {string} path
     * @param {RequestOptions} options
     * @param {(message: any) => void} onMessage
     */
    async follow(method, path, options, onMessage) {
      const response = await accept(await send(method, path, options))
      response.setEncoding('utf8')
      let rest = ''
      for await (const piece of response) {
        const lines = (rest + piece).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines.filter((l) => l.trim())) {
          const message = JSON.parse(line)
          if (message.error) throw new EngineError(500, message.error)
          onMessage(message)
        }
      }
    },
  }
}

/** @typedef {ReturnType<typeof createEngineClient>} EngineClient */
