import { GpuqError } from '@/lib/contract/errors'
import { ProblemError } from '@/lib/http/client/problem'
import { sentenceOf } from '../console/describe-error'

/** What an agent reads if `gpuq mcp` cannot do what it asks for. */
export function describeFailure(error: unknown, server: string): string {
  if (error instanceof GpuqError) return error.message
  if (!(error instanceof ProblemError))
    return `gpuq mcp failed: ${error instanceof Error ? error.message : String(error)}`
  const sentence = sentenceOf(error, server)
  return error.status === 401 ? `${sentence} Then start \`gpuq mcp\` again.` : sentence
}
