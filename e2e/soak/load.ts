import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { sleep, unlessAborted } from '@/lib/async/sleep'
import { timeLimit } from '@/lib/async/time-limit'
import type { Client } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'
import { randomNumbers } from '@/lib/scheduling/testing/simulate'
import { clientOf, persist } from './client'
import type { AcceptedJob, Ledger } from './ledger'
import { nextScenario, type Random } from './scenarios'
import type { SoakSystem } from './soak-system'
import { submit } from './submit'
import { verify } from './verify'

/** Mean seconds between two submissions of one user. */
const thinkSeconds = 9
/** A user waits while so many of their jobs have not ended. */
const mostOpen = 25
const stepsPerRun = 6

const fork = (random: Random): Random => randomNumbers(Math.floor(random() * 2 ** 31))

/** Warm containers import modules that several of the scenarios use. */
export async function prepareImports(system: SoakSystem, random: Random, ledger: Ledger): Promise<void> {
  const { environments } = clientOf(system.urls, system.adminToken, random, ledger)
  for (const { name } of await environments.list())
    await environments.update(name, { prepare: ['json', 'hashlib', 'pathlib'] })
}

/** One user, who submits jobs, reads and deletes in a project of their own. */
export class SoakUser {
  readonly client: Client
  readonly project: string
  /** One generator for each loop, so that a seed gives the same jobs, however the loops interleave. */
  private readonly random: Record<'submit' | 'follow' | 'end', Random>
  private run = `run-${randomUUID()}`
  private step = 0
  /** The last job of the run. The next one may start only after its end. */
  private lastOfRun: AcceptedJob | undefined

  private constructor(
    readonly name: string,
    token: string,
    urls: readonly string[],
    random: Random,
    private readonly ledger: Ledger,
  ) {
    this.client = clientOf(urls, token, fork(random), ledger)
    this.random = { submit: fork(random), follow: fork(random), end: fork(random) }
    this.project = `project-${name}`
  }

  static async create(system: SoakSystem, name: string, random: Random, ledger: Ledger): Promise<SoakUser> {
    const admin = clientOf(system.urls, system.adminToken, random, ledger)
    await admin.users.create({
      user_id: name,
      email: `${name}@example.org`,
      password: `the password of ${name}`,
    })
    const unlimited = {
      submissions_per_minute: 1_000_000,
      max_active_jobs: 1_000_000,
      max_waiting_jobs: 1_000_000,
    }
    await admin.users.update(name, { limits: { ...unlimited, max_priority: 100 } })
    const { token } = await admin.tokens.create({ user_id: name, name: 'soak' })
    const user = new SoakUser(name, token, system.urls, random, ledger)
    const { id } = await user.client.projects.create({ project_id: user.project })
    // The soak moves the end of jobs into the past, so that this retention deletes their files during the run.
    await user.client.projects.update(id, { retention_days: 1 })
    return user
  }

  /** Submits jobs until the signal. */
  async submitJobs(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(this.random.submit() * 2_000 * thinkSeconds, signal)
      if (signal.aborted) return
      if (this.open().length >= mostOpen) continue
      await this.attempt('submit', () => this.submitNext())
    }
  }

  private async submitNext(): Promise<void> {
    const scenario = nextScenario(this.random.submit, {
      name: this.name,
      nextRunStep: () => [this.run, this.step],
    })
    const isStep = scenario.kind === 'checkpoints'
    if (isStep && this.lastOfRun && !this.lastOfRun.verified) return
    const job = await submit({ client: this.client, project: this.project, ledger: this.ledger }, scenario)
    if (isStep) await this.endStep(job)
    if (scenario.cancel) void this.attempt('cancel', () => this.cancel(job))
  }

  /** A run that had all its jobs is followed by a new one. Its checkpoints are deleted after its last job. */
  private async endStep(job: AcceptedJob): Promise<void> {
    this.lastOfRun = job
    this.step++
    if (this.step < stepsPerRun) return
    const ended = this.run
    this.run = `run-${randomUUID()}`
    this.step = 0
    this.lastOfRun = undefined
    void this.attempt('delete checkpoints', async () => {
      while (!job.verified) await wait(1_000)
      const { items } = await persist(() => this.client.projects.list())
      const id = items.find(({ project_id }) => project_id === this.project)?.id ?? ''
      await this.ignoringConflicts(() => this.client.storage.deleteCheckpoints(id, ended))
    })
  }

  private async cancel({ id, scenario }: AcceptedJob): Promise<void> {
    if (scenario.cancel === 'running') await this.untilPrinted(id)
    await persist(() => this.client.jobs.cancel(id))
  }

  private async untilPrinted(id: string): Promise<void> {
    for (;;) {
      const { status } = await persist(() => this.client.jobs.get(id))
      const { stdout } = await persist(() => this.client.jobs.result(id))
      if (status !== 'pending' && stdout !== '') return
      await wait(500)
    }
  }

  /** Compares ended jobs until the signal, and uses each in some other way. */
  async verifyJobs(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      for (const job of this.open()) {
        if (signal.aborted) return
        await this.attempt('verify', async () => {
          if (await verify(job, this.ledger)) await this.finishWith(job)
        })
      }
      await sleep(1_000, signal)
    }
  }

  private async finishWith({ id, scenario }: AcceptedJob): Promise<void> {
    const choice = this.random.end()
    if (choice < 0.25) await this.ignoringConflicts(() => this.client.storage.deleteJobFiles(id))
    else if (choice < 0.35)
      await persist(async () => (await this.client.jobs.download(id, 'jsonl')).arrayBuffer())
    else if (choice < 0.45) await persist(() => this.client.jobs.list({ limit: 50 }))
    if (scenario.directory) await this.deleteDirectories()
  }

  private async deleteDirectories(): Promise<void> {
    const { items } = await persist(() => this.client.storage.get())
    const unused = items.filter(({ kind, in_use }) => kind === 'archive' && !in_use)
    for (const { id } of unused) await this.ignoringConflicts(() => this.client.storage.deleteArchive(id))
  }

  /** Opens event streams until the signal, and breaks most of them off. */
  async followJobs(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const open = this.open()
      const job = open[Math.floor(this.random.follow() * open.length)]
      const forMs = Math.round(this.random.follow() * 5_000)
      if (job) await this.follow(job, timeLimit(forMs, signal))
      await sleep(this.random.follow() * 3_000, signal)
    }
  }

  private async follow({ id }: AcceptedJob, signal: AbortSignal): Promise<void> {
    // A fault may end the stream, and the signal does in most cases.
    const reading = this.client.jobs.events(id, null, signal).then((response) => response.text())
    await unlessAborted(
      reading.catch(() => ''),
      signal,
    )
  }

  private open(): AcceptedJob[] {
    return this.ledger.unverified.filter(({ client }) => client === this.client)
  }

  /** The object is in use, or a repeated request finds it gone. */
  private async ignoringConflicts(request: () => Promise<unknown>): Promise<void> {
    await persist(request).catch((error: unknown) => {
      if (!(error instanceof ProblemError) || (error.status !== 404 && error.status !== 409)) throw error
    })
  }

  private async attempt(what: string, work: () => Promise<unknown>): Promise<void> {
    await work().catch((error: unknown) => {
      const status = error instanceof ProblemError ? ` ${error.status} ${JSON.stringify(error.errors)}` : ''
      this.ledger.problem(
        `${this.name} could not ${what}:${status} ${error instanceof Error ? error.message : error}`,
      )
    })
  }
}
