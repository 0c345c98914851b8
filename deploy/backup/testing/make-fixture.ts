/**
 * `npx tsx deploy/backup/testing/make-fixture.ts`: writes a backup of a data directory that this version fills, with a
 * job in every status, as `gpuq-VERSION.tar.gz`, and its credentials beside it. Run it once for each released version,
 * before the first migration of the next one. upgrade.db.test.ts restores all of them. Never replace an old file: only
 * code of that version can make it.
 */
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, setDatabase } from '@/lib/database/client'
import { startEmbedded } from '@/lib/database/embedded'
import { migrate } from '@/lib/database/migrate'
import { storage } from '@/lib/storage/storage'
import { version } from '../../../package.json'
import { createReport } from '../../run/report.mjs'
import { createBackup } from '../create-backup'
import { fillEveryState } from './every-state'

const dataDir = await mkdtemp(join(tmpdir(), 'gpuq-fixture-'))
process.env.GPUQ_DATA_DIR = dataDir
const postgres = await startEmbedded(dataDir, ['fsync=off'])
try {
  await migrate(postgres.url)
  const database = connect(postgres.url, 4)
  setDatabase(database)
  const state = await fillEveryState(dataDir)
  const file = join(import.meta.dirname, `gpuq-${version}.tar.gz`)
  await access(file).then(
    () => Promise.reject(new Error(`${file} exists. Only gpuq ${version} could make it, so it is kept.`)),
    () => {},
  )
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
} finally {
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}
