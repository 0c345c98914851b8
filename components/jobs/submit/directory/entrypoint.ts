import { listRunnable, selectEntrypoint } from '@/lib/contract/config/program/entrypoint'
import { readConfigText } from '../../editor/config-text'
import { commandOf } from '../draft'
import type { Directory } from './directory'

/** What the job runs: the command of the config, a file of the directory, or nothing yet. */
export type Entrypoint =
  | { kind: 'command'; command: string }
  | { kind: 'file'; path: string }
  | { kind: 'missing'; problem: string }

export function findEntrypoint(directory: Directory, config: string): Entrypoint {
  const command = commandOf(config)
  if (command !== null) return { kind: 'command', command }
  const paths = directory.entries.map(({ path }) => path)
  const selected = selectEntrypoint(namedEntrypoint(config), paths)
  return 'path' in selected
    ? { kind: 'file', path: selected.path }
    : { kind: 'missing', problem: selected.problem }
}

/** The file that the job runs; null if it runs a command, or the file is missing. */
export function chosenEntrypoint(directory: Directory, config: string): string | null {
  const entrypoint = findEntrypoint(directory, config)
  return entrypoint.kind === 'file' ? entrypoint.path : null
}

/** The config with another file to run. The key is left out for the default. */
export function withEntrypoint(config: string, directory: Directory, path: string): string {
  const byDefault = selectEntrypoint(
    undefined,
    directory.entries.map((entry) => entry.path),
  )
  const isDefault = 'path' in byDefault && byDefault.path === path
  return readConfigText(config)?.write('entrypoint', isDefault ? undefined : path) ?? config
}

/** The files that can be chosen. */
export function listEntrypoints({ entries }: Directory): string[] {
  return listRunnable(entries.map(({ path }) => path))
}

/** The file that a config names. */
export function namedEntrypoint(config: string): string | undefined {
  const read = readConfigText(config)?.read('entrypoint')
  return read?.kind === 'value' && typeof read.value === 'string' ? read.value : undefined
}
