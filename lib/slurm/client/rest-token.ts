import { spawn } from 'node:child_process'
import { z } from 'zod'
import { SlurmUnavailable } from './slurm-client'

const timeoutMs = 30_000
/** A token is renewed after this part of its life. */
const renewAfter = 0.8
/** Life of a token that does not say when it expires. */
const defaultLifeMs = 300_000

const claims = z.object({ exp: z.number() })

/** The token of slurmrestd, from the admin's command. It is renewed before it expires. */
export class RestToken {
  #kept: { token: Promise<string>; renewAt: number } | undefined

  /**
   * @param command shell command that prints a token, as `scontrol token` does
   * @param env replaces the environment of this process
   */
  constructor(
    private readonly command: string,
    private readonly env: NodeJS.ProcessEnv = process.env,
  ) {}

  /** @throws SlurmUnavailable if the command fails or prints no token. */
  get(): Promise<string> {
    if (this.#kept === undefined || Date.now() >= this.#kept.renewAt) this.#kept = this.#renew()
    return this.#kept.token
  }

  /** Forgets the token, because slurmrestd may have refused it. */
  forget(): void {
    this.#kept = undefined
  }

  #renew(): { token: Promise<string>; renewAt: number } {
    const kept = { token: runTokenCommand(this.command, this.env), renewAt: Date.now() + defaultLifeMs }
    kept.token.then(
      (token) => {
        kept.renewAt = renewalTime(token, Date.now())
      },
      () => {
        if (this.#kept === kept) this.#kept = undefined
      },
    )
    return kept
  }
}

/** When to renew a token, in milliseconds since 1970. */
export function renewalTime(token: string, now: number): number {
  try {
    const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()
    const { exp } = claims.parse(JSON.parse(payload))
    return now + Math.max(0, exp * 1000 - now) * renewAfter
  } catch {
    return now + defaultLifeMs * renewAfter
  }
}

/** The token in the output of the command: `SLURM_JWT=TOKEN` or only the token. */
export function readToken(output: string): string | null {
  const token =
    output
      .trim()
      .split('\n')
      .pop()
      ?.replace(/^SLURM_JWT=/, '')
      .trim() ?? ''
  return /^[\w.=+/-]{16,}$/.test(token) ? token : null
}

function runTokenCommand(command: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', command], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
    let output = ''
    let problems = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      problems += text
    })
    const fail = (why: string) =>
      reject(new SlurmUnavailable(`The command of GPUQ_SLURM_TOKEN_COMMAND ${why}`))
    child.once('error', (error) => fail(`could not be started: ${error.message}`))
    child.once('close', (code) => {
      clearTimeout(timer)
      const token = readToken(output)
      // Its output may be a secret: the message does not have it.
      if (code !== 0) fail(`failed with code ${code}: ${problems.trim().slice(0, 500)}`)
      else if (token === null) fail('printed no token.')
      else resolve(token)
    })
  })
}
