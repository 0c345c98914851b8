/**
 * `npx tsx deploy/backup/testing/make-fixture.ts [NAME]`: fills a data directory, with a job in every status, and writes
 * three files: its backup `gpuq-NAME.tar.gz`, the packed data directory itself `gpuq-NAME-data.tgz`, and their credentials
 * `gpuq-NAME.json`. NAME is the version unless given. Run it once for each released version, before the first migration of
 * the next one. upgrade.db.test.ts restores all of them. Never replace an old file: only code of that version can make it.
 */
import { execFile } from 'node:child_process'
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { connect, setDatabase } from '@/lib/database/client'
import { startEmbedded } from '@/lib/database/embedded'
import { migrate } from '@/lib/database/migrate'
import { storage } from '@/lib/storage/storage'
import { version } from '../../../package.json'
import { createReport } from '../../run/report.mjs'
import { createBackup } from '../create-backup'
import { fillEveryState } from './every-state'

const name = process.argv[2] ?? version
if (!/^\d+\.\d+\.\d+(-\w+)?$/.test(name))
  throw new Error(`Not a version, such as 1.2.3 or 1.2.3-main: ${name}`)
const file = join(import.meta.dirname, `gpuq-${name}.tar.gz`)
await access(file).then(
  () => Promise.reject(new Error(`${file} exists. Only that version of gpuq could make it, so it is kept.`)),
  () => {},
)
const dataDir = await mkdtemp(join(tmpdir(), 'gpuq-fixture-'))
process.env.GPUQ_DATA_DIR = dataDir
const postgres = await startEmbedded(dataDir, ['fsync=off'])
try {
  await migrate(postgres.url)
  const database = connect(postgres.url, 4)
  setDatabase(database)
  const state = await fillEveryState(dataDir)
  const source = {
    url: postgres.url,
    dataDir,
    bucket: null,
    store: storage(),
    checkpointsDirectory: join(dataDir, 'checkpoints'),
  }
  const signal = new AbortController().signal
  await createBackup(source, file, { report: createReport(), signal })
  await writeFile(file.replace(/\.tar\.gz$/, '.json'), `${JSON.stringify(state, null, 2)}\n`)
  await database.close()
  await postgres.stop()
  await pack(dataDir, file.replace(/\.tar\.gz$/, '-data.tgz'))
} finally {
  await postgres.stop().catch(() => {})
  await rm(dataDir, { recursive: true, force: true })
}

/** Packs the data directory of a stopped system, with owners and modes, without its socket and its log. */
async function pack(directory: string, target: string): Promise<void> {
  const left = ['postgres-socket', 'postgres/server.log'].map((path) => `--exclude=./${path}`)
  await promisify(execFile)('tar', [
    '--create',
    '--gzip',
    '--file',
    target,
    '--directory',
    directory,
    ...left,
    '.',
  ])
}
