import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { embeddedUrl, startEmbedded } from '../embedded'
import { migrate } from '../migrate'

declare module 'vitest' {
  interface ProvidedContext {
    postgresDirectory: string
  }
}

/** The data does not have to survive a crash, and several test files together use many connections. */
const settings = ['fsync=off', 'full_page_writes=off', 'max_connections=500']

/** One PostgreSQL for a run, with a migrated template that each test file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'gpuq-test-'))
  const postgres = await startEmbedded(directory, settings)
  const tearDown = async () => {
    await postgres.stop()
    await rm(directory, { recursive: true, force: true })
  }
  try {
    const admin = new pg.Client({ connectionString: postgres.url })
    await admin.connect()
    await admin.query('CREATE DATABASE template_gpuq')
    await admin.end()
    await migrate(embeddedUrl(directory, 'template_gpuq'))
  } catch (error) {
    await tearDown()
    throw error
  }
  project.provide('postgresDirectory', directory)
  return tearDown
}
