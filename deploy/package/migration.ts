/** `npm run migration NAME`: writes the migration from the last committed schema to the current one. */
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '@/lib/database/embedded'
import { diffSchemas, migrationsDirectory, type SchemaFile } from '@/lib/database/migrate'

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' })
const isSchema = (path: string) => path.endsWith('.prisma')

function committedSchema(): SchemaFile[] {
  const paths = git('ls-tree', '-r', '--name-only', 'HEAD', 'prisma').split('\n').filter(isSchema)
  return paths.map((path) => ({ path, content: git('show', `HEAD:${path}`) }))
}

async function currentSchema(): Promise<SchemaFile[]> {
  const paths = (await readdir('prisma', { recursive: true })).filter(isSchema)
  return Promise.all(
    paths.map(async (path) => ({ path, content: await readFile(join('prisma', path), 'utf8') })),
  )
}

const name = process.argv[2]
if (!name || !/^[a-z0-9_]+$/.test(name)) {
  console.error('usage: npm run migration NAME   (lower-case letters, digits and underscores)')
  process.exit(2)
}
const scratch = await mkdtemp(join(tmpdir(), 'gpuq-migration-'))
const postgres = await startEmbedded(scratch, ['fsync=off'])
try {
  const sql = await diffSchemas(postgres.url, committedSchema(), await currentSchema())
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
  const file = join(migrationsDirectory, `${stamp}_${name}`, 'migration.sql')
  await mkdir(join(file, '..'), { recursive: true })
  await writeFile(file, sql)
  console.log(`Created ${file}. Review it, and add what Prisma cannot express.\n\n${sql}`)
} finally {
  await postgres.stop()
  await rm(scratch, { recursive: true, force: true })
}
