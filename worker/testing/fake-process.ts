import { AsyncLocalStorage } from 'node:async_hooks'
import type pg from 'pg'
import { connect, type Database } from '@/lib/database/client'
import { listener } from '@/lib/database/listen'
import { Passage } from '../runtime/testing/passage'

/** What code of `lib` keeps once per process. */
type Globals = Map<string, unknown>
const globalNames = ['gpuqDatabase', 'gpuqListener']

/** Shared by all files of tests that one process runs, each with modules of its own. */
const contextKey = Symbol.for('gpuq fake processes')
const current = sharedContext()

function sharedContext(): AsyncLocalStorage<Globals> {
  const found: unknown = Reflect.get(globalThis, contextKey)
  if (found instanceof AsyncLocalStorage) return found
  const created = new AsyncLocalStorage<Globals>()
  Reflect.set(globalThis, contextKey, created)
  return created
}

/** Where the value of a global is that no fake process uses. The next file of tests deletes it, by its name. */
const outside = (name: string) => `gpuqOutside ${name}`

/**
 * Gives each fake process its own values of these globals, by the asynchronous context in which the code runs. Not enumerable, so
 * that the next file does not delete it: a loop of a killed process would then use the database of that file.
 */
function separateGlobals(): void {
  for (const name of globalNames) {
    if (Object.getOwnPropertyDescriptor(globalThis, name)?.get !== undefined) continue
    const before: unknown = Reflect.get(globalThis, name)
    Reflect.deleteProperty(globalThis, name)
    Object.defineProperty(globalThis, name, {
      get: () => {
        const store = current.getStore()
        return store === undefined ? Reflect.get(globalThis, outside(name)) : store.get(name)
      },
      set: (value: unknown) => {
        const store = current.getStore()
        if (store === undefined) Reflect.set(globalThis, outside(name), value)
        else store.set(name, value)
      },
    })
    if (before !== undefined) Reflect.set(globalThis, name, before)
  }
}

const connections = 5

/**
 * A part of the test's process that behaves as a process of its own towards the database: it has its own connections, and can
 * be killed, suspended, or cut off from the database at any moment.
 */
export class FakeProcess {
  #refusals = 0
  readonly #passage = new Passage(() => {
    this.#refusals += 1
    return Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  })
  readonly #globals: Globals = new Map()
  readonly #database: Database

  /**
   * @param name unique among the processes of the database.
   * @param admin a connection that the process does not have.
   */
  constructor(
    readonly name: string,
    url: string,
    private readonly admin: Pick<pg.Pool, 'query'>,
  ) {
    separateGlobals()
    const own = new URL(url)
    own.searchParams.set('application_name', name)
    this.#database = connect(own.href, connections)
    const { pool } = this.#database
    guard(pool, 'query', this.#passage)
    guard(pool, 'connect', this.#passage)
    pool.on('connect', (client) => guard(client, 'query', this.#passage))
    this.#globals.set('gpuqDatabase', this.#database)
  }

  /** How many statements have failed because it was cut off from the database. */
  get refusals(): number {
    return this.#refusals
  }

  /** Runs code in the process, and what it starts. */
  run<T>(work: () => T): T {
    return current.run(this.#globals, work)
  }

  /** As by SIGKILL: no statement of the process begins, ends or returns any more. Open transactions are rolled back. */
  async kill(): Promise<void> {
    this.#passage.end()
    await this.#closeListener()
    await this.#endSessions()
  }

  /** Ends after its code has. */
  async exit(): Promise<void> {
    await this.#closeListener()
    await this.#database.close()
  }

  /** As by SIGSTOP, until {@link resume}. */
  suspend(): void {
    this.#passage.hold()
  }

  resume(): void {
    this.#passage.open()
  }

  /** Breaks its connections and refuses new ones, until {@link restore}. */
  async cut(): Promise<void> {
    this.#passage.refuse()
    await this.#endSessions()
  }

  restore(): void {
    this.#passage.open()
  }

  #closeListener(): Promise<void> {
    return this.#globals.get('gpuqListener') !== undefined
      ? this.run(() => listener().close())
      : Promise.resolve()
  }

  async #endSessions(): Promise<void> {
    await this.admin.query(
      `SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
        WHERE application_name = $1 AND datname = current_database()`,
      [this.name],
    )
  }
}

/** Lets a method's promises pass only while the process can reach the database. Packages themselves call it with a callback. */
function guard(target: object, method: string, passage: Passage): void {
  const original: unknown = Reflect.get(target, method)
  if (typeof original !== 'function') throw new Error(`There is no method ${method}.`)
  const call = (args: unknown[]): Promise<unknown> => Reflect.apply(original, target, args)
  Reflect.set(target, method, (...args: unknown[]) =>
    typeof args.at(-1) === 'function' ? call(args) : passage.call(() => call(args)),
  )
}
