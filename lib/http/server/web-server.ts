import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { GpuqError } from '../../contract/errors'
import type { AddressRange } from '../../env/address-ranges'
import { logSampled } from '../../logger'
import { encodeProblem } from '../problem'
import { admitRequest, methodNotAllowed, pageOfEarlyForm } from './admit-request'
import { StalledBodies, type StallLimits } from './stalled-bodies'
import { UnidentifiedBodies } from './unidentified-bodies'

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export interface WebServerOptions {
  trustedProxies: readonly AddressRange[]
  /** Refuses a request with its headers as they were sent. @throws GpuqError */
  admit?: (request: IncomingMessage) => void
  stalls?: StallLimits
  unidentified?: UnidentifiedBodies
}

const defaultStalls: StallLimits = { stalledMs: 10_000, answeredMs: 1_000 }
/** Longer than proxies keep idle connections (nginx 60 s, Caddy 120 s), so that they do not send into a closed one. */
const keepAliveMs = 125_000
const headersMs = 20_000
/** A directory of several GiB may take this long to arrive. A response has no limit: clients wait for results. */
const bodyMs = 60 * 60 * 1000
/** How long a client may take to read why its connection is closed. */
const farewellMs = 1_000

/** Headers of all answers. */
const safetyHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cross-origin-opener-policy': 'same-origin',
}

/**
 * The HTTP server in front of Next.js. It refuses malformed requests, decides what is known about the client, and closes
 * requests that do not arrive.
 */
export function createWebServer(handle: RequestHandler, options: WebServerOptions): Server {
  const { trustedProxies, admit, stalls = defaultStalls, unidentified = new UnidentifiedBodies() } = options
  const bodies = new StalledBodies(stalls)
  const limits = {
    headersTimeout: headersMs,
    requestTimeout: bodyMs,
    connectionsCheckingInterval: headersMs / 4,
    keepAliveTimeout: keepAliveMs,
    // A missing Host is refused with a reason.
    requireHostHeader: false,
  }
  /** The last answer on each connection. */
  const answers = new WeakMap<Duplex, ServerResponse>()
  const server = createServer(limits, (request, response) => {
    answers.set(request.socket, response)
    for (const [name, value] of Object.entries(safetyHeaders)) response.setHeader(name, value)
    const page = pageOfEarlyForm(request)
    if (page !== null) {
      showPage(request, page)
      return
    }
    try {
      admit?.(request)
      admitRequest(request, trustedProxies)
      unidentified.admit(request)
    } catch (error) {
      refuse(request, error)
      return
    }
    const close = () => closeStalled(request, response, stalls)
    bodies.watch(request, response, performance.now(), close)
    handle(request, response).catch((error: unknown) => answerFailure(request, response, error))
  })
  server.on('connect', (_request, socket: Duplex) => writeRaw(socket, methodNotAllowed('CONNECT', '/')))
  server.on('checkExpectation', (request: IncomingMessage) => refuse(request, unknownExpectation()))
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const answer = answers.get(socket)
    // After the beginning of an answer, more bytes would be read as a part of it.
    if (socket.writable && !(answer?.headersSent && !answer.writableFinished))
      writeRaw(socket, malformedRequest(error))
    else socket.destroy()
  })
  const looking = setInterval(() => bodies.closeStalled(performance.now()), stalls.answeredMs / 2)
  looking.unref()
  server.once('close', () => clearInterval(looking))
  return server
}

/** Reads nothing more: the connection ends with the answer, and the rest of the body costs no memory. */
function refuse(request: IncomingMessage, error: unknown): void {
  request.socket.pause()
  writeRaw(request.socket, toGpuqError(request, error), request.method !== 'HEAD')
}

/** Shows the page again, without the form's content in the address. The user submits the form again. */
function showPage(request: IncomingMessage, location: string): void {
  request.socket.pause()
  writeHead(request.socket, 303, { location, 'content-length': 0 }, '')
}

function answerFailure(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const failure = toGpuqError(request, error)
  if (response.headersSent) {
    response.destroy()
    return
  }
  const { status, headers, body } = encodeProblem(failure)
  response.writeHead(status, { ...headers, connection: 'close' }).end(body)
}

function toGpuqError({ method }: IncomingMessage, error: unknown): GpuqError {
  if (error instanceof GpuqError) return error
  logSampled('error', { err: error, method }, 'the web server failed')
  return new GpuqError('internal_error', 'Something went wrong in gpuq. Try again, or tell an admin.')
}

function unknownExpectation(): GpuqError {
  return new GpuqError('invalid_request', 'The Expect header can only be "100-continue".')
}

/** What is wrong with bytes that Node.js could not read as a request. */
function malformedRequest({ code }: NodeJS.ErrnoException): GpuqError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const message = 'The request line and the headers are larger than 16 KiB. Send smaller headers.'
    return new GpuqError('headers_too_large', message)
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new GpuqError('request_timeout', 'The request did not arrive in time. Send it again.')
  }
  if (code === 'HPE_LF_EXPECTED') {
    const message =
      'A header of the request has a carriage return, as a token has that comes from a file of Windows. Remove it.'
    return new GpuqError('invalid_request', message)
  }
  return new GpuqError(
    'invalid_request',
    'The request is not valid HTTP/1.1. Check its headers and its body.',
  )
}

function closeStalled(request: IncomingMessage, response: ServerResponse, { stalledMs }: StallLimits): void {
  if (response.headersSent) {
    request.socket.destroy()
    return
  }
  logSampled('info', { method: request.method }, 'closed a request whose body stalled')
  const message = `The request body made no progress for ${stalledMs / 1000} seconds. Send the request again.`
  writeRaw(request.socket, new GpuqError('request_timeout', message))
}

/** Answers on the socket without Next.js, which may still read the body, and closes the socket. */
function writeRaw(socket: Duplex, error: GpuqError, hasBody = true): void {
  const { status, headers, body } = encodeProblem(error)
  writeHead(socket, status, { ...headers, 'content-length': Buffer.byteLength(body) }, hasBody ? body : '')
}

function writeHead(socket: Duplex, status: number, headers: Record<string, string | number>, body: string) {
  const lines = Object.entries({ ...headers, connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  socket.on('error', () => socket.destroy())
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'))
  setTimeout(() => socket.destroy(), farewellMs).unref()
}
