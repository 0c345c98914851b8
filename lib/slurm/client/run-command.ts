import { spawn } from 'node:child_process'
import { SlurmRefusal, SlurmUnavailable } from './slurm-client'

/** Longer than Slurm's own limits (MessageTimeout, 10 s by default), so that its message is seen. */
const timeoutMs = 30_000
const maxOutputBytes = 256 * 1024 * 1024
/** The worker's variables that the commands get: those that locate the commands and their configuration. */
const passedVariables = ['PATH', 'SLURM_CONF', 'LD_LIBRARY_PATH']

/** Messages of Slurm that say nothing about the request: the controller, munge or the network is unavailable. */
const unavailable =
  /unable to contact slurm|timed out|connection refused|connection reset|communication (connection|shutdown|send|receive) (failure|error)|zero bytes were transmitted|unexpected message received|standby mode|temporarily un(able|available)|in the process of (shutting|coming)|could not establish a configuration|failed to fetch config|munge|authentication (credential|error)|no controller|backup controller/i

export interface SlurmCommand {
  /** A program, looked up in PATH. */
  name: 'sbatch' | 'squeue' | 'scancel' | 'scontrol' | 'sinfo' | 'sacct'
  args: readonly string[]
  /** Written to its standard input. */
  input?: string
  /** The Unix account that runs it, with sudo; null: the account of this process. */
  unixUser?: string | null
  /** Replaces the environment of this process. */
  env?: NodeJS.ProcessEnv
}

/**
 * Runs a command of Slurm without a shell and returns its output. Times in the output are in UTC.
 * @throws SlurmUnavailable if the command does not exist, gets no answer or takes longer than 30 s; SlurmRefusal with
 * Slurm's message for every other failure
 */
export function runSlurmCommand(command: SlurmCommand): Promise<string> {
  const { name, input = '', unixUser = null, env = process.env } = command
  const [program, args] = withAccount(command, unixUser, env)
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: commandEnvironment(env), stdio: 'pipe', cwd: '/' })
    let output = ''
    let problems = ''
    let problem: string | null = null
    const stop = (why: string) => {
      problem = why
      child.kill('SIGKILL')
      // sudo cannot hand on SIGKILL: the command may keep the pipes open.
      child.stdout.destroy()
      child.stderr.destroy()
    }
    const timer = setTimeout(() => stop(`did not end within ${timeoutMs / 1000} s`), timeoutMs)
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.length > maxOutputBytes) stop('printed too much')
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      problems += text
    })
    child.stdin.on('error', () => {
      // It ended before it read its input: its exit code tells why.
    })
    child.stdin.end(input)
    child.once('error', (error) => {
      clearTimeout(timer)
      reject(new SlurmUnavailable(`${program} could not be started: ${error.message}`))
    })
    child.once('close', (code) => {
      clearTimeout(timer)
      if (problem !== null) reject(new SlurmUnavailable(`${name} ${problem}.`))
      else if (code === 0) resolve(output)
      else reject(toSlurmError(problems.trim() || `${name} ended with code ${code}.`))
    })
  })
}

/** The error for a message of Slurm. Its prefixes, such as `sbatch: error:`, are removed. */
export function toSlurmError(message: string): SlurmRefusal | SlurmUnavailable {
  const lines = message.split('\n').map((line) => line.replace(/^\w+: (?:(?:error|fatal): )?/, '').trim())
  const text = [...new Set(lines)].filter((line) => line !== '').join('; ')
  return unavailable.test(text) ? new SlurmUnavailable(text) : new SlurmRefusal(text)
}

function withAccount(
  { name, args }: SlurmCommand,
  unixUser: string | null,
  env: NodeJS.ProcessEnv,
): [string, string[]] {
  if (unixUser === null) return [name, [...args]]
  // sudo removes the variable. sudoers must permit it (SETENV) where the configuration has its own path.
  const config = env.SLURM_CONF === undefined ? [] : [`SLURM_CONF=${env.SLURM_CONF}`]
  return ['sudo', ['-n', '-u', unixUser, ...config, '--', name, ...args]]
}

/** sbatch hands this environment on to the batch script. */
function commandEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const passed = passedVariables.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))
  return { ...Object.fromEntries(passed), LC_ALL: 'C', TZ: 'UTC' }
}
