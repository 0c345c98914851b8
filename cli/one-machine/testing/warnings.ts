import type { StartLog } from '../../follow/start-log'

/** A log that keeps only the warnings, one per line. */
export function keepWarnings(): { warned: { text: string }; log: StartLog } {
  const warned = { text: '' }
  const log = {
    note: async () => {},
    warn: async (text: string) => {
      warned.text += `${text}\n`
    },
    detail: async () => {},
    close: async () => {},
  }
  return { warned, log }
}
