import { z } from 'zod'
import { withTimeout } from '@/lib/async/sleep'
import { RuntimeFault, type RuntimeFaultCode } from '../runtime'

const errorSchema = z.object({
  message: z.string().catch(''),
  code: z.string().optional().catch(undefined),
  statusCode: z.number().optional().catch(undefined),
  json: z.object({ message: z.string() }).optional().catch(undefined),
})

/** Connection errors: the state of the engine is unknown, and its containers may continue. */
const connectionCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'EACCES',
  'ETIMEDOUT',
  'ENOTFOUND',
  'ERR_STREAM_PREMATURE_CLOSE',
])

/** The HTTP status of the engine's response; undefined without a response. */
export function statusOf(error: unknown): number | undefined {
  return parseError(error)?.statusCode
}

/** Parses an error of the engine's client, which is the cause of a fault. */
function parseError(error: unknown) {
  const isWrapped = error instanceof RuntimeFault && error.cause !== undefined
  return errorSchema.safeParse(isWrapped ? error.cause : error).data
}

/** The engine's own sentence, without the text that the client adds. */
export function errorMessageOf(error: unknown): string {
  const parsed = parseError(error)
  const sentence = parsed?.json?.message ?? parsed?.message.replace(/^\(HTTP code \d+\) [^-]* - /, '')
  return (sentence ?? String(error)).trim()
}

/**
 * Converts an error of the engine's client to a RuntimeFault. `doing` describes the operation for the message;
 * `missing` is the code for a 404.
 */
export function toFault(
  error: unknown,
  doing: string,
  missing: RuntimeFaultCode = 'container_gone',
): RuntimeFault {
  if (error instanceof RuntimeFault) return error
  const sentence = errorMessageOf(error)
  const status = statusOf(error)
  if (status === 404) return new RuntimeFault(missing, `Could not ${doing}: ${sentence}`, { cause: error })
  if (status !== undefined)
    return new RuntimeFault(
      'engine_error',
      `The engine could not ${doing}: ${sentence}${adviceFor(sentence)}`,
      {
        cause: error,
      },
    )
  const code = parseError(error)?.code ?? ''
  if (!connectionCodes.has(code))
    return new RuntimeFault('engine_error', `Could not ${doing}: ${sentence}`, { cause: error })
  const advice = code === 'EACCES' ? ' Allow the user of the worker to use the engine (group docker).' : ''
  return new RuntimeFault(
    'engine_unreachable',
    `The engine did not respond to the request to ${doing}: ${sentence}.${advice}`,
    { cause: error },
  )
}

/** Advice for an engine that is not configured for GPUs, which its own message lacks. */
function adviceFor(sentence: string): string {
  if (/unresolvable CDI devices/.test(sentence))
    return '. Describe the GPUs of this node for Podman: nvidia-ctk cdi generate --device-name-strategy=uuid --output=/etc/cdi/nvidia.yaml'
  if (!/could not select device driver "nvidia"/.test(sentence)) return ''
  return '. Install the NVIDIA Container Toolkit on this node, then restart the engine.'
}

/** Rejects if the response takes longer than `ms`, because a hanging engine must not block the worker. */
export function within<T>(ms: number, doing: string, answer: Promise<T>): Promise<T> {
  return withTimeout(answer, ms, () => {
    throw new RuntimeFault('engine_unreachable', `The engine took more than ${ms / 1000} s to ${doing}.`)
  })
}
