import type { Client } from '@/lib/http/client/client'

/** Objects with ids that are no jobs. People and agents take one for the other. */
export interface OtherObject {
  /** What it is, with its article. */
  name: string
  /** Finds the whole id of one of the caller's by its start. @throws not_found if there is none. */
  find(client: Client, given: string): Promise<string>
  /** The command that shows it. */
  command(id: string): string
}
