import { visibleText } from '@/lib/contract/text/sanitize-text'
import { StorageFault, type StorageFaultCode } from '@/lib/storage/store'
import { type SkippedFile, TooManyFiles } from '../files/safe-walk'

const maxReported = 5

/** Reports the state of checkpoints in a job's output while it runs, each message once. */
export class CheckpointNotes {
  #failing = false
  readonly #skipped = new Set<string>()

  constructor(readonly note: (text: string) => void) {}

  tellFailure(error: unknown): void {
    if (!this.#failing)
      this.note(`checkpoints cannot be stored at the moment: ${describeCause(error)}; retrying`)
    this.#failing = true
  }

  tellSuccess(): void {
    if (this.#failing) this.note('checkpoints are stored again')
    this.#failing = false
  }

  reportSkipped(skipped: readonly SkippedFile[]): void {
    for (const { path, why } of skipped) {
      if (this.#skipped.size >= maxReported) return
      if (this.#skipped.has(path)) continue
      this.#skipped.add(path)
      this.note(`the checkpoint ${visibleText(path, 80)} is not stored: ${why}`)
    }
  }
}

/** Describes at the end what is missing. */
export function describeMissing(forMs: number, why: string): string {
  const seconds = Math.max(1, Math.round(forMs / 1_000))
  const last = seconds === 1 ? 'second' : `${seconds} seconds`
  return `The checkpoints of its last ${last} were not stored: ${why}.`
}

/** The files exceed the limit of the run. */
export class CheckpointsTooLarge extends Error {}

/** The files exceed the storage quota of the project or its owner. */
export class CheckpointsOverQuota extends Error {}

const faults: Record<StorageFaultCode, string> = {
  unreachable: 'the store is not reachable',
  denied: 'the store denies access',
  no_space: 'the store is full',
  exists: 'the store returned an error',
  not_found: 'the store returned an error',
  invalid_key: 'the store returned an error',
  storage_error: 'the store returned an error',
}

/** Describes why checkpoints were not stored, for readers of the job's output. */
export function describeCause(error: unknown): string {
  if (error instanceof StorageFault) return faults[error.code]
  if (error instanceof CheckpointsTooLarge) return 'they exceed the size limit'
  if (error instanceof CheckpointsOverQuota)
    return 'they exceed the storage quota; delete files in the settings'
  if (error instanceof TooManyFiles) return 'there are too many files'
  return 'the node could not read them'
}
