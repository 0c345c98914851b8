import { readFile } from 'node:fs/promises'
import type { Me } from '@/lib/contract/access/access'
import { CondaEnvironments } from './conda-environments'

/** What a config says about the files and the Python of a script. */
export interface ScriptKeys {
  host_script?: string
  conda_prefix?: string
  environment?: string
}

export type ScriptFiles =
  | {
      ok: true
      keys: ScriptKeys
      /** Added to a message of the server about an unknown environment. */
      hint: string
    }
  | { ok: false; message: string }

/** Decides with which files a script runs. */
export type FindScriptFiles = (script: string, condaEnv: string) => Promise<ScriptFiles>

/** Scripts run as uploaded files, in environments of the server. */
export const isolated: FindScriptFiles = async (_script, condaEnv) => ({
  ok: true,
  keys: condaEnv === '' ? {} : { environment: condaEnv },
  hint: '',
})

/** Scripts run in their own directory, with conda environments of this machine or environments of the server. */
export function onThisMachine(env: NodeJS.ProcessEnv): FindScriptFiles {
  const environments = new CondaEnvironments(env)
  return async (script, condaEnv) => {
    const found = await environments.find(condaEnv)
    if (found.kind === 'wrong') return { ok: false, message: found.message }
    if (found.kind === 'found')
      return { ok: true, keys: { host_script: script, conda_prefix: found.prefix }, hint: '' }
    const known = found.known.length > 0 ? `has ${found.known.join(', ')}` : 'has none that gpuq found'
    return {
      ok: true,
      keys: { host_script: script, ...(condaEnv === '' ? {} : { environment: condaEnv }) },
      hint: `conda on this machine ${known}`,
    }
  }
}

/** Whether the server is on this machine and lets this user run scripts in their own directory. */
export async function allowsHostFiles({ host_files }: Pick<Me, 'host_files'>): Promise<boolean> {
  // A server of an earlier version does not send it.
  if (!host_files) return false
  const bootId = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')
  return bootId.trim() === host_files
}
