import { idPattern } from '@/lib/contract/id-pattern'
import { readConfigText } from '../editor/config-text'

/** The unsubmitted files on the submit page. */
export interface Draft {
  code: string
  config: string
}

const storageKey = 'gpuq.draft'

export const blankDraft: Draft = {
  code: '',
  config: 'competition_id:\nproject_id:\nexpected_time: 300  # seconds\n',
}

/** A blank draft of a job that starts when another job or a group has completed. */
export function draftAfter(id: string): Draft {
  return { ...blankDraft, config: `${blankDraft.config}depends_on: ${id}\n` }
}

/** The shell command in the config; null if the job runs the program. */
export function commandOf(config: string): string | null {
  const read = readConfigText(config)?.read('command')
  if (read?.kind !== 'value') return null
  return typeof read.value === 'object' ? null : String(read.value)
}

/** The config with another command. */
export function withCommand(config: string, command: string): string {
  return readConfigText(config)?.write('command', command) ?? config
}

/** Whether the config names an uploaded directory, which has a program. */
export function hasDirectory(config: string): boolean {
  return readConfigText(config)?.read('archive').kind === 'value'
}

/** Whether the program of the jobs can be elsewhere: in an uploaded directory, or in the commands of members. */
export function mayOmitProgram(config: string): boolean {
  return hasDirectory(config) || (readConfigText(config)?.read('members').kind ?? 'absent') !== 'absent'
}

/** The files to submit. A command and a directory need no program. `archive`: the hash of the directory that was uploaded for it. */
export function toSubmission(
  { code, config }: Draft,
  archive: string | null = null,
): { code?: string; config: string } {
  if (archive !== null) return { config: readConfigText(config)?.write('archive', archive) ?? config }
  return isCommand({ code, config }) || (code.trim() === '' && mayOmitProgram(config))
    ? { config }
    : { code, config }
}

/** The project in the config; null if there is no valid one. */
export function projectOf(config: string): string | null {
  const read = readConfigText(config)?.read('project_id')
  if (read?.kind !== 'value' || typeof read.value === 'object') return null
  const text = String(read.value)
  return idPattern.test(text) ? text : null
}

/** Whether the draft is a command. With a program, the program is shown. */
export function isCommand({ code, config }: Draft): boolean {
  return code.trim() === '' && commandOf(config) !== null
}

/** The config without its token. The session identifies the user, and browser storage must hold no secret. */
export function withoutToken(config: string): string {
  const text = readConfigText(config)
  if (text === null || text.read('token').kind === 'absent') return config
  const rest = text.write('token', undefined)
  // A duplicate key is shown as a problem, but its token must go too.
  return rest === config ? config : withoutToken(rest)
}

/** Whether a text may contain a token: in invalid YAML, or under another key. */
function mayHoldToken(config: string): boolean {
  return /gpuq_[0-9A-Za-z]{8}/.test(config) || (readConfigText(config) === null && /token/i.test(config))
}

/** Less than a day, because a submission takes time. */
const keyLifetimeMs = 23 * 3_600_000

/** A draft as the browser keeps it. */
interface SavedDraft extends Draft {
  /** The idempotency key of a submission of exactly this draft to which no answer came; left out: none. */
  unansweredKey?: string
}

/** The saved draft, or null. */
export function loadDraft(): SavedDraft | null {
  try {
    const stored: Partial<Record<keyof SavedDraft, unknown>> | null = JSON.parse(
      localStorage.getItem(storageKey) ?? 'null',
    )
    const { code, config, unansweredKey } = stored ?? {}
    if (typeof code !== 'string' || typeof config !== 'string') return null
    return { code, config, ...(isFresh(unansweredKey) && { unansweredKey }) }
  } catch {
    return null
  }
}

/** Whether gpuq still knows an idempotency key, which is a UUID with its time: it forgets one after a day. */
function isFresh(key: unknown): key is string {
  if (typeof key !== 'string') return false
  return Number.parseInt(key.replaceAll('-', '').slice(0, 12), 16) > Date.now() - keyLifetimeMs
}

/** Saves the draft without anything that may contain a token. */
export function saveDraft({ code, config, unansweredKey }: SavedDraft): void {
  const bare = withoutToken(config)
  const kept = mayHoldToken(bare) ? blankDraft.config : bare
  try {
    // The key is only for what was sent, which had a token.
    const key = kept === config ? unansweredKey : undefined
    localStorage.setItem(storageKey, JSON.stringify({ code, config: kept, unansweredKey: key }))
  } catch {
    // The browser's storage is full or disabled: the draft is kept only on this page.
  }
}

export function forgetDraft(): void {
  try {
    localStorage.removeItem(storageKey)
  } catch {
    // Nothing was stored.
  }
}
