import type { Context } from '../context'

/** Runs a command. What it needs is loaded only now: `--help` and `--version` have no use for it. */
export async function runLazily(act: (context: Context) => Promise<number>): Promise<void> {
  const { runCommand } = await import('../run-command')
  await runCommand(act)
}

export const jsonFlag = ['--json', 'print JSON, for programs'] as const
