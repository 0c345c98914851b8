import type { Context } from '../context'

/** Runs a command. Loads its code only now, so that `--help` and `--version` start fast. */
export async function runLazily(act: (context: Context) => Promise<number>): Promise<void> {
  const { runCommand } = await import('../run-command')
  await runCommand(act)
}

export const jsonFlag = ['--json', 'print JSON'] as const
