import { visibleText } from '../text/sanitize-text'
import type { CauseId } from './causes'
import type { Finding, KnownEnvironment } from './facts'
import { quoteValue } from './quote-value'
import { type NextStep, only } from './step'

/** The causes whose next step depends on the environments of the server. */
export const causesWithEnvironments: ReadonlySet<CauseId> = new Set([
  'network',
  'command_missing',
  'import_missing',
])

const shortName = (name: string) => visibleText(name, 60)

/** What to change after a missing module. */
export function adviseModule(finding: Finding): NextStep {
  const [module = ''] = (finding.subject ?? '').split('.')
  const name = quoteValue(module, 60)
  const { environment } = finding.job
  if (isOnlyEnvironment(finding)) {
    return only(
      `Upload the module ${name} in the directory of the job, because ${environment} does not have it, and this server has no other environment.`,
    )
  }
  return only(
    `Set environment to one that has the module ${name}, because ${environment} does not have it, or upload the module in the directory of the job.`,
  )
}

/** What to change after a missing command, such as pip. */
export function adviseCommand(finding: Finding): NextStep {
  const { job, subject, environments } = finding
  const name = shortName(job.environment)
  const command = subject === null ? 'the command' : quoteValue(subject, 60)
  if (isOnlyEnvironment(finding)) {
    return only(
      `Send what the job needs in its directory, because ${name} has no ${command}, and this server has no other environment.`,
    )
  }
  const online = /^pip3?$/.test(subject ?? '') ? nameOnline(environments) : ''
  return only(
    `Set environment to one whose image has what the job needs, because ${name} has no ${command}. ${online}`.trim(),
  )
}

/** What to change after a download without internet access. */
export function adviseNetwork({ job, environments }: Finding): NextStep {
  const own = environments?.find(({ name }) => name === job.environment)
  if (own?.network === 'internet') {
    return only(
      'Check the address, and run the job again: the environment has internet access, so the name is wrong or the server did not answer.',
    )
  }
  const name = shortName(job.environment)
  const upload =
    'or send the files with the job: in its directory, or as a snapshot (`gpuq push`, key mounts)'
  if (environments === undefined)
    return only(`Set environment to one with internet access, if ${name} has none, ${upload}.`)
  const [online] = onlineOf(environments)
  if (online === undefined)
    return only(
      `Send the files with the job: in its directory, or as a snapshot (\`gpuq push\`, key mounts). No environment of this server has internet access: ask an admin.`,
    )
  return {
    text: `Set environment to one with internet access, because ${name} has none, ${upload}. ${nameOnline(environments)}`,
    fix: { key: 'environment', value: online.name },
  }
}

function onlineOf(environments: readonly KnownEnvironment[] = []): readonly KnownEnvironment[] {
  return environments.filter(({ enabled, network }) => enabled && network === 'internet')
}

function nameOnline(environments: readonly KnownEnvironment[] | undefined): string {
  const names = onlineOf(environments).map(({ name }) => shortName(name))
  if (names.length === 0) return environments === undefined ? '' : 'No environment has internet access.'
  const more = names.length > 5 ? ` and ${names.length - 5} more` : ''
  return `With internet access: ${names.slice(0, 5).join(', ')}${more}.`
}

function isOnlyEnvironment({ job, environments }: Finding): boolean {
  return (
    environments !== undefined &&
    !environments.some(({ name, enabled }) => enabled && name !== job.environment)
  )
}
