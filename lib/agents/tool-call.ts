import type { Actor } from '../access/actor'

/** The caller of a tool. */
export interface ToolCall {
  actor: Actor
  /** The address at which the agent reached gpuq. */
  origin: string
  signal: AbortSignal
}
