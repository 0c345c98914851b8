import type { Command } from 'commander'
import { jsonFlag, lazily } from '../declare/command'
import { parseCount } from '../declare/values'

const directoryHelp = 'folder with competition.yaml'

const aboutCreate = `
Reads competition.yaml, its pages and its roster, and pushes the directories of its datasets and of the scoring program. The same folder twice
changes nothing. The competition is published once it has all of them. Needs the right to host competitions, which an admin gives.`

const aboutRescore = `
Runs the newest scoring program, with the newest labels, over the stored outputs of the entries of a phase. No program of a team runs again. The command
waits until all are scored, and shows who moves on the live board. Nothing changes before --apply. For hosts.`

/** Commands for competitions. */
export function declareCompetitions(program: Command): void {
  program
    .command('competitions')
    .description('list competitions, the latest first')
    .option('--joined', 'only those that you have joined')
    .option('--limit <number>', 'maximum number of competitions', parseCount, 50)
    .option(...jsonFlag)
    .action(lazily(async () => (await import('./competitions')).listCompetitions))
  const competition = program
    .command('competition')
    .description('create, check and show a competition, and score it again')
  competition
    .command('create')
    .description('create a competition from a folder, or make it what the folder says')
    .argument('<dir>', directoryHelp)
    .option('--dry-run', 'only say what would change')
    .option(...jsonFlag)
    .addHelpText('after', aboutCreate)
    .action(lazily(async () => (await import('./create-competition')).createCompetition))
  competition
    .command('check')
    .description('say everything that is wrong in a folder, and change nothing')
    .argument('<dir>', directoryHelp)
    .action(lazily(async () => (await import('./create-competition')).checkCompetition))
  competition
    .command('show')
    .description('show a competition: its phases, its data, and what it still needs')
    .argument('<id>', 'competition_id')
    .option(...jsonFlag)
    .action(lazily(async () => (await import('./competitions')).showCompetition))
  competition
    .command('rescore')
    .description('score the stored outputs of a phase again, and show who moves')
    .argument('<id>', 'competition_id')
    .option('--phase <key>', 'the phase; not needed if there is one')
    .option('--apply', 'let the new scores count')
    .option('--discard', 'give the new scores up')
    .option(...jsonFlag)
    .addHelpText('after', aboutRescore)
    .action(lazily(async () => (await import('./rescore')).rescore))
}
