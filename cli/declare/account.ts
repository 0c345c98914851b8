import type { Command } from 'commander'
import { jsonFlag, lazily } from './command'
import { addText, parseCount, parseDays } from './values'

/** Commands that choose the server and the token. */
export function declareAccount(program: Command): void {
  program
    .command('login')
    .description('check your token with a server, then store both')
    .option('--server <address>', 'address of the server, such as http://gpu.example.org:8001')
    .option('--token-stdin', 'read the token from standard input')
    .action(lazily(async () => (await import('../commands/account')).login))
  program
    .command('logout')
    .description('remove the stored server and token; the token stays valid until you revoke it')
    .action(lazily(async () => (await import('../commands/account')).logout))
  declareStorage(program)
  const tokens = program.command('tokens').description('list, create and revoke your tokens')
  tokens
    .command('list', { isDefault: true })
    .description('list your tokens (the default)')
    .option(...jsonFlag)
    .action(lazily(async () => (await import('../commands/account')).listTokens))
  tokens
    .command('create')
    .description('create a token and print it once')
    .argument('<name>', 'a name that says what the token is for')
    .option('--scope <scope>', 'submit, read or admin; repeatable (default: submit and read)', addText)
    .option('--expires <days>', 'days until it expires, or "never" (default: 90)', parseDays)
    .option(...jsonFlag)
    .action(lazily(async () => (await import('../commands/account')).createToken))
  tokens
    .command('batch')
    .description('create a token with a config for each user of a list, as a manager of a class or an admin')
    .argument(
      '<list>',
      'a file with a user id or an e-mail address in each line, or CSV with the column user_id or email',
    )
    .option(
      '--class <project>',
      'the class: the tokens submit to it, read its jobs of their users, and do nothing else',
    )
    .option('--project <id>', 'without a class, for admins: the project_id of the configs')
    .option('--competition <id>', 'the competition_id of the configs (default: their project_id)')
    .option('--name <name>', 'the name of each token (default: the project_id of the configs)')
    .option('--expires <days>', 'days until they expire, or "never" (default: 90)', parseDays)
    .option('--replace', 'revoke the earlier tokens of these users for this class')
    .option('-o, --output <directory>', 'a new directory for the configs, as USER/config.yaml')
    .option(...jsonFlag)
    .action(lazily(async () => (await import('../commands/token-batch')).createTokenBatch))
  tokens
    .command('revoke')
    .description('revoke a token immediately')
    .argument('<id>', 'id of the token, or the start of it')
    .action(lazily(async () => (await import('../commands/account')).revokeToken))
}

const userOption = ['--user <id>', "another user's files (admins only)"] as const

function declareStorage(program: Command): void {
  const storage = program.command('storage').description('show what you have stored, and delete it')
  storage
    .command('list', { isDefault: true })
    .description('show your storage by kind, your quota, and your largest files (the default)')
    .option(...userOption)
    .option('--limit <number>', 'maximum number of things', parseCount, 20)
    .option(...jsonFlag)
    .action(lazily(async () => (await import('../commands/storage')).storage))
  storage
    .command('delete')
    .description("delete an ended job's files, an uploaded directory, or the checkpoints of a run")
    .argument('<id...>', 'id as in `gpuq storage`, or the start of it; for checkpoints, PROJECT/RUN')
    .option(...userOption)
    .option('-y, --yes', 'do not ask for confirmation')
    .option(...jsonFlag)
    .action(lazily(async () => (await import('../commands/storage')).deleteStored))
}
