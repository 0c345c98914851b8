import { GpuqError } from '@/lib/contract/errors'
import { ProblemError } from '@/lib/http/client/problem'
import { exitCodes } from '../job/exit-code'
import { explainWrongAddress } from '../wrong-address'
import { withoutControls } from './terminal'

/** Returns the message and the exit code for an error. */
export function describeError(error: unknown, server: string | null): { text: string; exitCode: number } {
  const isUsage = error instanceof GpuqError && error.code === 'invalid_request'
  return {
    text: `gpuq: ${sentenceOf(error, server)}\n${fieldsOf(error)}${jobsOf(error)}`,
    exitCode: isUsage ? exitCodes.usage : exitCodes.failed,
  }
}

/** Says in one sentence what is wrong. */
export function sentenceOf(error: unknown, server: string | null): string {
  if (!(error instanceof Error)) return withoutControls(String(error))
  if (error instanceof ProblemError && server !== null) {
    if (error.code === 'unreachable') {
      return `Cannot connect to ${server}. Check the address and the network, then try again.`
    }
    const wrongAddress = explainWrongAddress(error, server)
    if (wrongAddress !== null) return withoutControls(wrongAddress)
    if (error.status === 401)
      return `${withoutControls(error.message).replace(/\.$/, '')}. Run \`gpuq login\` with a valid token, or set GPUQ_TOKEN to one.`
  }
  return withoutControls(withCommands(error.message))
}

/** What the API says to everybody, in the words of the command line. */
function withCommands(sentence: string): string {
  return sentence
    .replaceAll(/\b(?:GET|POST) \/api\/groups\/([0-9a-f-]{36})\/(members|cancel)\b/g, '`gpuq group $1 $2`')
    .replaceAll(
      /\bGET \/api\/(approvals|buckets|competitions|experiments|groups|jobs|storage|tokens)(?![/\w])/g,
      '`gpuq $1`',
    )
}

/** One line for each invalid field that the sentence does not name already. */
function fieldsOf(error: unknown): string {
  if (!(error instanceof ProblemError || error instanceof GpuqError)) return ''
  return (error.errors ?? [])
    .filter(({ path, message }) => !error.message.includes(`${path}: ${message}`))
    .map(({ path, message, line, column }) => {
      const place =
        line === undefined ? '' : ` (line ${line}${column === undefined ? '' : `, column ${column}`})`
      return `  ${withoutControls(path)}: ${withoutControls(message)}${place}\n`
    })
    .join('')
}

/** The commands for the jobs because of which a limit refuses another: one line for each. */
function jobsOf(error: unknown): string {
  const jobs = error instanceof ProblemError ? error.jobs : []
  return jobs
    .map(({ job_id: id, name, status }) => {
      const title = withoutControls(name === null ? `job ${id}` : `"${name}"`)
      return `  ${title}, ${withoutControls(status)}: gpuq status ${withoutControls(id)}, or gpuq cancel ${withoutControls(id)}\n`
    })
    .join('')
}
