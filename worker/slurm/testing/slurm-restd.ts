import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Daemon, freePorts } from '../../testing/daemon'
import { until } from '../../testing/until'

/** An account without rights: slurmrestd refuses to run as root or as SlurmUser. Each request has a token. */
const account = 'nobody'

/** Starts slurmrestd 22.05 on a free port. @param env has SLURM_CONF */
export async function startRestDaemon(
  directory: string,
  env: NodeJS.ProcessEnv,
): Promise<{ daemon: Daemon; url: string }> {
  const [port] = await freePorts(1)
  const [uid, gid] = await Promise.all(['-u', '-g'].map(idOfAccount))
  const daemon = new Daemon({
    program: 'slurmrestd',
    // Without `-s` it stops, because Slurm has no accounting.
    args: ['-a', 'rest_auth/jwt', '-s', 'openapi/v0.0.38', `127.0.0.1:${port}`],
    log: join(directory, 'slurmrestd.out'),
    env: { ...env, SLURM_JWT: 'daemon' },
    uid,
    gid,
  })
  await daemon.start()
  const url = `http://127.0.0.1:${port}`
  await until('slurmrestd answers', () =>
    fetch(url).then(
      () => true,
      () => false,
    ),
  )
  return { daemon, url }
}

async function idOfAccount(option: string): Promise<number> {
  const { stdout } = await promisify(execFile)('id', [option, account])
  return Number(stdout)
}
