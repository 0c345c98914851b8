import type { FirstRun } from '@/lib/access/first-run'
import type { JobResult } from '@/lib/contract/jobs'
import { describeNetwork } from '../network'

/** Quotes a word for a POSIX shell. */
export function quoteForShell(word: string): string {
  return `"${word.replace(/[\\"$`]/g, '\\$&')}"`
}

/** The curl command that submits the sample job. `secret` is the token, or the variable that has it, inside double quotes. */
export function curlLine(url: string, secret: string, sampleDir: string): string {
  return [
    `curl -X POST ${quoteForShell(`${url}/api/submit`)}`,
    `-H "Authorization: Bearer ${secret}"`,
    `-F ${quoteForShell(`code=@${sampleDir}/solution.py`)}`,
    `-F ${quoteForShell(`config_file=@${sampleDir}/config.yaml`)}`,
  ].join(' \\\n    ')
}

/** Lines of the beginning and of the end of the output that are shown. */
const shownLines = 4

/** The output of the sample job, or the reason for its failure, indented under its step. */
export function describeResult(result: JobResult): string {
  const output = [result.stdout, result.stderr].join('\n').trim().split('\n')
  const head =
    result.status === 'completed' ? [] : [`${result.status}: ${result.reason_text ?? result.reason ?? ''}`]
  return [...head, ...withoutMiddle(output)].map((line) => `      ${line}`.trimEnd()).join('\n')
}

/** The beginning and the end of many lines. */
function withoutMiddle(lines: readonly string[]): readonly string[] {
  const left = lines.length - 2 * shownLines
  return left <= 1
    ? lines
    : [...lines.slice(0, shownLines), `… ${left} more lines`, ...lines.slice(-shownLines)]
}

export interface Place {
  url: string
  /** Where other machines reach it; empty if they do not. */
  networkAddresses: readonly string[]
  dataDir: string
  sampleDir: string
  /** Running jobs go on when gpuq stops. */
  keepsJobs: boolean
}

/** Describes the account that can sign in. New credentials are only shown this once. */
export function describeAdmin({ created, admin }: FirstRun): string {
  const lines = [`  Sign in as   ${admin.email ?? admin.handle}`]
  if (created) {
    lines.push(
      `  Password     ${admin.password ?? 'the one in GPUQ_ADMIN_PASSWORD'}`,
      `  Token        ${admin.tokenVariable === null ? admin.token : `the one in ${admin.tokenVariable}`}`,
    )
    if (admin.password !== null || admin.tokenVariable === null)
      lines.push('  Save these credentials now. They are not shown again.')
  }
  return lines.join('\n')
}

/** The final message of a start. After `gpuq start`, users do not need the curl command. */
export function welcome(place: Place, first: FirstRun, withCurl = true): string {
  const { url, dataDir, sampleDir, keepsJobs } = place
  const jobs = keepsJobs
    ? '; running jobs go on'
    : ' and its running jobs, which begin again at the next start'
  const network = describeNetwork(place.networkAddresses, url)
  const lines = ['', `  gpuq is running at ${url}`, ...network, '', describeAdmin(first)]
  if (first.created && withCurl) {
    const { token, tokenVariable } = first.admin
    const secret = tokenVariable === null ? quoteForShell(token).slice(1, -1) : `$${tokenVariable}`
    lines.push('', '  Submit a job:', '', `  ${curlLine(url, secret, sampleDir)}`)
  }
  lines.push('', `  Data directory: ${dataDir}. Press Ctrl-C to stop gpuq${jobs}.`, '')
  return lines.join('\n')
}
