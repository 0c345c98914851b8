import type { Command } from 'commander'
import { lazily } from '../declare/command'

const dataDirFlag = [
  '--data-dir <path>',
  "data directory (default: GPUQ_DATA_DIR or the checkout's data)",
] as const

const aboutBackup = `
Works on this machine's data directory, and on the database of DATABASE_URL if it is set. gpuq may run meanwhile.
The file contains the database, the stored files and the key of sessions: keep it private. Files in a bucket
(GPUQ_STORAGE) are only listed.`

const aboutRestore = `
Needs an empty data directory and, if DATABASE_URL is set, an empty database. Verifies the whole backup, then applies
newer migrations. Start gpuq with the data directory after it: jobs that ran are tried again.`

/** Commands for the administrator of the machine that has gpuq's data. */
export function declareBackup(program: Command): void {
  program
    .command('backup')
    .description('write the database and the stored files to one file, also while gpuq runs')
    .argument('<file>', 'file to create, such as gpuq-2026-11-22.tar.gz')
    .option(...dataDirFlag)
    .addHelpText('after', aboutBackup)
    .action(lazily(async () => (await import('./backup')).backup))
  program
    .command('restore')
    .description('restore a backup into an empty data directory')
    .argument('<file>', 'file that `gpuq backup` has written')
    .option(...dataDirFlag)
    .addHelpText('after', aboutRestore)
    .action(lazily(async () => (await import('./backup')).restore))
}
