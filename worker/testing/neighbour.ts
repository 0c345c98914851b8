import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { listBelow } from './list-below'

interface Account {
  uid: number
  gid: number
}

/** An account of this machine that has nothing to do with gpuq. Distributions name it `nobody`. */
export const neighbour: Account = { uid: 65_534, gid: 65_534 }

export const superuser: Account = { uid: 0, gid: 0 }

export interface Reached {
  /** The mount points below the directory, in the system's table of mounts. */
  mounts: string[]
  /** What could be listed or read, of all files and directories below the directory. */
  paths: string[]
  /** The processes whose variables, command line or files could be read and have the secret, or are those of a job. */
  processes: string[]
}

/**
 * Reads a secret, a directory and all paths below it from the standard input, so that no command line and no variable of its own
 * has the secret. A file or directory is reached if it can be opened for reading.
 */
const attack = `
IFS= read -r secret
IFS= read -r root
while IFS= read -r path; do
  if { true < "$path"; } 2>/dev/null; then printf 'path %s\\n' "$path"; fi
done
while read -r _ mount _; do
  case $mount in "$root"/*)
    printf 'mount %s\\n' "$mount"
    find "$mount" -exec printf 'path %s\\n' {} + 2>/dev/null ;;
  esac
done < /proc/mounts
printf '%s\\n' "$secret" | grep -alFf - /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | sed 's/^/process /'
for file in /proc/[0-9]*/root/job/*; do
  if [ -e "$file" ]; then printf 'process %s\\n' "$file"; fi
done
`

/**
 * Tries to reach files below a directory as an account of this machine, which knows all their names, and to read a secret
 * from processes.
 */
export async function reachFrom(account: Account, directory: string, secret: string): Promise<Reached> {
  const below = (await listBelow(directory)).map((path) => join(directory, path))
  const child = spawn('/bin/sh', ['-c', attack], {
    ...account,
    cwd: '/',
    env: { NODE_ENV: 'test', PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdin.end([secret, directory, ...below, ''].join('\n'))
  let output = ''
  for await (const piece of child.stdout.setEncoding('utf8')) output += piece
  const found = (kind: string) =>
    output.split('\n').flatMap((line) => (line.startsWith(`${kind} `) ? [line.slice(kind.length + 1)] : []))
  return { mounts: found('mount'), paths: found('path'), processes: found('process') }
}
