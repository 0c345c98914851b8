import type { FirstRun } from '@/lib/access/first-run'
import type { JobResult } from '@/lib/contract/jobs'

/** A word as a POSIX shell takes it literally. */
export function quoteForShell(word: string): string {
  return `"${word.replace(/[\\"$`]/g, '\\$&')}"`
}

/** The line that submits the sample job, ready to be pasted. Without a token it takes the one that was given. */
export function curlLine(url: string, token: string | null, sampleDir: string): string {
  const secret = token === null ? '$GPUQ_ADMIN_TOKEN' : quoteForShell(token).slice(1, -1)
  return [
    `curl -X POST ${quoteForShell(`${url}/api/submit`)}`,
    `-H "Authorization: Bearer ${secret}"`,
    `-F ${quoteForShell(`code=@${sampleDir}/solution.py`)}`,
    `-F ${quoteForShell(`config_file=@${sampleDir}/config.yaml`)}`,
  ].join(' \\\n    ')
}

/** The sample job's output, or why there is none, indented under its step. */
export function describeResult(result: JobResult): string {
  const output = [result.stdout, result.stderr].join('\n').trim()
  const head =
    result.status === 'completed' ? [] : [`${result.status}: ${result.reason_text ?? result.reason ?? ''}`]
  return [...head, ...output.split('\n')].map((line) => `      ${line}`.trimEnd()).join('\n')
}

export interface Place {
  url: string
  dataDir: string
  sampleDir: string
}

/** Who may sign in. What was made just now is shown this once. */
export function describeAdmin({ created, admin }: FirstRun): string {
  const lines = [`  Sign in as   ${admin.email ?? admin.handle}`]
  if (created) {
    lines.push(
      `  Password     ${admin.password ?? 'the one in GPUQ_ADMIN_PASSWORD'}`,
      `  Token        ${admin.tokenGiven ? 'the one that was given' : admin.token}`,
    )
    if (admin.password !== null || !admin.tokenGiven)
      lines.push('  Keep what is shown now: it is not shown again.')
  }
  return lines.join('\n')
}

/** The last thing a start prints. Beside `gpuq start` nobody needs the line for curl. */
export function welcome({ url, dataDir, sampleDir }: Place, first: FirstRun, withCurl = true): string {
  const lines = ['', `  gpuq is up: ${url}`, '', describeAdmin(first)]
  if (first.created && withCurl) {
    const { token, tokenGiven } = first.admin
    lines.push('', '  Submit a job:', '', `  ${curlLine(url, tokenGiven ? null : token, sampleDir)}`)
  }
  lines.push('', `  Data is in ${dataDir}. Ctrl-C stops everything.`, '')
  return lines.join('\n')
}
