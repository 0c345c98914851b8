import { visibleText } from '@/lib/contract/sanitize-text'
import { StorageFault, type StorageFaultCode } from '@/lib/storage/store'
import { type PassedOver, TooManyFiles } from './safe-walk'

const mostPassedOver = 5

/** What a job's output is told of its checkpoints while it runs: each thing once. */
export class CheckpointNotes {
  #failing = false
  readonly #passedOver = new Set<string>()

  constructor(readonly note: (text: string) => void) {}

  tellFailure(error: unknown): void {
    if (!this.#failing)
      this.note(`checkpoints are not stored at the moment: ${describeCause(error)}; trying again`)
    this.#failing = true
  }

  tellSuccess(): void {
    if (this.#failing) this.note('checkpoints are stored again')
    this.#failing = false
  }

  tellPassedOver(passedOver: readonly PassedOver[]): void {
    for (const { path, why } of passedOver) {
      if (this.#passedOver.size >= mostPassedOver) return
      if (this.#passedOver.has(path)) continue
      this.#passedOver.add(path)
      this.note(`the checkpoint ${visibleText(path, 80)} is not stored: ${why}`)
    }
  }
}

/** At the end: what is missing, for the job. */
export function describeMissing(forMs: number, why: string): string {
  const seconds = Math.max(1, Math.round(forMs / 1_000))
  const last = seconds === 1 ? 'second' : `${seconds} seconds`
  return `The checkpoints of its last ${last} were not stored: ${why}.`
}

/** The files are larger than the run may keep. */
export class TooMuch extends Error {}

const faults: Record<StorageFaultCode, string> = {
  unreachable: 'the store cannot be reached',
  denied: 'the store refuses them',
  no_space: 'the store is full',
  exists: 'the store does not work',
  not_found: 'the store does not work',
  invalid_key: 'the store does not work',
  storage_error: 'the store does not work',
}

/** Why checkpoints were not stored, for whoever reads the job's output. */
export function describeCause(error: unknown): string {
  if (error instanceof StorageFault) return faults[error.code]
  if (error instanceof TooMuch) return 'they are larger than they may be'
  if (error instanceof TooManyFiles) return 'they are more files than there may be'
  return 'the node could not read them'
}
