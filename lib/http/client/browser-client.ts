import type { DryRun, OtherDryRun } from '../../contract/submission/dry-run'
import { type AnswerReaders, buildClient, type Client, type Submitted } from './build-client'
import { type ClientOptions, createTransport } from './transport'

/**
 * Trusts the answers: page and API come from the same server. The schemas and zod would be more code than all other code of most
 * pages (docs/decisions/0028-browser-code.md).
 */
const trusted: AnswerReaders = {
  read: () => (body) => body,
  readSubmitted: (body) => body as Submitted,
  readDryRun: (body) => body as DryRun | OtherDryRun,
}

/** The client of this site's pages. The session cookie identifies the user. */
export function createBrowserClient(options: Pick<ClientOptions, 'fetch'> = {}): Client {
  return buildClient(createTransport(options), trusted)
}
