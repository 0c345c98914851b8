import { RuntimeFault } from '../runtime'
import { Passage } from './passage'

/** The connection of one worker to the fake engine, and what it has noticed of outages. */
export class EngineConnection extends Passage {
  #lastOutageMs = Number.NEGATIVE_INFINITY

  constructor() {
    super(() => {
      this.#lastOutageMs = performance.now()
      return new RuntimeFault('engine_unreachable', 'The engine does not answer.')
    })
  }

  /** Whether a call failed since then because the engine was unavailable. */
  hadOutage(sinceMs: number): boolean {
    return this.#lastOutageMs >= sinceMs
  }
}
