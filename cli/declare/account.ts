import type { Command } from 'commander'
import { jsonFlag, runLazily } from './run-lazily'
import { addText } from './values'

/** The commands about who speaks to which server. */
export function declareAccount(program: Command): void {
  program
    .command('login')
    .description('store the server and your token, once the server has taken it')
    .option('--server <address>', 'such as http://gpu.example.org:8001')
    .option('--token-stdin', 'read the token from stdin')
    .action((options: { server?: string; tokenStdin?: boolean }) =>
      runLazily(async (context) => (await import('../commands/account')).login(context, options)),
    )
  program
    .command('logout')
    .description('forget both; the token holds until it is revoked')
    .action(() => runLazily(async (context) => (await import('../commands/account')).logout(context)))
  declareTokens(program.command('tokens').description('list, make and revoke your tokens'))
}

function declareTokens(tokens: Command): void {
  tokens
    .command('list', { isDefault: true })
    .description('list them; what `gpuq tokens` alone does')
    .option(...jsonFlag)
    .action((options: { json?: boolean }) =>
      runLazily(async (context) => (await import('../commands/account')).listTokens(context, options)),
    )
  tokens
    .command('create')
    .description('make one; it is printed this once')
    .argument('<name>', 'what it is for')
    .option(
      '--scope <scope>',
      'submit, read or admin; may be given again (default: submit and read)',
      addText,
    )
    .option('--expires <days>', 'after so many days, or never (default: 90)')
    .option(...jsonFlag)
    .action((name: string, options: { scope?: string[]; expires?: string; json?: boolean }) =>
      runLazily(async (context) => (await import('../commands/account')).createToken(context, name, options)),
    )
  tokens
    .command('revoke')
    .description('end one at once')
    .argument('<id>', 'its id, or its beginning')
    .action((id: string) =>
      runLazily(async (context) => (await import('../commands/account')).revokeToken(context, id)),
    )
}
