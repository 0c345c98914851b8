import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Real Unix accounts of this machine for one test file, without a password, a home directory or a shell. */
export class UnixAccounts {
  private constructor(readonly names: readonly string[]) {}

  static async create(count: number): Promise<UnixAccounts> {
    const prefix = `gpuq-test-${randomBytes(4).toString('hex')}`
    const accounts = new UnixAccounts(Array.from({ length: count }, (_, index) => `${prefix}-${index}`))
    for (const name of accounts.names)
      await run('useradd', ['--no-create-home', '--shell', '/usr/sbin/nologin', name])
    return accounts
  }

  /** Runs a program as one of the accounts, and returns its output. */
  async runAs(name: string, variables: Record<string, string>, command: readonly string[]): Promise<string> {
    const assignments = Object.entries(variables).map(([variable, value]) => `${variable}=${value}`)
    const { stdout } = await run('sudo', ['-n', '-u', name, ...assignments, '--', ...command], { cwd: '/' })
    return stdout
  }

  async remove(): Promise<void> {
    for (const name of this.names) await run('userdel', ['--force', name])
  }
}
