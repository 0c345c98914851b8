import { z } from 'zod'
import { withTimeout } from '@/lib/async/sleep'
import { RuntimeFault, type RuntimeFaultCode } from '../runtime'

const errorSchema = z.object({
  message: z.string().catch(''),
  code: z.string().optional().catch(undefined),
  statusCode: z.number().optional().catch(undefined),
  json: z.object({ message: z.string() }).optional().catch(undefined),
})

/** Errors of the connection itself: what the engine holds is unknown, and may go on. */
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

/** The HTTP status the engine answered with, or undefined when it did not answer. */
export function statusOf(error: unknown): number | undefined {
  return errorSchema.safeParse(error).data?.statusCode
}

/** The engine's own sentence, without the client's frame around it. */
export function sentenceOf(error: unknown): string {
  const parsed = errorSchema.safeParse(error).data
  const sentence = parsed?.json?.message ?? parsed?.message.replace(/^\(HTTP code \d+\) [^-]* - /, '')
  return (sentence ?? String(error)).trim()
}

/**
 * Turns what the engine's client threw into a RuntimeFault. `doing` says what was tried, for the sentence;
 * `missing` says what a 404 means there.
 */
export function toFault(
  error: unknown,
  doing: string,
  missing: RuntimeFaultCode = 'container_gone',
): RuntimeFault {
  if (error instanceof RuntimeFault) return error
  const sentence = sentenceOf(error)
  const status = statusOf(error)
  if (status === 404) return new RuntimeFault(missing, `Could not ${doing}: ${sentence}`, { cause: error })
  if (status !== undefined)
    return new RuntimeFault(
      'engine_error',
      `The engine could not ${doing}: ${sentence}${adviceOn(sentence)}`,
      {
        cause: error,
      },
    )
  const code = errorSchema.safeParse(error).data?.code ?? ''
  if (!connectionCodes.has(code))
    return new RuntimeFault('engine_error', `Could not ${doing}: ${sentence}`, { cause: error })
  const advice =
    code === 'EACCES' ? ' The user who runs the worker must be allowed to use the engine (group docker).' : ''
  return new RuntimeFault(
    'engine_unreachable',
    `The engine did not answer when asked to ${doing}: ${sentence}.${advice}`,
    { cause: error },
  )
}

/** What to do about an engine that was never told how to hand out GPUs: its own sentence does not say. */
function adviceOn(sentence: string): string {
  if (!/could not select device driver "nvidia"/.test(sentence)) return ''
  return '. Install the NVIDIA Container Toolkit on this node, then restart the engine.'
}

/** Gives up on an answer after `ms`: an engine that hangs must not hang the worker. */
export function within<T>(ms: number, doing: string, answer: Promise<T>): Promise<T> {
  return withTimeout(answer, ms, () => {
    throw new RuntimeFault('engine_unreachable', `The engine took over ${ms / 1000} s to ${doing}.`)
  })
}
