import type { Phase } from '@/lib/competitions/contract'

export interface EntryConfig {
  /** The `competition_id`. */
  competition: string
  phase: Pick<Phase, 'key' | 'run'>
  /** Empty: none. */
  name?: string
  rehearse: boolean
}

/** The config of an entry, as a file. A quoted text of JSON is one of YAML too. */
export function entryConfig({ competition, phase, name, rehearse }: EntryConfig): string {
  const lines = [
    `competition_id: ${competition}`,
    // Every config names a project. That of an entry is the competition's.
    `project_id: ${competition}`,
    `phase: ${phase.key}`,
    `expected_time: ${Math.ceil(phase.run.max_time)}`,
    ...(name ? [`name: ${JSON.stringify(name)}`] : []),
    ...(rehearse ? ['rehearse: true'] : []),
  ]
  return `${lines.join('\n')}\n`
}
