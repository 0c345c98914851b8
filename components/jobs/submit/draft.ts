import { z } from 'zod'
import { readConfigText } from '../editor/config-text'

/** What is being written on the page that submits. */
export interface Draft {
  code: string
  config: string
}

const storageKey = 'gpuq.draft'
const draftSchema = z.object({ code: z.string(), config: z.string() })

export const blankDraft: Draft = {
  code: '',
  config: [
    'competition_id: "my-competition"',
    'project_id: "my-project"',
    'expected_time: 300  # seconds',
    '',
  ].join('\n'),
}

/** What the config says that a shell runs; null: it says nothing of it, and the program runs. */
export function commandOf(config: string): string | null {
  const read = readConfigText(config)?.read('command')
  if (read?.kind !== 'value') return null
  return typeof read.value === 'object' ? null : String(read.value)
}

/** The config with another command. */
export function withCommand(config: string, command: string): string {
  return readConfigText(config)?.write('command', command) ?? config
}

/** What is sent: of a command there is no program. */
export function toSubmission({ code, config }: Draft): { code?: string; config: string } {
  return isCommand({ code, config }) ? { config } : { code, config }
}

/** Whether it is a command that is being written. Where there is a program too, that is to be seen. */
export function isCommand({ code, config }: Draft): boolean {
  return code.trim() === '' && commandOf(config) !== null
}

/** The config without its token: the session says who submits, and a secret has no business in this browser's storage. */
export function withoutToken(config: string): string {
  const text = readConfigText(config)
  if (text === null || text.read('token').kind === 'absent') return config
  const rest = text.write('token', undefined)
  // A doubled key is a mistake to be shown, and still twice a secret.
  return rest === config ? config : withoutToken(rest)
}

/** Whether a token may hide in a text: under its key where the text is no YAML yet, or under any other. */
function mayHoldToken(config: string): boolean {
  return /gpuq_[0-9A-Za-z]{8}/.test(config) || (readConfigText(config) === null && /token/i.test(config))
}

/** What was written here before, or null. */
export function loadDraft(): Draft | null {
  try {
    return draftSchema.safeParse(JSON.parse(localStorage.getItem(storageKey) ?? 'null')).data ?? null
  } catch {
    return null
  }
}

/** Keeps what is being written, as far as no token can be in it. */
export function saveDraft({ code, config }: Draft): void {
  const bare = withoutToken(config)
  const kept = mayHoldToken(bare) ? blankDraft.config : bare
  try {
    localStorage.setItem(storageKey, JSON.stringify({ code, config: kept }))
  } catch {
    // The browser's storage is full or forbidden: the draft then lives as long as the page.
  }
}

export function forgetDraft(): void {
  try {
    localStorage.removeItem(storageKey)
  } catch {
    // Where nothing can be stored, nothing is left to forget.
  }
}
