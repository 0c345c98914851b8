import { latch } from './latch'

/** A call of the runtime at which a test can stop a worker. `pull`: of an image that the engine does not have. */
export type RuntimeCall =
  | 'ensureImage'
  | 'pull'
  | 'create'
  | 'start'
  | 'replay'
  | 'wait'
  | 'stop'
  | 'remove'
  | 'list'

type Step = 'before' | 'after'

/** A place where a worker stands still. */
export interface CallHold {
  /** Resolves when a worker has come there. */
  reached: Promise<void>
  /** Lets it and all after it go on. */
  release(): void
  /** Lets the call fail, and all after it go on. */
  fail(error: Error): void
}

interface Rule {
  call: RuntimeCall
  step: Step
  reach(): void
  released: Promise<Error | null>
}

/** Stops workers at exact calls to an engine. */
export class CallHolds {
  #rules: Rule[] = []

  /** Stops workers before or after a call takes effect, until the hold is released. */
  hold(call: RuntimeCall, step: Step): CallHold {
    const reached = latch()
    let settle: (outcome: Error | null) => void = () => {}
    const released = new Promise<Error | null>((resolve) => {
      settle = resolve
    })
    const rule = { call, step, reach: reached.open, released }
    this.#rules.push(rule)
    const end = (outcome: Error | null) => {
      this.#rules = this.#rules.filter((one) => one !== rule)
      settle(outcome)
    }
    return { reached: reached.opened, release: () => end(null), fail: end }
  }

  /** A worker is at that step of a call. */
  async reach(call: RuntimeCall, step: Step): Promise<void> {
    const rule = this.#rules.find((one) => one.call === call && one.step === step)
    if (rule === undefined) return
    rule.reach()
    const error = await rule.released
    if (error !== null) throw error
  }
}
