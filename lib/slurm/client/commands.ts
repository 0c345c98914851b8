import { randomBytes } from 'node:crypto'
import { endedFormat, parseEnded } from './parse-ended'
import { jobFormat, parseJobs } from './parse-jobs'
import { nodeFormat, parseNodes, parsePartitions } from './parse-nodes'
import { runSlurmCommand, type SlurmCommand } from './run-command'
import { parseSubmitted, sbatchArguments } from './sbatch-arguments'
import {
  type SlurmClient,
  type SlurmJobState,
  type SlurmNodeState,
  type SlurmPartition,
  SlurmRefusal,
  type SlurmSubmission,
  SlurmUnavailable,
} from './slurm-client'

/** Ids in one command line. */
const idsPerCall = 500
/** What Slurm says of a job that has ended, or that it no longer knows. */
const gone = /invalid job id|already (finished|completing|completed)/i
/** Slurm's message for several jobs may contain both. */
const forbidden = /permission|denied/i

/**
 * Slurm by its commands on a submit host. It reads text with a random separator, not JSON: for 1,000 jobs squeue takes 29 ms
 * for 0.2 MB of text, and 330 ms for 3.2 MB of JSON, whose form changes with each version of Slurm.
 */
export class CommandClient implements SlurmClient {
  /** @param env replaces the environment of this process */
  constructor(private readonly env: NodeJS.ProcessEnv = process.env) {}

  async version(): Promise<string> {
    return (await this.config()).get('SLURM_VERSION') ?? 'unknown'
  }

  async hasAccounting(): Promise<boolean> {
    const type = (await this.config()).get('AccountingStorageType') ?? ''
    return /slurmdbd$/.test(type)
  }

  /** The controller's settings, with the names of slurm.conf. */
  async config(): Promise<ReadonlyMap<string, string>> {
    const output = await this.run('scontrol', ['show', 'config'])
    return new Map([...output.matchAll(/^(\w+)\s*= (.*)$/gm)].map(([, key = '', value = '']) => [key, value]))
  }

  async submit(submission: SlurmSubmission): Promise<number> {
    const output = await runSlurmCommand({
      name: 'sbatch',
      args: sbatchArguments(submission),
      input: submission.script,
      unixUser: submission.unixUser,
      env: this.env,
    })
    const id = parseSubmitted(output)
    if (id === null) throw new SlurmUnavailable(`sbatch printed no job id: ${output.slice(0, 200)}`)
    return id
  }

  async listJobs(): Promise<SlurmJobState[]> {
    const separator = newSeparator()
    const format = `--Format=${jobFormat(separator)}`
    const output = await this.run('squeue', ['--all', '--noheader', '--states=all', format])
    return parseJobs(output, separator)
  }

  async findEnded(ids: readonly number[]): Promise<SlurmJobState[]> {
    const found: SlurmJobState[] = []
    for (const part of chunks(ids)) {
      const separator = newSeparator()
      const options = ['--allusers', '--allocations', '--noheader', '--parsable', `--delimiter=${separator}`]
      // A start far in the past: by default sacct shows only the jobs of today.
      const args = [...options, '--starttime=2000-01-01', `--jobs=${part}`, `--format=${endedFormat()}`]
      try {
        found.push(...parseEnded(await this.run('sacct', args), separator))
      } catch (error) {
        if (error instanceof SlurmRefusal && /accounting storage is disabled/.test(error.message)) return []
        throw error
      }
    }
    return found.filter(({ endedAt }) => endedAt !== null)
  }

  async listNodes(): Promise<SlurmNodeState[]> {
    const separator = newSeparator()
    const format = `--Format=${nodeFormat(separator)}`
    return parseNodes(await this.run('sinfo', ['--all', '--noheader', '--Node', format]), separator)
  }

  async listPartitions(): Promise<SlurmPartition[]> {
    return parsePartitions(await this.run('scontrol', ['--all', '--oneliner', 'show', 'partition']))
  }

  async cancel(ids: readonly number[], unixUser: string | null): Promise<void> {
    for (const part of chunks(ids)) await this.change('scancel', part.split(','), unixUser)
  }

  async setHeld(ids: readonly number[], held: boolean, unixUser: string | null): Promise<void> {
    // `uhold` holds in the name of the owner, who can release the job too.
    for (const part of chunks(ids))
      await this.change('scontrol', [held ? 'uhold' : 'release', part], unixUser)
  }

  async setNice(id: number, nice: number, unixUser: string | null): Promise<void> {
    const held = (await this.listJobs()).find((job) => job.id === id)?.held ?? false
    await this.change('scontrol', ['update', `jobid=${id}`, `nice=${nice}`], unixUser)
    // Slurm gives a held job a priority with it, which releases the job.
    if (held) await this.setHeld([id], true, unixUser)
  }

  async setDrained(node: string, reason: string | null): Promise<void> {
    if (reason !== null) {
      await this.run('scontrol', ['update', `nodename=${node}`, 'state=drain', `reason=${reason}`])
      return
    }
    try {
      await this.run('scontrol', ['update', `nodename=${node}`, 'state=resume'])
    } catch (error) {
      // It is not drained.
      if (!(error instanceof SlurmRefusal && /invalid node state/i.test(error.message))) throw error
    }
  }

  private run(name: SlurmCommand['name'], args: readonly string[]): Promise<string> {
    return runSlurmCommand({ name, args, env: this.env })
  }

  /** Changes jobs. Jobs that have ended are ignored; Slurm changes the others. */
  private async change(
    name: SlurmCommand['name'],
    args: readonly string[],
    unixUser: string | null,
  ): Promise<void> {
    try {
      await runSlurmCommand({ name, args, unixUser, env: this.env })
    } catch (error) {
      if (!(error instanceof SlurmRefusal) || !gone.test(error.message) || forbidden.test(error.message))
        throw error
    }
  }
}

/** Starts with a letter: digits would be the width of a field. */
function newSeparator(): string {
  return `x${randomBytes(12).toString('hex')}`
}

function chunks(ids: readonly number[]): string[] {
  const count = Math.ceil(ids.length / idsPerCall)
  return Array.from({ length: count }, (_, index) =>
    ids.slice(index * idsPerCall, (index + 1) * idsPerCall).join(','),
  )
}
