import type { Command } from 'commander'
import { jsonFlag, runLazily } from './run-lazily'
import { addText } from './values'

/** Commands that choose the server and the token. */
export function declareAccount(program: Command): void {
  program
    .command('login')
    .description('check your token with a server, then store both')
    .option('--server <address>', 'address of the server, such as http://gpu.example.org:8001')
    .option('--token-stdin', 'read the token from standard input')
    .action((options: { server?: string; tokenStdin?: boolean }) =>
      runLazily(async (context) => (await import('../commands/account')).login(context, options)),
    )
  program
    .command('logout')
    .description('remove the stored server and token; the token stays valid until you revoke it')
    .action(() => runLazily(async (context) => (await import('../commands/account')).logout(context)))
  declareTokens(program.command('tokens').description('list, create and revoke your tokens'))
}

function declareTokens(tokens: Command): void {
  tokens
    .command('list', { isDefault: true })
    .description('list your tokens (the default)')
    .option(...jsonFlag)
    .action((options: { json?: boolean }) =>
      runLazily(async (context) => (await import('../commands/account')).listTokens(context, options)),
    )
  tokens
    .command('create')
    .description('create a token and print it once')
    .argument('<name>', 'a name that says what the token is for')
    .option('--scope <scope>', 'submit, read or admin; repeatable (default: submit and read)', addText)
    .option('--expires <days>', 'days until it expires, or "never" (default: 90)')
    .option(...jsonFlag)
    .action((name: string, options: { scope?: string[]; expires?: string; json?: boolean }) =>
      runLazily(async (context) => (await import('../commands/account')).createToken(context, name, options)),
    )
  tokens
    .command('revoke')
    .description('revoke a token immediately')
    .argument('<id>', 'id of the token, or the start of it')
    .action((id: string) =>
      runLazily(async (context) => (await import('../commands/account')).revokeToken(context, id)),
    )
}
