import type { Fix } from '@/lib/contract/diagnosis/diagnosis'
import { readConfigText } from '../editor/config-text'
import { commandOf, withCommand } from './draft'

/** A config with a fix, and what changed as a sentence; null: the fix changes nothing in it. */
export function applyFix(config: string, fix: Fix): { config: string; note: string } | null {
  if (fix.key === 'shell') return runWithBash(config)
  const changed = readConfigText(config)?.write(fix.key, fix.value) ?? config
  return changed === config ? null : { config: changed, note: `${fix.key}: ${fix.value}` }
}

/** Runs the scripts of a command, or the command itself, or the script of the directory, with bash. */
function runWithBash(config: string): { config: string; note: string } | null {
  const command = commandOf(config)
  if (command !== null) {
    const byName = command.replace(/(?<=^|[;&|]\s*|\n\s*)(?:\/bin\/)?sh(?= +[\w./~-]+\.sh\b)/g, 'bash')
    const next = byName === command ? `#!/bin/bash\n${command.replace(/^#!.*\n/, '')}` : byName
    return next === command ? null : { config: withCommand(config, next), note: 'the command runs with bash' }
  }
  const text = readConfigText(config)
  const [entrypoint, args] = [text?.read('entrypoint'), text?.read('args')]
  if (entrypoint?.kind !== 'value' || args?.kind !== 'absent') return null
  const path = String(entrypoint.value)
  if (!/^[\w./-]+\.sh$/.test(path)) return null
  const withoutFile = text?.write('entrypoint', undefined) ?? config
  return { config: withCommand(withoutFile, `bash ${path}`), note: `command: bash ${path}` }
}
