import type { JobResult } from '@/lib/jobs/schemas'

/** What the first start made, shown once. */
export interface FirstSignIn {
  email: string
  /** Null where it was given by the environment, so that whoever gave it knows it. */
  password: string | null
  token: string
}

/** A word as a POSIX shell takes it literally. */
export function quoteForShell(word: string): string {
  return `"${word.replace(/[\\"$`]/g, '\\$&')}"`
}

/** The line that submits the sample job, ready to be pasted. */
export function curlLine(url: string, token: string, sampleDir: string): string {
  return [
    `curl -X POST ${quoteForShell(`${url}/api/submit`)}`,
    `-H ${quoteForShell(`Authorization: Bearer ${token}`)}`,
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

/** The last thing a start prints. */
export function welcome(options: {
  url: string
  dataDir: string
  sampleDir: string
  first: FirstSignIn | null
}): string {
  const { url, dataDir, sampleDir, first } = options
  const lines = ['', `  gpuq is up: ${url}`, '']
  if (first) {
    lines.push(
      `  Sign in as   ${first.email}`,
      `  Password     ${first.password ?? 'the one in GPUQ_ADMIN_PASSWORD'}`,
      `  Token        ${first.token}`,
      '  Keep them now: they are not shown again.',
      '',
      '  Submit a job:',
      '',
      `  ${curlLine(url, first.token, sampleDir)}`,
      '',
    )
  }
  lines.push(`  Data is in ${dataDir}. Ctrl-C stops everything.`, '')
  return lines.join('\n')
}
