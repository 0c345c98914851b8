import { execFile } from 'node:child_process'
import { chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Daemon, freePorts } from '../../testing/daemon'
import { until } from '../../testing/until'

const run = promisify(execFile)
/** The account of Debian's MariaDB, and the database user of slurmdbd. Only this machine reaches the database. */
const account = 'mysql'
const storage = { user: 'slurm', password: 'slurm', database: 'slurm_acct_db' }

export interface SlurmAccounting {
  /** Ends slurmdbd. Its database continues. */
  endDaemon(): Promise<void>
  startDaemon(): Promise<void>
  stop(): Promise<void>
}

/**
 * A slurmdbd with its own MariaDB. It needs the Debian packages slurmdbd and mariadb-server.
 * @param directory of the cluster, where munge runs
 * @param port of slurmdbd, as in slurm.conf
 * @param env has SLURM_CONF, beside which slurmdbd finds its configuration
 */
export async function startAccounting(
  directory: string,
  port: number,
  env: NodeJS.ProcessEnv,
): Promise<SlurmAccounting> {
  const [storagePort = 0] = await freePorts(1)
  const database = await startDatabase(directory, storagePort)
  const daemon = new Daemon({ program: 'slurmdbd', args: ['-D'], log: join(directory, 'slurmdbd.out'), env })
  const stop = async () => {
    await daemon.end('SIGKILL')
    await database.end('SIGKILL')
  }
  const startDaemon = async () => {
    await daemon.start()
    await until('slurmdbd answers', () =>
      run('sacctmgr', ['--noheader', 'show', 'cluster'], { env }).then(
        () => true,
        () => false,
      ),
    )
  }
  try {
    const config = slurmdbdConf(directory, port, storagePort)
    await writeFile(join(directory, 'slurmdbd.conf'), config, { mode: 0o600 })
    await startDaemon()
    return { endDaemon: () => daemon.end('SIGKILL'), startDaemon, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startDatabase(directory: string, port: number): Promise<Daemon> {
  const data = join(directory, 'accounting')
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (option) => Number((await run('id', [option, account])).stdout)),
  )
  await mkdir(data)
  await chown(data, uid ?? 0, gid ?? 0)
  const install = ['--auth-root-authentication-method=normal', '--skip-test-db', '--skip-name-resolve']
  await run('mariadb-install-db', ['--no-defaults', `--datadir=${data}`, `--user=${account}`, ...install])
  const socket = join(data, 'socket')
  const files = [`--datadir=${data}`, `--socket=${socket}`, `--pid-file=${join(data, 'pid')}`]
  const daemon = new Daemon({
    program: 'mariadbd',
    args: ['--no-defaults', ...files, '--bind-address=127.0.0.1', `--port=${port}`, '--skip-name-resolve'],
    log: join(directory, 'mariadbd.out'),
    uid,
    gid,
  })
  await daemon.start()
  const { user, password, database } = storage
  const grant = `CREATE OR REPLACE USER ${user}@'127.0.0.1' IDENTIFIED BY '${password}'; GRANT ALL ON ${database}.* TO ${user}@'127.0.0.1'; CREATE DATABASE IF NOT EXISTS ${database}`
  await until('MariaDB answers', () =>
    run('mariadb', ['--no-defaults', `--socket=${socket}`, '--user=root', '-e', grant]).then(
      () => true,
      () => false,
    ),
  )
  return daemon
}

function slurmdbdConf(directory: string, port: number, storagePort: number): string {
  const lines = [
    'AuthType=auth/munge',
    `AuthInfo=socket=${join(directory, 'munge', 'socket')}`,
    'DbdHost=localhost',
    'DbdAddr=127.0.0.1',
    `DbdPort=${port}`,
    'SlurmUser=root',
    `LogFile=${join(directory, 'slurmdbd.log')}`,
    `PidFile=${join(directory, 'slurmdbd.pid')}`,
    'StorageType=accounting_storage/mysql',
    'StorageHost=127.0.0.1',
    `StoragePort=${storagePort}`,
    `StorageUser=${storage.user}`,
    `StoragePass=${storage.password}`,
    `StorageLoc=${storage.database}`,
  ]
  return `${lines.join('\n')}\n`
}
